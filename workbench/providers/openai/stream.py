"""Streams an OpenAI-compatible answer from bytes to parts: what ends it, and how long final usage is awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterator
from contextlib import aclosing, suppress
from typing import Any

from workbench.domain.reading.loose_json import table_in, tables_in
from workbench.domain.request import ModelRequest
from workbench.providers.harness.harness import EndSeen, RawPart
from workbench.providers.openai.chunks import ChunkReader
from workbench.providers.wire.events import DONE, Event, events
from workbench.providers.wire.faults import NotAStream, SaidError
from workbench.providers.wire.strict_json import parse_json, parse_object
from workbench.providers.wire.transport import Caps

OnChunk = Callable[[dict[str, Any]], None]

# Usage follows the finish reason at once; a server that keeps the line open after it must not hold the answer up.
_LAST_WORDS_S = 2.0
_DOCUMENTS = ("text/html", "application/json", "application/problem+json", "application/xml", "text/xml")


async def answer_parts(
    pieces: AsyncIterable[bytes], request: ModelRequest, caps: Caps, on_chunk: OnChunk | None
) -> AsyncGenerator[RawPart, None]:
    """Yields the parts of one answer; without a finish reason or [DONE] it has no end."""
    reader, until = ChunkReader(request), None
    async with aclosing(events(pieces, caps.line_bytes)) as arriving:
        while (event := await _next(arriving, until)) is not None:
            if event.content.strip() == DONE:
                reader.finished = True
                break
            for part in _read(event, reader, on_chunk):
                yield part
            if reader.finished and until is None:
                yield EndSeen()
                until = asyncio.get_running_loop().time() + min(_LAST_WORDS_S, request.timeouts.idle_s / 2)
    if reader.finished:
        for part in reader.end():
            yield part


async def document_in(
    content_type: str, pieces: AsyncIterable[bytes], is_answer: Callable[[dict[str, Any]], bool]
) -> dict[str, Any] | None:
    """Returns an answer that was not streamed; None where a stream follows. Anything else is raised as an error.

    Some servers and gateways never stream.
    """
    if not content_type.lower().startswith(_DOCUMENTS):
        return None
    body = b"".join([piece async for piece in pieces])
    said = None
    with suppress(Exception):  # a page is no JSON
        said = parse_json(body)
    if isinstance(said, dict) and said.get("error"):
        raise SaidError(said)
    if isinstance(said, dict) and is_answer(said):
        return said
    raise NotAStream(content_type, body)


def is_completion(document: dict[str, Any]) -> bool:
    """Tells whether a document is a complete chat completion or text completion."""
    return any("message" in choice or "text" in choice for choice in tables_in(document, "choices"))


def whole_parts(
    document: dict[str, Any], request: ModelRequest, on_chunk: OnChunk | None
) -> Iterator[RawPart]:
    """Yields the parts of an unstreamed answer, read as the only chunk of a stream."""
    reader = ChunkReader(request)
    for choice in document["choices"]:
        if isinstance(choice, dict):
            message = table_in(choice, "message")
            calls = [{"index": place, **call} for place, call in enumerate(tables_in(message, "tool_calls"))]
            choice["delta"] = {**message, "tool_calls": calls}
    if on_chunk is not None:
        on_chunk(document)
    yield from reader.read(document)
    yield from reader.end()


async def _next(arriving: AsyncGenerator[Event, None], until: float | None) -> Event | None:
    """Returns the next event; once the answer is finished, an error is only the end of the stream."""
    if until is None:
        return await anext(arriving, None)
    with suppress(Exception):
        async with asyncio.timeout_at(until):
            return await anext(arriving, None)
    return None


def _read(event: Event, reader: ChunkReader, on_chunk: OnChunk | None) -> list[RawPart]:
    """Returns the parts of an event; after the end, errors are ignored."""
    if not reader.finished:
        chunk = parse_object(event.content)
        if event.name == "error" and not chunk.get("error"):
            raise SaidError({"error": chunk})
        if on_chunk is not None:
            on_chunk(chunk)
        return list(reader.read(chunk))
    with suppress(Exception):
        chunk = parse_object(event.content)
        if on_chunk is not None:
            on_chunk(chunk)
        return list(reader.read(chunk))
    return []
