"""Damaged copies of good inputs: bytes changed anywhere, and JSON changed where it stays JSON."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 2**63, 10**400, 1e308, -0.0, "", " ", "\x00", "\ud800", "x" * 5_000, "\u202e", "a\nb",
    "../..", [], {}, [[]], [None], {"": None}, {"type": "text"}, [{}] * 50,
)  # fmt: skip
TOKENS = (
    b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u", b"\\ud83c", b"\x00", b"\xff", b"\xed\xa0\x80", b"\r\n\r\n", b"\n\n",
    b"data: ", b"event: ", b"[DONE]", b"null", b"NaN", b"1e999", b"-", b"9" * 400, b"```", b"[^1]", b"](", b"<!--",
    b"&#", b"@read ", b"#", b"%00", b"\xe2\x80\xae", b"Content-Length: 99\r\n", b"Transfer-Encoding: chunked\r\n",
    b"=" * 80, b"\xef\xbb\xbf",
)  # fmt: skip


def mutated(seeds: Sequence[bytes], choice: random.Random) -> bytes:
    """A good input, damaged in one to several places."""
    content = choice.choice(seeds)
    if choice.random() < 0.5:
        content = _json_changed(content, choice) or content
    for _ in range(choice.choice((0, 1, 1, 2, 8))):
        content = _bytes_changed(content, seeds, choice)
    return content


def _bytes_changed(content: bytes, seeds: Sequence[bytes], choice: random.Random) -> bytes:
    place = choice.randrange(len(content) + 1)
    end = min(len(content), place + choice.choice((1, 2, 8, 64, 1024)))
    match choice.randrange(8):
        case 0:
            return content[:place] + bytes([choice.randrange(256)]) + content[place + 1 :]
        case 1:
            return content[:place] + content[end:]
        case 2:
            return content[:end] + content[place:end] * choice.choice((1, 3, 50)) + content[end:]
        case 3:
            return content[:place] + choice.choice(TOKENS) + content[place:]
        case 4:
            return content[:place]
        case 5:
            other = choice.choice(seeds)
            return content[:place] + other[choice.randrange(len(other) + 1) :]
        case 6:
            deep = choice.choice((b"[", b'{"a":', b"<a>", b"> ", b"- ", b"(", b"**"))
            return content[:place] + deep * choice.choice((10, 1_000)) + content[place:]
        case _:
            flipped = bytearray(content)
            for _ in range(min(4, len(content))):
                flipped[choice.randrange(len(content))] ^= 1 << choice.randrange(8)
            return bytes(flipped)


def _json_changed(content: bytes, choice: random.Random) -> bytes | None:
    """The same with something else in one place of its JSON, or of the JSON in one of its lines."""
    try:
        return _dumped(_tree_changed(json.loads(content), choice))
    except (ValueError, RecursionError, UnicodeEncodeError):
        pass
    lines = content.split(b"\n")
    places = [place for place, line in enumerate(lines) if b"{" in line]
    if not places:
        return None
    place = choice.choice(places)
    head, brace, rest = lines[place].partition(b"{")
    try:
        lines[place] = head + _dumped(_tree_changed(json.loads(brace + rest), choice))
    except (ValueError, RecursionError, UnicodeEncodeError):
        return None
    return b"\n".join(lines)


def _dumped(value: object) -> bytes:
    return json.dumps(value).encode()


def _tree_changed(value: Any, choice: random.Random) -> Any:
    if isinstance(value, dict) and value and choice.random() < 0.85:
        key = choice.choice(list(value))
        match choice.randrange(12):
            case 0:
                return {name: one for name, one in value.items() if name != key}
            case 1:
                return {**value, choice.choice(("", "type", "id", "content", "x" * 300)): choice.choice(ODD)}
            case _:
                return {**value, key: _tree_changed(value[key], choice)}
    if isinstance(value, list) and value and choice.random() < 0.85:
        place = choice.randrange(len(value))
        match choice.randrange(10):
            case 0:
                return value[:place] + value[place + 1 :]
            case 1:
                return value + value[place : place + 1] * choice.choice((1, 30))
            case _:
                return [*value[:place], _tree_changed(value[place], choice), *value[place + 1 :]]
    return choice.choice(ODD)
