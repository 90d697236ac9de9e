"""Lines out of packets, wherever those were cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.providers.wire.events import LineReader
from workbench.providers.wire.faults import TooBig


def read(*pieces: bytes, longest_bytes: int = 100) -> list[bytes]:
    reader = LineReader(longest_bytes)
    return [line for piece in pieces for line in reader.feed(piece)] + [reader.rest()]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_all_line_ends_are_known(end: bytes):
    assert read(end.join([b"one", b"", b"two", b""])) == [b"one", b"", b"two", b""]


@given(text=st.text("ab\r\n", max_size=12), cuts=st.lists(st.integers(0, 12), max_size=4))
def test_it_does_not_matter_where_packets_are_cut(text: str, cuts: list[int]):
    """A line end of two characters may come in two packets, and is still one line end."""
    encoded, places = text.encode(), sorted(cuts)
    pieces = [encoded[a:b] for a, b in zip([0, *places], [*places, len(encoded)], strict=True)]
    assert read(*pieces) == read(encoded)


def test_half_a_line_end_alone_in_a_packet_is_used_once():
    """The LF of a CRLF came alone, and the LF of the blank line after it was taken for the same one."""
    assert read(b"one\r", b"\n", b"\n", b"two") == [b"one", b"", b"two"]


@given(text=st.text("ab\r\n", max_size=12))
def test_packets_of_one_byte_each_give_the_same_lines(text: str):
    encoded = text.encode()
    assert read(*(bytes([byte]) for byte in encoded)) == read(encoded)


def test_a_byte_order_mark_is_dropped_at_the_start_only():
    assert read(b"\xef\xbb", b"\xbfone\n\xef\xbb\xbftwo") == [b"one", b"\xef\xbb\xbftwo"]


@pytest.mark.parametrize(
    "pieces", [(b"x" * 101,), (b"x",) * 101, (b"\n" + b"x" * 101 + b"\n",), (b"\n" + b"x" * 101,)]
)
def test_a_line_that_does_not_end_is_refused(pieces: tuple[bytes, ...]):
    with pytest.raises(TooBig):
        read(*pieces)


def test_the_longest_line_is_read():
    assert read(b"x" * 100 + b"\n" + b"y" * 100) == [b"x" * 100, b"y" * 100]
