"""Models behind OpenAI's Responses interface, which accepts a model's own thoughts back."""

from __future__ import annotations

import json
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
from workbench.domain.message import Thought, ToolCall
from workbench.domain.model import SESSION_FIELDS, session_value
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.reading.node import JsonPath
from workbench.domain.request import ModelRequest, Picture, RequestMessage
from workbench.domain.text import repair_text
from workbench.domain.tool import ToolDefinition
from workbench.domain.translation import tr
from workbench.domain.usage import responses_usage
from workbench.providers.harness.failures import AttemptFailed
from workbench.providers.harness.harness import CallGrew, RawPart, with_own_ids
from workbench.providers.openai.body import picture_of, response_format
from workbench.providers.openai.model import CAPS, OpenAiModel
from workbench.providers.openai.stream import document_in
from workbench.providers.wire.body import Stretches, body_bytes, digest_of, verified_places
from workbench.providers.wire.events import events
from workbench.providers.wire.faults import Refused, SaidError
from workbench.providers.wire.strict_json import parse_object

# A request as OpenAI's Responses interface wants it: a list of items, nothing kept at the provider.


Json = dict[str, Any]

ENCRYPTED = "reasoning.encrypted_content"
_SIGNED = "responses:"
_LEAST_ANSWER_TOKENS = 16
# Set by the request itself, or not known at this interface.
_RESERVED = {
    *(
        "model",
        "input",
        "messages",
        "stream",
        "stream_options",
        "store",
        "include",
        "tools",
        "max_output_tokens",
    ),
    *("max_tokens", "max_completion_tokens", "n", "previous_response_id", "conversation"),
}
_KNOWN = ("temperature", "top_p")


def thought_for_storage(item: Mapping[str, Any], model: str) -> str | None:
    """Returns a thought for storage, so that it can be sent back to its model; None where it cannot be."""
    if not item.get("encrypted_content"):
        return None  # known by its number alone, and nothing is kept under that
    kept = {name: item[name] for name in ("id", "summary", "encrypted_content") if name in item}
    return _SIGNED + json.dumps({"model": model, "item": kept}, ensure_ascii=False)


def written(request: ModelRequest, model: str, *, keyed: bool, streamed: bool) -> tuple[Json, Stretches]:
    """Returns the body to send, and where in it the text of each message is.

    `keyed` says whether the chat is named for routing to its cache.
    """
    items: list[Json] = []
    places: list[tuple[JsonPath, ...]] = []
    for message in request.messages:
        found: list[JsonPath] = []
        for item, inside in _items(message, request.pictures, model):
            found += [("input", len(items), *path) for path in inside]
            items.append(item)
        places.append(tuple(found))
    body: Json = {"model": model, "input": items, "store": False, "include": [ENCRYPTED]}
    if streamed:
        body["stream"] = True
    if request.max_output_tokens is not None:
        body["max_output_tokens"] = max(request.max_output_tokens, _LEAST_ANSWER_TOKENS)
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if keyed:
        body["prompt_cache_key"] = session_value(request.conversation)
    body |= _parameters(request)
    return body, verified_places(request, body, places)


def _items(
    message: RequestMessage, pictures: Mapping[str, Picture], model: str
) -> Iterator[tuple[Json, list[JsonPath]]]:
    """Yields the items of one message, each with the paths in it where the message's text is."""
    if message.role == "tool":
        output = {"type": "function_call_output", "call_id": message.tool_call_id or ""}
        yield {**output, "output": repair_text(message.text)}, [("output",)]
        return
    if message.text or message.tool_calls:
        # A thought stands before what it led to; without that it is refused.
        yield from ((item, []) for item in _thoughts(message.thinking, model))
    if message.images:
        parts = [_part(part, pictures) for part in message.parts]
        texts: list[JsonPath] = [("content", n, "text") for n, part in enumerate(parts) if "text" in part]
        yield {"role": message.role, "content": parts}, texts
    elif message.text or not message.tool_calls:
        yield {"role": message.role, "content": repair_text(message.text)}, [("content",)]
    for call in message.tool_calls:
        arguments = repair_text(call.arguments) or "{}"
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}, []


def _thoughts(thoughts: tuple[Thought, ...], model: str) -> Iterator[Json]:
    """Yields thoughts of this model as they came: others cannot read them, and refuse the request."""
    for thought in thoughts:
        if thought.signature is None or not thought.signature.startswith(_SIGNED):
            continue
        kept = json.loads(thought.signature.removeprefix(_SIGNED))
        if kept["model"] == model:
            yield {"type": "reasoning", "summary": [], **kept["item"]}


