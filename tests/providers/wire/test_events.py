"""Events out of lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.providers.wire.events import Event, LineReader, events
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


# Lines out of packets, wherever those were cut.


def read_lines(*pieces: bytes, longest_bytes: int = 100) -> list[bytes]:
    reader = LineReader(longest_bytes)
    return [line for piece in pieces for line in reader.feed(piece)] + [reader.rest()]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_all_line_ends_are_known(end: bytes):
    assert read_lines(end.join([b"one", b"", b"two", b""])) == [b"one", b"", b"two", b""]


@given(text=st.text("ab\r\n", max_size=12), cuts=st.lists(st.integers(0, 12), max_size=4))
def test_it_does_not_matter_where_packets_are_cut_lines(text: str, cuts: list[int]):
    """A line end of two characters may come in two packets, and is still one line end."""
    encoded, places = text.encode(), sorted(cuts)
    pieces = [encoded[a:b] for a, b in zip([0, *places], [*places, len(encoded)], strict=True)]
    assert read_lines(*pieces) == read_lines(encoded)


def test_half_a_line_end_alone_in_a_packet_is_used_once():
    """The LF of a CRLF came alone, and the LF of the blank line after it was taken for the same one."""
    assert read_lines(b"one\r", b"\n", b"\n", b"two") == [b"one", b"", b"two"]


@given(text=st.text("ab\r\n", max_size=12))
def test_packets_of_one_byte_each_give_the_same_lines(text: str):
    encoded = text.encode()
    assert read_lines(*(bytes([byte]) for byte in encoded)) == read_lines(encoded)


def test_a_byte_order_mark_is_dropped_at_the_start_only():
    assert read_lines(b"\xef\xbb", b"\xbfone\n\xef\xbb\xbftwo") == [b"one", b"\xef\xbb\xbftwo"]


@pytest.mark.parametrize(
    "pieces", [(b"x" * 101,), (b"x",) * 101, (b"\n" + b"x" * 101 + b"\n",), (b"\n" + b"x" * 101,)]
)
def test_a_line_that_does_not_end_is_refused(pieces: tuple[bytes, ...]):
    with pytest.raises(TooBig):
        read_lines(*pieces)


def test_the_longest_line_is_read():
    assert read_lines(b"x" * 100 + b"\n" + b"y" * 100) == [b"x" * 100, b"y" * 100]
