"""Events out of lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from workbench.providers.wire.events import Event, events
from workbench.providers.wire.faults import CutOff, TooBig


async def pieces(*parts: bytes) -> AsyncGenerator[bytes, None]:
    for part in parts:
        yield part


def read(*parts: bytes, longest_bytes: int = 100) -> list[Event]:
    async def all_of_them() -> list[Event]:
        return [event async for event in events(pieces(*parts), longest_bytes)]

    return asyncio.run(all_of_them())


def test_an_event_is_its_data():
    assert read(b"data: one\n\ndata:two\n\n") == [Event("", b"one"), Event("", b"two")]


def test_an_event_of_several_lines_is_joined():
    assert read(b"event: named\r\ndata: one\r\ndata: two\r\n\r\n") == [Event("named", b"one\ntwo")]


def test_comments_other_fields_and_blank_lines_say_nothing():
    assert read(b": comment\n\n\nid: 1\nretry: 5\nwhatever\nevent: lonely\n\ndata: x\n\n") == [
        Event("", b"x")
    ]


@pytest.mark.parametrize("last", [b"data: [DONE]", b"data: [DONE]\n", b'data: {"a": 1}', b'data: {"a": 1}\n'])
def test_a_whole_last_event_needs_no_blank_line(last: bytes):
    assert [event.content for event in read(last)] == [last.strip().removeprefix(b"data: ")]


def test_half_a_last_event_is_a_cut():
    with pytest.raises(CutOff):
        read(b'data: {"a": ')


def test_an_event_that_does_not_end_is_refused():
    with pytest.raises(TooBig):
        read(*[b"data: xxxxxxxxxx\n"] * 11)
