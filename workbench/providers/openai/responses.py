"""Models behind OpenAI's Responses interface, which hands a model's own thoughts back to it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Mapping
from contextlib import aclosing
from typing import Any

from workbench.domain.answer import (
    Accepted,
    CallMade,
    Finished,
    FinishReason,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.message import ToolCall
from workbench.domain.models.session import SESSION_FIELDS, session_value
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.request import ModelRequest
from workbench.domain.usage_reports import responses_usage
from workbench.providers.harness.call_ids import with_own_ids
from workbench.providers.harness.failures import AttemptFailed
from workbench.providers.harness.harness import CallGrew, RawPart
from workbench.providers.openai.model import CAPS, OpenAiModel
from workbench.providers.openai.responses_body import signed, written
from workbench.providers.openai.stream import document_in
from workbench.providers.wire.body import Stretches, body_bytes, digest_of
from workbench.providers.wire.events import events
from workbench.providers.wire.faults import Refused, SaidError
from workbench.providers.wire.strict_json import parse_object

# Events of OpenAI's Responses interface, read into parts of an answer; only its own last event is its end.


_INCOMPLETE: Mapping[str, FinishReason] = {"max_output_tokens": "length", "content_filter": "content_filter"}


def is_response(document: Mapping[str, Any]) -> bool:
    """Whether it is a whole answer, which was not streamed."""
    return document.get("object") == "response" and isinstance(document.get("output"), list)


def events_of(response: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A whole answer as the events that a stream would have brought."""
    for item in tables_in(response, "output"):
        for part in tables_in(item, "summary"):
            yield {"type": "response.reasoning_summary_text.delta", "delta": text_in(part, "text")}
        for part in tables_in(item, "content") if item.get("type") == "message" else ():
            yield {"type": "response.output_text.delta", "delta": text_in(part, "text")}
            yield {"type": "response.refusal.delta", "delta": text_in(part, "refusal")}
        yield {"type": "response.output_item.done", "item": item}
    yield {"type": f"response.{response.get('status')}", "response": response}


class ResponseReader:
    """Reads one answer of a model, event by event."""

    def __init__(self, request: ModelRequest, model: str) -> None:
        self._request, self._model = request, model
        self._calls: list[ToolCall] = []
        self._refused = False
        self.finished = False

    def read(self, event: Mapping[str, Any]) -> Iterator[RawPart]:
        """The parts an event brings; kinds that are not known are skipped."""
        match event.get("type"):
            case "response.output_text.delta":
                yield TextGrew(text_in(event, "delta"))
            case "response.refusal.delta":
                self._refused |= bool(text_in(event, "delta"))
                yield TextGrew(text_in(event, "delta"))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield ThinkingGrew(text_in(event, "delta"))
            case "response.reasoning_summary_part.added" if count_in(event, "summary_index"):
                yield ThinkingGrew("\n\n")
            case "response.function_call_arguments.delta":
                yield CallGrew(len(text_in(event, "delta")))
            case "response.output_item.done":
                yield from self._whole(table_in(event, "item"))
            case "response.completed" | "response.incomplete":
                yield from self._end(table_in(event, "response"))
            case "response.failed" | "response.cancelled":
                raise SaidError(
                    {"error": table_in(table_in(event, "response"), "error") or {"message": "it failed"}}
                )
            case "error":
                raise SaidError({"error": table_in(event, "error") or event})

    def _whole(self, item: Mapping[str, Any]) -> Iterator[RawPart]:
        match item.get("type"):
            case "reasoning" if (signature := signed(item, self._model)) is not None:
                yield ThinkingGrew("", signature)
            case "function_call" if name := text_in(item, "name"):
                call = ToolCall(text_in(item, "call_id"), name, text_in(item, "arguments") or "{}")
                self._calls.append(call)
                yield CallGrew(len(call.arguments))

    def _end(self, response: Mapping[str, Any]) -> Iterator[RawPart]:
        """Calls are given only now: one of an answer that breaks off must not be carried out."""
        self.finished = True
        yield from map(CallMade, with_own_ids(self._calls, self._request))
        if (usage := responses_usage(response)) is not None:
            yield UsageReported(usage)
        yield Finished(self._reason(response))

    def _reason(self, response: Mapping[str, Any]) -> FinishReason:
        if response.get("status") == "incomplete":
            return _INCOMPLETE.get(text_in(table_in(response, "incomplete_details"), "reason"), "other")
        if self._calls:
            return "tool_calls"
        return "refusal" if self._refused else "stop"


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
