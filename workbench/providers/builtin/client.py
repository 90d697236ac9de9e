"""Questions to the model server besides answers: how it writes a chat, how it cuts text into tokens, what it holds."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.secret import Secret
from workbench.domain.text import repair_text
from workbench.providers.builtin.server import LlamaRun
from workbench.providers.builtin.slot import Token
from workbench.providers.wire.body import JSON_HEADERS
from workbench.providers.wire.faults import Refused
from workbench.providers.wire.transport import Guard, OpenBody

if TYPE_CHECKING:
    import httpx2

Json = dict[str, Any]

_PATIENCE_S = 120.0
CHAT_PATH = "/v1/chat/completions"
_TEMPLATE = "/apply-template"
_CONNECT_S = 10.0
_HEADERS = [(name.encode(), value.encode()) for name, value in JSON_HEADERS]


class TemplateRefused(Exception):
    """The model's template does not write such a chat; says why in the server's words."""


class LlamaClient:
    """Talks to one run of the server; a new run needs a new client."""

    def __init__(self, run: LlamaRun) -> None:
        self.run = run
        self._http: httpx2.AsyncClient | None = None

    async def props(self) -> Json:
        """What the server says about its model."""
        return _object(await self._ask("GET", "/props"))

    async def rendered(self, body: Mapping[str, Any]) -> str:
        """The prompt that this chat becomes, exactly as a request with it would be."""
        prompt = _object(await self._ask("POST", _TEMPLATE, body)).get("prompt")
        return prompt if isinstance(prompt, str) else ""

    async def tokens(self, prompt: str) -> tuple[Token, ...]:
        """The tokens of a whole prompt, with what the server itself puts before it."""
        asked = {"content": prompt, "add_special": True, "parse_special": True, "with_pieces": True}
        found = _object(await self._ask("POST", "/tokenize", asked)).get("tokens", ())
        return tuple(Token(int(token["id"]), _bytes(token["piece"])) for token in found)

    async def count(self, text: str) -> int:
        """How many tokens a part of a prompt is."""
        asked = {"content": text, "add_special": False, "parse_special": True}
        return len(_object(await self._ask("POST", "/tokenize", asked)).get("tokens", ()))

    async def held(self) -> tuple[int, bool]:
        """How many tokens its cache holds, and whether it works just now."""
        slots = await self._ask("GET", "/slots")
        slot = slots[0] if isinstance(slots, list) and slots else {}
        return int(slot.get("n_prompt_tokens", 0)), bool(slot.get("is_processing", False))

    @asynccontextmanager
    async def streamed(self, content: bytes) -> AsyncIterator[AsyncIterator[bytes]]:
        """Ask for an answer; what comes of it, as it comes. Leaving closes the connection, which stops the server."""
        import httpx2

        waits = httpx2.Timeout(None, connect=_CONNECT_S)
        asked = self._client().stream("POST", CHAT_PATH, content=content, timeout=waits)
        async with asked as reply:
            if reply.status_code != 200:
                raise Refused(reply.status_code, dict(reply.headers), await reply.aread())
            assert isinstance(reply.stream, httpx2.AsyncByteStream)
            async with aclosing(OpenBody(reply.stream)) as opened:
                yield opened.pieces

    async def close(self) -> None:
        """Let go of the connections."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        import httpx2

        try:
            reply = await self._client().request(method, path, content=_encoded(body))
            answer = reply.json()
        except (httpx2.HTTPError, ValueError, RuntimeError) as error:
            raise ModelFailed(
                Failure("network", f"The built-in model's server did not answer ({type(error).__name__}).")
            ) from error
        if reply.status_code != 200 and path == _TEMPLATE:
            raise TemplateRefused(_reason(answer))
        if reply.status_code != 200:
            raise ModelFailed(
                Failure("protocol", f"The built-in model's server refused {path}: {_reason(answer)}")
            )
        return answer

    def _client(self) -> httpx2.AsyncClient:
        import httpx2

        if self._http is None:
            self._http = httpx2.AsyncClient(
                base_url=self.run.base_url,
                headers=own_guard(self.run.key).outgoing(_HEADERS),
                timeout=_PATIENCE_S,
                trust_env=False,
                verify=False,  # plain HTTP on loopback: there is no certificate, and reading the system's is slow
                # The server closes kept connections without a word.
                limits=httpx2.Limits(max_keepalive_connections=0),
            )
        return self._http


def own_guard(key: Secret) -> Guard:
    """The headers that our own server gets are those that everyone gets; only its address changes with every run."""
    return Guard("", key)


def _encoded(body: Mapping[str, Any] | None) -> bytes | None:
    if body is None:
        return None
    return repair_text(json.dumps(body, ensure_ascii=False)).encode()


def _object(answer: Any) -> Json:
    return answer if isinstance(answer, dict) else {}


def _reason(answer: Any) -> str:
    error = _object(answer).get("error")
    return str(_object(error).get("message", "it gave no reason"))[:300]


def _bytes(piece: str | Sequence[int]) -> bytes:
    """A token's bytes; where they are no whole characters, they come as numbers."""
    return piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else bytes(piece)
