"""Queries to a server outside its chat interface: at its root, through the guard, with short timeouts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.model import session_headers
from workbench.domain.reading.loose_json import table_in, text_in
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.providers.harness.failures import Explainer
from workbench.providers.served.framing import TemplateRefused
from workbench.providers.served.llama import SCORING_PATH, SCORING_S, TEMPLATE_PATH, LlamaQuestions
from workbench.providers.wire.endpoint import Endpoint
from workbench.providers.wire.faults import Refused, WireFault
from workbench.providers.wire.strict_json import parse_json
from workbench.providers.wire.transport import Caps, guard_of

if TYPE_CHECKING:
    import httpx2

_PATIENCE_S = 60.0
_CONNECT_S = 3.0
# The tokens of a very long request, each with its text.
_CAPS = Caps(document_bytes=64 * 1024 * 1024)


class ServerQueries:
    """Sends queries to one server that are not part of a chat."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._root = endpoint.base_url.removesuffix("/v1")
        self._http: httpx2.AsyncClient | None = None

    async def read(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        patience_s: float = _PATIENCE_S,
        *,
        conversation: str = "",
    ) -> bytes:
        """Returns the answer; `Refused` where the server refuses, `ModelFailed` where it does not answer.

        With a `conversation` the query goes to the replica that answers that chat.
        """
        import httpx2

        client = await self._open_client()
        content = None if body is None else repair_text(json.dumps(body, ensure_ascii=False)).encode()
        headers = {} if content is None else {"content-type": "application/json"}
        if conversation:
            headers |= session_headers(self.endpoint.session, conversation)
        waits = httpx2.Timeout(patience_s, connect=_CONNECT_S)
        try:
            reply = await client.request(
                method, self._root + path, content=content, headers=headers, timeout=waits
            )
            return await reply.aread()
        except Refused:
            raise
        except Exception as error:
            raise ModelFailed(Explainer(self.endpoint)(error).failure) from error

    async def table(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, patience_s: float = _PATIENCE_S
    ) -> dict[str, Any]:
        """Returns the answer as a JSON object."""
        found = parse_json(await self.read(method, path, body, patience_s))
        return found if isinstance(found, dict) else {}

    async def get_or_empty(self, path: str) -> dict[str, Any]:
        """Returns the JSON object at a path; empty where there is none."""
        with suppress(Exception):  # whatever it is, it is not what was looked for
            return await self.table("GET", path)
        return {}

    def reason(self, refused: Refused) -> str:
        """Returns the server's reason for a refusal."""
        said: Any = {}
        with suppress(Exception):  # many refusals are no JSON
            said = parse_json(refused.body)
        said = said if isinstance(said, dict) else {}
        return (text_in(table_in(said, "error"), "message") or f"status {refused.status}")[:300]

    async def close(self) -> None:
        """Closes the connections."""
        client, self._http = self._http, None
        if client is not None:
            await client.aclose()

    async def _open_client(self) -> httpx2.AsyncClient:
        if self._http is None:
            opened = await asyncio.to_thread(_open, self.endpoint)
            if self._http is None:
                self._http = opened
        return self._http


class RemoteLlamaQuestions(LlamaQuestions):
    """Queries a llama.cpp server that was started elsewhere.

    Of several replicas, the one that answers a conversation.
    """

    def __init__(self, asking: ServerQueries, conversation: str = "") -> None:
        super().__init__()
        self._asking, self._conversation = asking, conversation

    async def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Sends a query and returns the parsed answer."""
        try:
            waits = SCORING_S if path == SCORING_PATH else _PATIENCE_S
            read = await self._asking.read(method, path, body, waits, conversation=self._conversation)
            return parse_json(read)
        except Refused as refused:
            why = self._asking.reason(refused)
            if path == TEMPLATE_PATH:
                raise TemplateRefused(why) from refused
            raise ModelFailed(
                Failure("protocol", tr("The server does not answer {path}: {why}", path=path, why=why))
            ) from refused
        except WireFault as fault:
            said = tr("The server's answer to {path} cannot be read: {fault}.", path=path, fault=fault)
            raise ModelFailed(Failure("protocol", said)) from fault


def _open(endpoint: Endpoint) -> httpx2.AsyncClient:
    from workbench.providers.wire.guarded_transport import guarded_client

    return guarded_client(guard_of(endpoint, _CAPS), net=endpoint.net)
