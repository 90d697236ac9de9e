"""Writes a request for Anthropic's messages interface: system text apart, alternating roles, cache breakpoints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise, takewhile
from typing import Any, Literal

from workbench.domain.message import Image, Thought, ToolCall
from workbench.domain.model import HOUR_RULES
from workbench.domain.reading.node import JsonPath
from workbench.domain.request import ModelRequest, Picture, RequestMessage
from workbench.domain.text import digest_text, repair_text
from workbench.domain.tool import ToolDefinition
from workbench.providers.openai.body import picture_of
from workbench.providers.wire.body import Stretches, verified_places

# The content of one message as Anthropic's blocks, cut where a stable part ends so that it can be marked
# there.

Json = dict[str, Any]
Block = tuple[Json, bool]
"""A content block, and whether a stable part of the request ends with it."""

REDACTED = "redacted:"
"""Prefix of a stored thought that came encrypted, in place of its signature."""

_USABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def text_blocks(text: str, marks: Sequence[int]) -> list[Block]:
    """Splits a text at its marks into blocks; a piece of blanks alone would be refused, so it joins the next one."""
    text = repair_text(text)
    places = [0, *sorted({mark for mark in marks if 0 < mark < len(text)}), len(text)]
    blocks: list[Block] = []
    carried = ""
    for start, end in pairwise(places):
        piece = carried + text[start:end]
        carried = "" if piece.strip() else piece
        if piece.strip():
            blocks.append((_text(piece), end < len(text)))
    if carried and blocks:
        blocks[-1] = (_text(blocks[-1][0]["text"] + carried), False)
    return blocks


def user_blocks(message: RequestMessage, pictures: Mapping[str, Picture]) -> list[Block]:
    """Returns the text and pictures of a user's message, in order."""
    blocks: list[Block] = []
    at = 0
    for part in message.parts:
        if isinstance(part, str):
            blocks += text_blocks(part, [mark - at for mark in message.cache_marks])
            at += len(part)
        else:
            blocks.append((image_block(part, pictures), False))
    return _mark_last_block(message, blocks)


def assistant_blocks(message: RequestMessage, pictures: Mapping[str, Picture]) -> list[Block]:
    """Returns thoughts that led to calls, text, and calls; an assistant's message cannot contain pictures."""
    thoughts = message.thinking if message.tool_calls else ()
    blocks: list[Block] = [(block, False) for block in _thought_blocks(thoughts)]
    blocks += text_blocks(message.text, message.cache_marks)
    blocks += [(_call_block(call), False) for call in message.tool_calls]
    return _mark_last_block(message, blocks)


def result_blocks(message: RequestMessage, pictures: Mapping[str, Picture]) -> list[Block]:
    """Returns the result of a tool call as one block."""
    content: list[Json] = [block for block, _ in text_blocks(message.text, ())]
    content += [image_block(image, pictures) for image in message.images]
    block: Json = {"type": "tool_result", "tool_use_id": call_id(message.tool_call_id or "")}
    return _mark_last_block(message, [(block | ({"content": content} if content else {}), False)])


def image_block(image: Image, pictures: Mapping[str, Picture]) -> Json:
    """Returns a picture with its bytes."""
    picture = picture_of(image, pictures)
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": picture.media_type, "data": picture.base64},
    }


def call_id(given: str) -> str:
    """Returns an id that the interface accepts: ids of other providers may contain other characters."""
    return given if _USABLE_ID.fullmatch(given) else f"toolu_{digest_text(given)[:24]}"


def _mark_last_block(message: RequestMessage, blocks: list[Block]) -> list[Block]:
    """Marks the last block where the whole text of a message is stable, with its pictures and calls."""
    if blocks and len(message.text) in message.cache_marks:
        return [*blocks[:-1], (blocks[-1][0], True)]
    return blocks


def _thought_blocks(thoughts: Sequence[Thought]) -> Iterator[Json]:
    """Yields signed thoughts only: unsigned ones come from elsewhere and would be refused."""
    for thought in thoughts:
        if thought.signature is None:
            continue
        if thought.signature.startswith(REDACTED):
            yield {"type": "redacted_thinking", "data": thought.signature.removeprefix(REDACTED)}
        elif ":" not in thought.signature:  # other providers' have their name before a colon
            yield {"type": "thinking", "thinking": thought.text, "signature": thought.signature}


