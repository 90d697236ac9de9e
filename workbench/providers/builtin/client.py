"""The connection to the built-in model's server, for queries and for answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.influence import AnswerScore, AnswerTokens
from workbench.domain.request import ModelRequest
from workbench.domain.secrets import Secret
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.net.connections import Connections
from workbench.providers.builtin.server import LlamaRun
from workbench.providers.served.framing import TemplateRefused
from workbench.providers.served.llama import SCORING_PATH, SCORING_S, TEMPLATE_PATH, LlamaQuestions, as_object
from workbench.providers.served.meter import Body, Held, ServerMeter
from workbench.providers.served.slot import LlamaSlot, Token
from workbench.providers.wire.body import JSON_HEADERS
from workbench.providers.wire.faults import Refused
from workbench.providers.wire.transport import Guard, OpenBody

if TYPE_CHECKING:
    import httpx2


_PATIENCE_S = 120.0
CHAT_PATH = "/v1/chat/completions"
_CONNECT_S = 10.0
_HEADERS = [(name.encode(), value.encode()) for name, value in JSON_HEADERS]


class LlamaClient(LlamaQuestions):
    """Talks to one run of the server; a new run needs a new client."""

    def __init__(self, run: LlamaRun) -> None:
        super().__init__()
        self.run = run
        self._http: httpx2.AsyncClient | None = None

    async def held(self) -> tuple[int, bool]:
        """Returns how many tokens its cache holds, and whether it is busy."""
        places = await self.places()
        return places[0] if places else (0, False)

    @asynccontextmanager
    async def streamed(self, content: bytes) -> AsyncIterator[AsyncIterator[bytes]]:
        """Posts a request and yields the pieces of the answer.

        Leaving the context closes the connection and stops the server.
        """
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
        """Closes the connections."""
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Sends a query and returns the parsed answer."""
        import httpx2

        try:
            waits = SCORING_S if path == SCORING_PATH else _PATIENCE_S
            reply = await self._client().request(method, path, content=_encoded(body), timeout=waits)
            answer = reply.json()
        except (httpx2.HTTPError, ValueError, RuntimeError) as error:
            raise ModelFailed(
                Failure(
                    "network",
                    tr("The built-in model's server did not answer ({name}).", name=type(error).__name__),
                )
            ) from error
        if reply.status_code != 200 and path == TEMPLATE_PATH:
            raise TemplateRefused(_reason(answer))
        if reply.status_code != 200:
            raise ModelFailed(
                Failure(
                    "protocol",
                    tr(
                        "The built-in model's server refused {path}: {reason}",
                        path=path,
                        reason=_reason(answer),
                    ),
                )
            )
        return answer

    def _client(self) -> httpx2.AsyncClient:
        from workbench.net.http_transport import NetTransport, client_over

        if self._http is None:
            self._http = client_over(
                # The server closes kept connections without a word.
                NetTransport(Connections(), self.run.base_url, "model"),
                base_url=self.run.base_url,
                headers=own_guard(self.run.key).outgoing(_HEADERS),
                timeout=_PATIENCE_S,
            )
        return self._http


def own_guard(key: Secret) -> Guard:
    """Returns the header rules for our own server, whose address changes with every run."""
    return Guard("", key)


def _encoded(body: Mapping[str, Any] | None) -> bytes | None:
    if body is None:
        return None
    return repair_text(json.dumps(body, ensure_ascii=False)).encode()


def _reason(answer: Any) -> str:
    error = as_object(answer).get("error")
    return str(as_object(error).get("message", "it gave no reason"))[:300]


# Counting as the built-in model's own server counts, which has one place and answers nobody else.


Reading = Callable[[], AbstractAsyncContextManager[None]]

_SETTLING_S = 1.0
_LOOK_AGAIN_S = 0.02


class BuiltinMeter(ServerMeter):
    """The token counter of one run of the server.

    Attributes:
        reading: a context entered before the model reads, so that it does one thing at a time and is not idle.
    """

    def __init__(self, client: LlamaClient, slot: LlamaSlot, name: str, body: Body) -> None:
        super().__init__(client, self._held, name, body)
        self._client, self._slot = client, slot
        self.read = self._note_read
        self.reading: Reading = nullcontext

    async def score(self, request: ModelRequest, answer: AnswerTokens) -> AnswerScore:
        """Scores an answer, after waiting for the one in progress."""
        async with self.reading():
            try:
                return await super().score(request, answer)
            except BaseException:
                self._slot.forget()  # how far it came, nobody knows
                raise

    def _note_read(self, request: ModelRequest, tokens: Sequence[Token]) -> None:
        self._slot.begin(self._client.run.number, tokens)
        self._slot.ended(0)
        self._slot.left()

    async def _held(self, request: ModelRequest, tokens: Sequence[Token]) -> Held:
        """Returns what the server's cache holds; after a stop it may take a moment to notice."""
        end = asyncio.get_running_loop().time() + _SETTLING_S
        while True:
            held, busy = await self._client.held()
            if not busy or self._slot.answering or asyncio.get_running_loop().time() > end:
                return Held(self._slot.shared_tokens(self._client.run.number, tokens, held), sure=True)
            await asyncio.sleep(_LOOK_AGAIN_S)
