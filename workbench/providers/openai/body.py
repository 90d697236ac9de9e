"""Writes a request for an OpenAI-compatible server, in the dialect it understands."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from workbench.domain.answer import Failure, ModelFailed
from workbench.domain.caching import marks_off_answers
from workbench.domain.message import Image, ToolCall
from workbench.domain.model import SESSION_FIELDS, session_value
from workbench.domain.request import ModelRequest, Picture, RequestMessage
from workbench.domain.text import repair_text
from workbench.domain.tool import ToolDefinition
from workbench.domain.translation import tr
from workbench.providers.wire.endpoint import Endpoint

# Messages and tools as OpenAI-compatible servers expect them.

Json = dict[str, Any]
_BREAKPOINT: Json = {"prompt_cache_breakpoint": {"mode": "explicit"}}


def openai_messages(request: ModelRequest, *, thoughts: bool, marks: bool = False) -> list[Json]:
    """Returns every message in order; `thoughts` says whether thoughts that led to calls are included.

    With `marks` the ends of stable parts are marked. The provider itself marks the newest message and writes our last
    three marks, but looks up all of them.
    """
    rows = [_message(message, request.pictures, thoughts=thoughts) for message in request.messages]
    ends = marks_off_answers(request.messages) if marks else ()
    for place in sorted({place for place, _ in ends}):
        cuts = [mark for row, mark in ends if row == place]
        rows[place]["content"] = _split_at_marks(rows[place]["content"], request.messages[place].text, cuts)
    return rows


def _split_at_marks(content: str | list[Json], text: str, cuts: list[int]) -> str | list[Json]:
    """Splits content into blocks that end at marks; content with pictures can be marked at its end only."""
    if isinstance(content, list):
        return [*content[:-1], {**content[-1], **_BREAKPOINT}] if len(text) in cuts else content
    if not content.strip():
        return content  # empty blocks are refused
    pieces = [(text[start:end], end in cuts) for start, end in pairwise(sorted({0, *cuts, len(text)}))]
    return [
        {"type": "text", "text": repair_text(piece), **(_BREAKPOINT if marked else {})}
        for piece, marked in pieces
    ]


def openai_tools(tools: tuple[ToolDefinition, ...]) -> list[Json]:
    """Returns the tools in OpenAI's format."""
    return [{"type": "function", "function": _function(tool)} for tool in tools]


def picture_of(image: Image, pictures: Mapping[str, Picture]) -> Picture:
    """Returns the bytes of a picture; a request without them cannot be sent."""
    picture = pictures.get(image.digest)
    if picture is None:
        raise ModelFailed(
            Failure("request", tr("A picture of this chat is missing, so nothing was sent. Attach it again."))
        )
    return picture


def _message(message: RequestMessage, pictures: Mapping[str, Picture], *, thoughts: bool) -> Json:
    row: Json = {"role": message.role, "content": _content(message, pictures)}
    if message.tool_calls:
        row["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.tool_calls and message.thinking and thoughts:
        row["reasoning_content"] = "".join(thought.text for thought in message.thinking)
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
    return row


def _content(message: RequestMessage, pictures: Mapping[str, Picture]) -> str | list[Json]:
    """Returns plain text where there are no pictures.

    Empty text and not null, which some servers' templates cannot handle.
    """
    if not message.images:
        return repair_text(message.text)
    return [
        {"type": "text", "text": repair_text(part)}
        if isinstance(part, str)
        else _picture(picture_of(part, pictures))
        for part in message.parts
    ]


def _picture(picture: Picture) -> Json:
    return {"type": "image_url", "image_url": {"url": f"data:{picture.media_type};base64,{picture.base64}"}}


def _call(call: ToolCall) -> Json:
    function = {"name": call.name, "arguments": repair_text(call.arguments) or "{}"}
    return {"id": call.id, "type": "function", "function": function}


def _function(tool: ToolDefinition) -> Json:
    return {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.schema_json)}


