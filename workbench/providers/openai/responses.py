"""Models behind OpenAI's Responses interface, which hands a model's own thoughts back to it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from contextlib import aclosing
from typing import Any

from workbench.domain.answer import Accepted
from workbench.domain.models.session import SESSION_FIELDS, session_value
from workbench.domain.request import ModelRequest
from workbench.providers.harness.failures import AttemptFailed
from workbench.providers.harness.harness import RawPart
from workbench.providers.openai.model import CAPS, OpenAiModel
from workbench.providers.openai.responses_body import written
from workbench.providers.openai.responses_events import ResponseReader, events_of, is_response
from workbench.providers.openai.stream import document_in
from workbench.providers.wire.body import Stretches, body_bytes, digest_of
from workbench.providers.wire.events import events
from workbench.providers.wire.faults import Refused
from workbench.providers.wire.strict_json import parse_object

_NO_STREAM = (b"'stream'", b'"stream"')


class ResponsesModel(OpenAiModel):
    """One model at one endpoint."""

    _path = "/responses"
    _counts = False
    _streamed = True

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        return self._written(request)[0]

    def _stretches(self, request: ModelRequest, body: dict[str, Any]) -> Stretches:
        return self._written(request)[1]

    def _written(self, request: ModelRequest) -> tuple[dict[str, Any], Stretches]:
        keyed, model, session = self._dialect.cache_key, self._endpoint.model, self._endpoint.session
        body, stretches = written(request, model, keyed=keyed, streamed=self._streamed)
        told = {session: session_value(request.conversation)} if session in SESSION_FIELDS else {}
        return {**told, **body}, stretches

    def _learned_from(self, refused: Refused) -> AttemptFailed | None:
        """Some of the models do not stream: their whole answer is as good."""
        if self._streamed and refused.status == 400 and any(word in refused.body for word in _NO_STREAM):
            self._streamed = False
            return AttemptFailed(self._harness.explain(refused).failure, again=True)
        return super()._learned_from(refused)

    async def _asked(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        client = await self._opened()
        from workbench.providers.openai.client import posted

        content, reader = body_bytes(self._body(request)), ResponseReader(request, self._endpoint.model)
        waits, session = request.timeouts.connect_s, self._session(request)
        async with posted(client, self._path, content, waits, session) as response:
            pieces = response.aiter_raw()
            whole = await document_in(response.headers.get("content-type", ""), pieces, is_response)
            yield Accepted(digest_of(content))
            if whole is not None:
                for event in events_of(whole):
                    for part in reader.read(event):
                        yield part
                return
            async with aclosing(_parts(pieces, reader)) as parts:
                async for part in parts:
                    yield part


async def _parts(pieces: AsyncIterable[bytes], reader: ResponseReader) -> AsyncGenerator[RawPart, None]:
    async with aclosing(events(pieces, CAPS.line_bytes)) as arriving:
        async for event in arriving:
            for part in reader.read(parse_object(event.content)):
                yield part
            if reader.finished:
                return