def _call_block(call: ToolCall) -> Json:
    return {"type": "tool_use", "id": call_id(call.id), "name": call.name, "input": _object(call.arguments)}


def _object(arguments: str) -> Json:
    """Parses arguments to an object, which is required; anything else is passed as text inside one."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"unreadable_arguments": repair_text(arguments)}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


MOST_BREAKPOINTS = 4
DEFAULT_ANSWER_TOKENS = 4096
_EPHEMERAL = {"type": "ephemeral"}
_SPOKEN = Literal["user", "assistant"]
# Set by the request itself.
_RESERVED = {"model", "messages", "system", "tools", "stream", "max_tokens"}
# Known elsewhere, and refused here with the whole request.
_UNKNOWN = {
    *("seed", "n", "logprobs", "top_logprobs", "logit_bias", "frequency_penalty", "presence_penalty"),
    *(
        "repeat_penalty",
        "min_p",
        "mirostat",
        "num_ctx",
        "keep_alive",
        "response_format",
        "max_completion_tokens",
    ),
}


def written(request: ModelRequest, model: str, *, diagnosed: bool = False) -> tuple[Json, Stretches]:
    """Returns the body to send, and where in it the text of each message is.

    With `diagnosed` it asks why the cache missed: the provider then compares the request with the one before.
    """
    opening = sum(1 for _ in takewhile(lambda message: message.role == "system", request.messages))
    blocks = [
        _system_blocks(message) if place < opening else _blocks(request, message)
        for place, message in enumerate(request.messages)
    ]
    body = _body(request, model, blocks, opening)
    if diagnosed:
        # None in the first request of a chat: only a request that has the field can be compared with later.
        body.setdefault("diagnostics", {"previous_message_id": request.compare_with or None})
    places = _text_places(body)
    found = (tuple(places[id(text)] for text in _texts(some) if id(text) in places) for some in blocks)
    return body, verified_places(request, body, found)


def request_body(request: ModelRequest, model: str) -> Json:
    """Returns the body to send, with only those parameters that were set and exist there."""
    return written(request, model)[0]


def _body(request: ModelRequest, model: str, blocks: Sequence[list[Block]], opening: int) -> Json:
    system = [block for some in blocks[:opening] for block in some]
    turns = list(_turns(request.messages[opening:], blocks[opening:]))
    tools: list[Block] = [(_tool(tool), False) for tool in request.tools]
    _place_breakpoints(tools, system, [block for _, blocks in turns for block in blocks], _mark(request))
    body: Json = {"model": model, "max_tokens": _answer_tokens(request), "stream": True}
    body["messages"] = [{"role": role, "content": [block for block, _ in blocks]} for role, blocks in turns]
    if system:
        body["system"] = [block for block, _ in system]
    if tools:
        body["tools"] = [block for block, _ in tools]
    return body | _parameters(request)


def _system_blocks(message: RequestMessage) -> list[Block]:
    blocks = text_blocks(message.text, message.cache_marks)
    if blocks and len(message.text) in message.cache_marks:
        blocks[-1] = (blocks[-1][0], True)
    return blocks


def _turns(
    messages: Sequence[RequestMessage], blocks: Sequence[list[Block]]
) -> Iterator[tuple[_SPOKEN, list[Block]]]:
    """Groups messages into alternating roles, starting with the user; results come before text in a turn."""
    pairs = zip(messages, blocks, strict=True)
    said = [(_role(message), block) for message, some in pairs for block in some]
    if said and said[0][0] == "assistant":
        # A shortened history may begin with an answer, which is refused.
        said.insert(0, ("user", ({"type": "text", "text": "…"}, False)))
    turns = [(role, [block for _, block in group]) for role, group in groupby(said, key=lambda one: one[0])]
    if turns and turns[-1][0] == "assistant":
        turns[-1] = ("assistant", _strip_last_text(turns[-1][1]))
    # Sorting keeps the order of what is equal.
    yield from ((role, sorted(blocks, key=_after_results)) for role, blocks in turns)


def _after_results(block: Block) -> bool:
    return bool(block[0]["type"] != "tool_result")


def _role(message: RequestMessage) -> _SPOKEN:
    """Returns the role to send.

    System text in the middle stays there as the user's, since moving it would break the cache.
    """
    return "assistant" if message.role == "assistant" else "user"


def _blocks(request: ModelRequest, message: RequestMessage) -> list[Block]:
    match message.role:
        case "assistant":
            return assistant_blocks(message, request.pictures)
        case "tool":
            return result_blocks(message, request.pictures)
        case _:
            return user_blocks(message, request.pictures)


def _strip_last_text(blocks: list[Block]) -> list[Block]:
    """Strips blanks from the end of an answer that the model is to continue, which would be refused."""
    block, marked = blocks[-1]
    if block["type"] != "text" or block["text"] == block["text"].rstrip():
        return blocks
    return [*blocks[:-1], ({**block, "text": block["text"].rstrip()}, marked)]


def _texts(blocks: Sequence[Block]) -> Iterator[Json]:
    """Yields the blocks with a message's text, in order; those of a tool result are inside it."""
    for block, _ in blocks:
        inside = block.get("content", ()) if block["type"] == "tool_result" else (block,)
        yield from (one for one in inside if one["type"] == "text")


