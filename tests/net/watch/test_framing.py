"""Where messages begin and end in a stream of bytes."""

from __future__ import annotations

import h11
import pytest

from workbench.net.watch.passage import LONGEST_HEAD, RequestFraming, Seen, answer_framing


def test_a_request_byte_by_byte_and_what_follows_it():
    framing = RequestFraming()
    head, body = (
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"2;a=b\r\nhi\r\n0\r\n\r\n",
    )
    assert [framing.begin(bytes([one])) for one in head] == [False] * (len(head) - 1) + [True]
    assert framing.beginning() == (b"", Seen(b"", 0))
    seen = [framing.see(bytes([one])) for one in body[:-1]]
    assert b"".join(one.body for one in seen) == b"hi"
    last = framing.see(body[-1:] + b"GET")
    assert (framing.over, last.used, framing.behind) == (True, 1, b"GET")


def test_what_came_with_the_head():
    framing = RequestFraming()
    assert framing.begin(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhiGET / ")
    raw, seen = framing.beginning()
    assert (raw, seen.body, seen.used, framing.behind) == (b"hiGET / ", b"hi", 2, b"GET / ")


def test_a_body_that_is_none_goes_on_as_it_came():
    framing = RequestFraming()
    assert framing.begin(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
    raw, seen = framing.beginning()
    assert (framing.lost, seen.used) == (True, len(raw))
    assert framing.see(b"more").used == 4


def test_a_head_without_end_is_refused():
    with pytest.raises(h11.ProtocolError):
        RequestFraming().begin(b"GET / HTTP/1.1\r\nX: " + b"x" * (LONGEST_HEAD + 1))


def test_an_answer_without_a_length_ends_with_the_connection():
    framing = answer_framing(b"GET")
    assert framing.see(b"HTTP/1.1 200 OK\r\n\r\nall").body == b"all"
    assert not framing.over
    framing.see(b"")
    assert framing.over


def test_an_answer_that_stops_short_is_not_over():
    framing = answer_framing(b"GET")
    framing.see(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nall")
    framing.see(b"")
    assert (framing.over, framing.lost) == (False, True)


def test_a_body_of_known_length_is_counted_and_not_copied():
    """An answer of fifty megabytes was copied three times on its way."""
    framing = answer_framing(b"POST")
    first = framing.see(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
    assert (first.body, framing.over) == (b"ab", False)
    piece = b"cdefg"
    assert framing.see(piece).body is piece
    last = framing.see(b"hijNEXT")
    assert (last.body, last.used, framing.over, framing.behind) == (b"hij", 3, True, b"NEXT")


def test_a_body_that_ends_too_early_is_lost():
    framing = answer_framing(b"POST")
    framing.see(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
    assert framing.see(b"").body == b""
    assert (framing.over, framing.lost) == (False, True)
