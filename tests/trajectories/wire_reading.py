"""Reads requests as an outsider would: only from the messages on the wire, with nothing of the program's own code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
import tiktoken

Json = dict[str, Any]
ENCODINGS = Path(__file__).resolve().parents[2] / "resources" / "encodings"
QUESTION_LABEL = "[User query]:\n"
_END = -1
_OPENING = re.compile(r'<([a-z_]+)((?: [a-z_]+="[^"\n]*")*) fence="([0-9a-f]+)">\n')
_ATTRIBUTE = re.compile(r' ([a-z_]+)="([^"\n]*)"')
_ESCAPED = re.compile(r"&(?:(amp|lt|gt|quot)|#([0-9]+));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"'}


def classify(before: Sequence[Json], after: Sequence[Json]) -> str:
    """What became of a request: the whole list of messages and, where it is the last, a text that only grew."""
    old, new = [_without_id(one) for one in before], [_without_id(one) for one in after]
    if old == new:
        return "identical"
    if new[: len(old)] == old:
        return "extended"
    if old[: len(new)] == new:
        return "shrunk"
    *start, last = old
    if new[: len(start)] == start and len(new) > len(start) and _grew(last, new[len(start)]):
        return "extended"
    return "diverged"


def _grew(old: Json, new: Json) -> bool:
    plain = set(old) == {"role", "content"} and old["role"] == new["role"]
    texts = isinstance(old["content"], str) and isinstance(new["content"], str)
    return plain and texts and new["content"].startswith(old["content"])


def _without_id(message: Json) -> Json:
    return {name: value for name, value in message.items() if name != "id"}


@cache
def encoding(name: str) -> tiktoken.Encoding:
    """tiktoken's own encoding, from the rank files in the checkout."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(ENCODINGS))
        return tiktoken.get_encoding(name)


def request_tokens(messages: Sequence[Json], name: str = "o200k_base") -> list[int]:
    """The request in OpenAI's chat format: an opening and an end a message, and one more opening for the answer.

    An opening is 3 tokens (start, role, separator), taken as a whole: two of different roles have nothing in common.
    """
    encode = encoding(name).encode_ordinary
    tokens: list[int] = []
    for message in messages:
        tokens += [*_opening(message["role"]), *encode(message["content"]), _END]
    return [*tokens, *_opening("assistant")] if messages else []


def _opening(role: str) -> list[int]:
    number = -10 * (1 + ("system", "user", "assistant", "tool").index(role))
    return [number, number - 1, number - 2]


def common_prefix(before: Sequence[int], after: Sequence[int]) -> int:
    """How many tokens both start with."""
    pairs = zip(before, after, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


@dataclass(frozen=True)
class Block:
    """A fenced block as it stands on the wire."""

    tag: str
    attributes: dict[str, str]
    body: str


@dataclass(frozen=True)
class Read:
    """What a reader finds in a text: blocks, lines between them, and the question after its label."""

    blocks: tuple[Block, ...]
    lines: tuple[str, ...]
    question: str | None

    @property
    def bodies(self) -> list[tuple[str, str]]:
        """Source and body of every block."""
        return [(b.attributes.get("source") or b.attributes.get("id", b.tag), b.body) for b in self.blocks]


def read_wire(text: str) -> Read:
    """Walk a text by the fence rule alone: an opening line, and its body up to the closing line of its fence."""
    blocks: list[Block] = []
    lines: list[str] = []
    position = 0
    while position < len(text):
        if text.startswith(QUESTION_LABEL, position):
            return Read(tuple(blocks), tuple(lines), text[position + len(QUESTION_LABEL) :])
        opening = _OPENING.match(text, position)
        if opening is None:
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            lines.append(text[position:end])
            position = end + 1
            continue
        tag, attributes, fence = opening.groups()
        body_end, position = _closing(text, opening.end(), f"</{tag} {fence}>\n")
        body = text[opening.end() : body_end]
        blocks.append(Block(tag, dict(_attributes(attributes)), body.removesuffix("\n")))
    return Read(tuple(blocks), tuple(lines), None)


def _closing(text: str, start: int, closing: str) -> tuple[int, int]:
    """Where the closing line begins, and where it ends; it begins where a line begins."""
    at = start if text.startswith(closing, start) else text.index("\n" + closing, start) + 1
    return at, at + len(closing)


def _attributes(written: str) -> Iterator[tuple[str, str]]:
    for name, value in _ATTRIBUTE.findall(written):
        yield name, _ESCAPED.sub(lambda found: _NAMED.get(found[1]) or chr(int(found[2])), value)