_MARKED_RULES = "openai-5.6"
_ANSWER = "answer"
# Set by the request itself; a parameter of that name would change what the answer is read as.
_RESERVED = {
    "model",
    "messages",
    "stream",
    "stream_options",
    "n",
    "tools",
    "max_tokens",
    "max_completion_tokens",
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where servers differ; a field that a server does not know may be ignored, or the whole request refused.

    Attributes:
        limit_field: OpenAI's newer models refuse `max_tokens`, most other servers know nothing else.
        usage: whether usage is requested.
        cache_key: whether the chat is named for routing to its cache: at OpenAI only, because strict servers
            (Mistral, Groq) refuse a request with unknown fields.
        thoughts: whether thoughts are sent back with the calls they led to.
        marks: whether the ends of stable parts may be marked for its cache.
    """

    limit_field: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    usage: bool = True
    cache_key: bool = False
    thoughts: bool = True
    marks: bool = False

    def after_refusal(self, words: str) -> Dialect | None:
        """Returns the dialect to retry with, where a refusal names an optional field.

        None where it is about something else.
        """
        if self.usage and "stream_options" in words:
            return replace(self, usage=False)
        if self.cache_key and "prompt_cache_key" in words:
            return replace(self, cache_key=False)
        if self.marks and "prompt_cache_breakpoint" in words:
            return replace(self, marks=False)
        if self.thoughts and "reasoning_content" in words:
            return replace(self, thoughts=False)
        other: Literal["max_completion_tokens", "max_tokens"] = (
            "max_tokens" if self.limit_field == "max_completion_tokens" else "max_completion_tokens"
        )
        return replace(self, limit_field=other) if _refuses_field(words, self.limit_field) else None


def dialect_of(endpoint: Endpoint) -> Dialect:
    """Returns the dialect to start with."""
    if is_openai(endpoint):
        return Dialect("max_completion_tokens", cache_key=True, thoughts=False, marks=True)
    return Dialect()


def is_openai(endpoint: Endpoint) -> bool:
    """Tells whether the server is OpenAI's own, in any region."""
    return endpoint.host == "api.openai.com" or endpoint.host.endswith(".api.openai.com")


def request_body(request: ModelRequest, endpoint: Endpoint, dialect: Dialect) -> dict[str, Any]:
    """Returns the body to send; of the parameters only those that were set."""
    body: dict[str, Any] = {
        "model": endpoint.model,
        "messages": openai_messages(
            request, thoughts=dialect.thoughts, marks=dialect.marks and request.cache_rules == _MARKED_RULES
        ),
        "stream": True,
    }
    if dialect.usage:
        body["stream_options"] = {"include_usage": True}
    if request.max_output_tokens is not None:
        body[dialect.limit_field] = request.max_output_tokens
    if request.tools:
        body["tools"] = openai_tools(request.tools)
    if dialect.cache_key:
        body["prompt_cache_key"] = session_value(request.conversation)
    if endpoint.session in SESSION_FIELDS:
        body[endpoint.session] = session_value(request.conversation)
    free = {**request.parameters, **request.chosen.free}
    set_by_user = {name: value for name, value in free.items() if name not in _RESERVED}
    return (
        body
        | {name: value for name, value in set_by_user.items() if value is not None}
        | _parameters(request)
    )


def _parameters(request: ModelRequest) -> Json:
    """Returns the chosen parameters; all but the answer's format have the same names here."""
    written = request.chosen.given
    written.pop("extra", None)
    written.pop("probabilities", None)
    written |= request.chosen.reported
    form = response_format(request)
    return written if form is None else {**written, "response_format": form}


def response_format(request: ModelRequest) -> Json | None:
    """Returns the chosen format of the answer; None where none was chosen."""
    schema = request.chosen.schema
    if schema is not None:
        form = {"name": _ANSWER, "schema": schema} | ({"strict": True} if _is_strict(schema) else {})
        return {"type": "json_schema", "json_schema": form}
    return None if request.chosen.response_format is None else {"type": "json_object"}


def _is_strict(schema: Any) -> bool:
    """Tells whether a schema can be enforced strictly: every property of every object is required."""
    if isinstance(schema, list):
        return all(map(_is_strict, schema))
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if schema.get("type") == "object" or isinstance(properties, dict):
        named = set(properties) if isinstance(properties, dict) else set()
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != named:
            return False
    return all(map(_is_strict, schema.values()))


def _refuses_field(words: str, name: str) -> bool:
    """Tells whether a refusal says that the field is unknown, not that its value is too large."""
    if name not in words:
        return False
    complaints = (
        "unsupported",
        tr("not supported"),
        "unrecognized",
        "unknown",
        "extra",
        tr("not permitted"),
        "unexpected",
    )
    return any(complaint in words.lower() for complaint in complaints)
