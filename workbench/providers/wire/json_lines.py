"""A stream of JSON objects, one a line."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from typing import Any

from workbench.providers.wire.faults import CutOff, Garbled
from workbench.providers.wire.lines import LineReader
from workbench.providers.wire.strict_json import parse_object


async def json_objects(
    pieces: AsyncIterable[bytes], longest_bytes: int
) -> AsyncGenerator[dict[str, Any], None]:
    """Every object, in order; blank lines say nothing."""
    lines = LineReader(longest_bytes)
    async for piece in pieces:
        for line in lines.feed(piece):
            if line.strip():
                yield parse_object(line)
    last = _last_object(lines.rest())
    if last is not None:
        yield last


def _last_object(rest: bytes) -> dict[str, Any] | None:
    """The object before the end of the stream, if it is whole."""
    if not rest.strip():
        return None
    try:
        return parse_object(rest)
    except Garbled:
        pass
    raise CutOff
