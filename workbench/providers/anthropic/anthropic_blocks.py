"""The content of one message as Anthropic's blocks, cut where a stable part ends so that it can be marked there."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from workbench.domain.message import Image, Thought, ToolCall
from workbench.domain.request import Picture, RequestMessage
from workbench.domain.text import digest_text, repair_text
from workbench.providers.openai.openai_messages import picture_of

Json = dict[str, Any]
Block = tuple[Json, bool]
"""A block, and whether a stable part of the request ends with it."""

REDACTED = "redacted:"
"""What stands before the content of a thought that came encrypted, where a signature would stand."""

_USABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def text_blocks(text: str, marks: Sequence[int]) -> list[Block]:
    """A text cut at its marks; a piece of spaces alone, which is refused, goes with the piece after it."""
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
    """Words, then pictures."""
    images: list[Block] = [(image_block(image, pictures), False) for image in message.images]
    return _ending(message, text_blocks(message.text, message.cache_marks) + images)


def assistant_blocks(message: RequestMessage, pictures: Mapping[str, Picture]) -> list[Block]:
    """Thoughts that led to calls, words, and the calls."""
    thoughts = message.thinking if message.tool_calls else ()
    blocks: list[Block] = [(block, False) for block in _thought_blocks(thoughts)]
    blocks += text_blocks(message.text, message.cache_marks)
    blocks += [(_call_block(call), False) for call in message.tool_calls]
    return _ending(message, blocks)


def result_blocks(message: RequestMessage, pictures: Mapping[str, Picture]) -> list[Block]:
    """The result of a call, as one block."""
    content: list[Json] = [block for block, _ in text_blocks(message.text, ())]
    content += [image_block(image, pictures) for image in message.images]
    block: Json = {"type": "tool_result", "tool_use_id": call_id(message.tool_call_id or "")}
    return _ending(message, [(block | ({"content": content} if content else {}), False)])


def image_block(image: Image, pictures: Mapping[str, Picture]) -> Json:
    """A picture with its bytes."""
    picture = picture_of(image, pictures)
    encoded = base64.b64encode(picture.content).decode("ascii")
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": picture.media_type, "data": encoded},
    }


def call_id(given: str) -> str:
    """An id as it is accepted: other providers' ids may have other characters."""
    return given if _USABLE_ID.fullmatch(given) else f"toolu_{digest_text(given)[:24]}"


def _ending(message: RequestMessage, blocks: list[Block]) -> list[Block]:
    """A mark at the end of the text is for the whole message, with its pictures and calls."""
    if blocks and len(message.text) in message.cache_marks:
        return [*blocks[:-1], (blocks[-1][0], True)]
    return blocks


def _thought_blocks(thoughts: Sequence[Thought]) -> Iterator[Json]:
    """Only signed thoughts: others are refused, because they come from somewhere else."""
    for thought in thoughts:
        if thought.signature is None:
            continue
        if thought.signature.startswith(REDACTED):
            yield {"type": "redacted_thinking", "data": thought.signature.removeprefix(REDACTED)}
        else:
            yield {"type": "thinking", "thinking": thought.text, "signature": thought.signature}


def _call_block(call: ToolCall) -> Json:
    return {"type": "tool_use", "id": call_id(call.id), "name": call.name, "input": _object(call.arguments)}


def _object(arguments: str) -> Json:
    """Arguments as an object, which is all that is accepted; what is none is shown to the model as it was."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"unreadable_arguments": repair_text(arguments)}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}
