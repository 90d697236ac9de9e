"""Events out of lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_a_blank_line_that_comes_in_halves_ends_an_event():
    """The LF of a CRLF in a packet of its own swallowed the blank line after it: two events became one."""
    ends = read(b"data: one\r", b"\n", b"\n", b"data: two\n\n")
    assert ends == [Event("", b"one"), Event("", b"two")]


line_ends = st.sampled_from([b"\n", b"\r\n", b"\r"])
wholes = st.lists(
    st.builds(
        lambda fields, end: end.join([*fields, b"", b""]),
        st.lists(st.sampled_from([b"data: 1", b"data:2", b"event: e", b": c"]), min_size=1, max_size=3),
        line_ends,
    ),
    min_size=1,
    max_size=4,
).map(b"".join)


@given(whole=wholes, cuts=st.sets(st.integers(0, 120)))
def test_it_does_not_matter_where_packets_are_cut(whole: bytes, cuts: set[int]):
    places = sorted(cut for cut in cuts if cut < len(whole))
    packets = [whole[a:b] for a, b in zip([0, *places], [*places, len(whole)], strict=True)]
    single = [bytes([byte]) for byte in whole]
    assert read(*packets) == read(*single) == read(whole)


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
