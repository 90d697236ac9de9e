"""A request as OpenAI's Responses interface wants it: a list of items, nothing kept at the provider."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.domain.message import Thought
from workbench.domain.models.session import session_value
from workbench.domain.reading.node import JsonPath
from workbench.domain.request import ModelRequest, Picture, RequestMessage
from workbench.domain.text import repair_text
from workbench.domain.tool import ToolDefinition
from workbench.providers.openai.body import picture_of, response_format
from workbench.providers.wire.body import Stretches, told_truly

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


def signed(item: Mapping[str, Any], model: str) -> str | None:
    """What is kept of a thought, so that it can be handed back to its model; None where it cannot be."""
    if not item.get("encrypted_content"):
        return None  # known by its number alone, and nothing is kept under that
    kept = {name: item[name] for name in ("id", "summary", "encrypted_content") if name in item}
    return _SIGNED + json.dumps({"model": model, "item": kept}, ensure_ascii=False)


def written(request: ModelRequest, model: str, *, keyed: bool, streamed: bool) -> tuple[Json, Stretches]:
    """Everything that is sent, and where in it the text of each message stands.

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
    return body, told_truly(request, body, places)


def _items(
    message: RequestMessage, pictures: Mapping[str, Picture], model: str
) -> Iterator[tuple[Json, list[JsonPath]]]:
    """The items of one message, each with the places in it where the message's text stands."""
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
    """Thoughts of this very model, as they came: others cannot read them, and refuse the request."""
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