def _part(part: Any, pictures: Mapping[str, Picture]) -> Json:
    if isinstance(part, str):
        return {"type": "input_text", "text": repair_text(part)}
    picture = picture_of(part, pictures)
    return {"type": "input_image", "image_url": f"data:{picture.media_type};base64,{picture.base64}"}


def _tool(tool: ToolDefinition) -> Json:
    # Said, because a schema that is not strict is refused where nothing is said.
    told = {"type": "function", "name": tool.name, "description": tool.description, "strict": False}
    return {**told, "parameters": json.loads(tool.schema_json)}


def _parameters(request: ModelRequest) -> Json:
    free = {**request.parameters, **request.chosen.free}
    given = {name: value for name, value in free.items() if name not in _RESERVED and value is not None}
    chosen = request.chosen.given
    given |= {name: chosen[name] for name in _KNOWN if name in chosen}
    if request.chosen.reasoning_effort is not None:
        given["reasoning"] = {**_table(given.get("reasoning")), "effort": request.chosen.reasoning_effort}
    form = response_format(request)
    if form is not None:
        flat = {"type": form["type"], **form.get("json_schema", {})}
        given["text"] = {**_table(given.get("text")), "format": flat}
    return given


def _table(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


# Events of OpenAI's Responses interface, read into parts of an answer; only its own last event is its end.


_INCOMPLETE: Mapping[str, FinishReason] = {"max_output_tokens": "length", "content_filter": "content_filter"}


def is_response(document: Mapping[str, Any]) -> bool:
    """Tells whether a document is a complete, unstreamed answer."""
    return document.get("object") == "response" and isinstance(document.get("output"), list)


def events_of(response: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields a complete answer as the events that a stream would have brought."""
    for item in tables_in(response, "output"):
        for part in tables_in(item, "summary"):
            yield {"type": "response.reasoning_summary_text.delta", "delta": text_in(part, "text")}
        for part in tables_in(item, "content") if item.get("type") == "message" else ():
            yield {"type": "response.output_text.delta", "delta": text_in(part, "text")}
            yield {"type": "response.refusal.delta", "delta": text_in(part, "refusal")}
        yield {"type": "response.output_item.done", "item": item}
    yield {"type": f"response.{response.get('status')}", "response": response}


class ResponseReader:
    """Parses one answer, event by event."""

    def __init__(self, request: ModelRequest, model: str) -> None:
        self._request, self._model = request, model
        self._calls: list[ToolCall] = []
        self._refused = False
        self.finished = False

    def read(self, event: Mapping[str, Any]) -> Iterator[RawPart]:
        """Yields the parts of an event; unknown kinds are skipped."""
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
                yield from self._finished_item(table_in(event, "item"))
            case "response.completed" | "response.incomplete":
                yield from self._end(table_in(event, "response"))
            case "response.failed" | "response.cancelled":
                raise SaidError(
                    {"error": table_in(table_in(event, "response"), "error") or {"message": tr("it failed")}}
                )
            case "error":
                raise SaidError({"error": table_in(event, "error") or event})

    def _finished_item(self, item: Mapping[str, Any]) -> Iterator[RawPart]:
        match item.get("type"):
            case "reasoning" if (signature := thought_for_storage(item, self._model)) is not None:
                yield ThinkingGrew("", signature)
            case "function_call" if name := text_in(item, "name"):
                call = ToolCall(text_in(item, "call_id"), name, text_in(item, "arguments") or "{}")
                self._calls.append(call)
                yield CallGrew(len(call.arguments))

    def _end(self, response: Mapping[str, Any]) -> Iterator[RawPart]:
        """Emits tool calls only at the end: one of an answer that breaks off must not be executed."""
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
    """One model at one endpoint → ChatModel."""

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

    def _adapt_to_refusal(self, refused: Refused) -> AttemptFailed | None:
        """Retries without streaming where a model does not support it; its complete answer serves as well."""
        if self._streamed and refused.status == 400 and any(word in refused.body for word in _NO_STREAM):
            self._streamed = False
            return AttemptFailed(self._harness.explain(refused).failure, again=True)
        return super()._adapt_to_refusal(refused)

    async def _stream_parts(self, request: ModelRequest) -> AsyncGenerator[RawPart, None]:
        client = await self._open_client()
        content, reader = body_bytes(self._body(request)), ResponseReader(request, self._endpoint.model)
        waits, session = request.timeouts.connect_s, self._session(request)
        async with client.post_bytes(self._path, content, waits, session) as response:
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