def _text_places(body: Json) -> dict[int, JsonPath]:
    """Returns the path of each text block in the body, by the block's identity; equal texts are different blocks."""
    found: dict[int, JsonPath] = {}
    for number, block in enumerate(body.get("system", ())):
        found[id(block)] = ("system", number, "text")
    for row, message in enumerate(body["messages"]):
        for number, block in enumerate(message["content"]):
            found[id(block)] = ("messages", row, "content", number, "text")
            for part, inner in enumerate(block.get("content", ())):
                found[id(inner)] = ("messages", row, "content", number, "content", part, "text")
    return found


def _mark(request: ModelRequest) -> Json:
    """Returns a cache mark: for five minutes, unless an hour was chosen."""
    return {**_EPHEMERAL, "ttl": "1h"} if request.cache_rules in HOUR_RULES.values() else _EPHEMERAL


def _place_breakpoints(tools: list[Block], system: list[Block], said: list[Block], mark: Json) -> None:
    """Marks at most four blocks for the cache: the last ones, which reach furthest.

    Each mark writes everything before it to the cache and reads what was written up to a few blocks before it, so of
    many marks the first, which earlier requests wrote, can be left out. Tools come before the system text and get a
    mark of their own only where one is left over. Without stable parts nothing is marked, because writing to the cache
    costs.
    """
    marked = [block for block, ends in (*system, *said) if ends]
    if not marked:
        return
    chosen = marked[-MOST_BREAKPOINTS:]
    if tools and len(chosen) < MOST_BREAKPOINTS:
        chosen = [tools[-1][0], *chosen]
    for block in chosen:
        block["cache_control"] = dict(mark)


def _tool(tool: ToolDefinition) -> Json:
    schema = json.loads(tool.schema_json) or {"type": "object", "properties": {}}
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


def _answer_tokens(request: ModelRequest) -> int:
    """Returns the required answer limit; thinking counts towards it, so a thinking budget is added."""
    if request.max_output_tokens is not None:
        return request.max_output_tokens
    thinking: Any = request.parameters.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
    return DEFAULT_ANSWER_TOKENS + (budget if isinstance(budget, int) else 0)


def _parameters(request: ModelRequest) -> Json:
    older = {name: value for name, value in request.parameters.items() if name not in _UNKNOWN}
    given = {name: value for name, value in {**older, **request.chosen.free}.items() if value is not None}
    stop = given.pop("stop", None)
    if stop:
        given["stop_sequences"] = [stop] if isinstance(stop, str) else list(stop)
    free = {name: value for name, value in given.items() if name not in _RESERVED}
    return free | _chosen_parameters(request, free.get("output_config"))


def _chosen_parameters(request: ModelRequest, free: Any) -> Json:
    """Returns the chosen parameters under this provider's names; those about the answer's format share one field."""
    chosen = request.chosen
    written: Json = {"temperature": chosen.temperature, "top_p": chosen.top_p, "top_k": chosen.top_k}
    written["stop_sequences"] = None if chosen.stop is None else list(chosen.stop)
    output = dict(free) if isinstance(free, dict) else {}
    if chosen.reasoning_effort is not None:
        output["effort"] = chosen.reasoning_effort
    if chosen.schema is not None:
        output["format"] = {"type": "json_schema", "schema": chosen.schema}
    written["output_config"] = output or None
    return {name: value for name, value in written.items() if value is not None}
