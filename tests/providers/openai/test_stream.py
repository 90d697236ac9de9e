"""From bytes to parts: what ends an answer, and how long its last numbers are waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests.fakes.answers import question
from tests.fakes.loop import in_loop
from workbench.domain.answer import Finished, TextGrew, UsageReported
from workbench.domain.request import Timeouts
from workbench.domain.usage import Usage
from workbench.providers.harness.harness import EndSeen, RawPart
from workbench.providers.openai.stream import OnChunk, answer_parts, document_in, is_completion
from workbench.providers.wire.faults import NotAStream, SaidError
from workbench.providers.wire.transport import Caps

TEXT = b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n'
REASON = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'
USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 1}}\n\n'
DONE = b"data: [DONE]\n\n"


async def pieces(*parts: bytes | float | Exception) -> AsyncGenerator[bytes, None]:
    for part in parts:
        if isinstance(part, Exception):
            raise part
        if isinstance(part, float):
            await asyncio.sleep(part)
        else:
            yield part


async def read(*parts: bytes | float | Exception, on_chunk: OnChunk | None = None) -> list[RawPart]:
    request = question(timeouts=Timeouts(idle_s=0.4))
    return [part async for part in answer_parts(pieces(*parts), request, Caps(), on_chunk)]


@in_loop
async def test_a_reason_or_done_ends_an_answer():
    whole = [TextGrew("a"), EndSeen(), Finished("stop")]
    assert await read(TEXT, REASON, DONE) == whole
    assert await read(TEXT, REASON) == whole
    assert await read(TEXT, DONE) == [TextGrew("a"), Finished(None)]


@in_loop
async def test_without_either_there_is_no_end():
    """What was used is known all the same: a cut answer was counted as nothing."""
    assert await read(TEXT, USAGE) == [TextGrew("a"), UsageReported(Usage(1))]


@in_loop
async def test_usage_before_the_first_word_is_told_with_it():
    assert await read(USAGE, TEXT) == [UsageReported(Usage(1)), TextGrew("a")]


@in_loop
async def test_usage_after_the_reason_is_waited_for():
    parts = await read(TEXT, REASON, 0.05, USAGE, DONE)
    assert parts[-2:] == [UsageReported(Usage(1)), Finished("stop")]


@pytest.mark.parametrize("late", [60.0, ConnectionResetError(), b"data: {broken\n\n", b"\xff\xfe\n\n"])
def test_nothing_that_follows_the_reason_can_spoil_the_answer(late: bytes | float | Exception):
    assert asyncio.run(read(TEXT, REASON, late))[-1] == Finished("stop")


@in_loop
async def test_after_done_nothing_is_read():
    assert await read(TEXT, DONE, TEXT, ConnectionResetError()) == [TextGrew("a"), Finished(None)]


@in_loop
async def test_every_chunk_is_shown_as_it_came():
    seen: list[dict[str, Any]] = []
    await read(TEXT, REASON, USAGE, DONE, on_chunk=seen.append)
    assert [chunk["choices"] for chunk in seen][-1] == []
    assert len(seen) == 3


@in_loop
async def test_an_event_named_error_is_one():
    with pytest.raises(SaidError) as said:
        await read(b'event: error\ndata: {"message": "m"}\n\n')
    assert said.value.said == {"error": {"message": "m"}}


@pytest.mark.parametrize("content_type", ["text/event-stream; charset=utf-8", "", "text/plain"])
def test_a_stream_passes(content_type: str):
    assert asyncio.run(document_in(content_type, pieces(TEXT), is_completion)) is None


@pytest.mark.parametrize(
    ("content_type", "body"), [("text/html", b"<p>"), ("application/json", b'{"choices": []}')]
)
def test_a_page_or_a_document_does_not(content_type: str, body: bytes):
    with pytest.raises(NotAStream) as fault:
        asyncio.run(document_in(content_type, pieces(body), is_completion))
    assert fault.value.body == body


def test_a_document_that_is_an_error_is_told_as_one():
    with pytest.raises(SaidError):
        asyncio.run(document_in("application/json", pieces(b'{"error": {"message": "m"}}'), is_completion))
