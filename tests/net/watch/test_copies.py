"""Copies for looking stay within their limits, and say why they cannot be read."""

from __future__ import annotations

import gzip

import pytest

from workbench.domain.watch.exchange import Exchange, Unread, WatchedFormat
from workbench.net.watch.copies import AT_ONCE, MOST_END, Copy, Passing, Room


def passing(
    body: bytes, path: str = "/v1/messages", known: WatchedFormat | None = "anthropic", encoding: str = ""
) -> Passing:
    room = Room()
    made = Passing(Exchange(1, known, "POST", path, 0.0), Copy(room, 1000), Copy(room, 1000), encoding)
    made.request.add(body)
    return made


def test_a_copy_counts_all_and_holds_what_finds_room():
    room = Room(100)
    small, large = Copy(room, 60), Copy(room, 60)
    small.add(b"x" * 50)
    large.add(b"y" * 30)
    large.add(b"y" * 40)
    large.add(b"y")
    assert (large.size, large.whole, room.left) == (71, False, 20)
    assert (small.taken(), large.taken(), room.left) == (b"x" * 50, b"y" * 30, 100)


def test_of_a_request_that_is_too_large_nothing_is_held():
    room = Room(100)
    copy = Copy(room, 60, entire=True)
    copy.add(b"x" * 50)
    copy.add(b"x" * 50)
    assert (copy.size, copy.whole, room.left, copy.taken()) == (100, False, 100, b"")


@pytest.mark.parametrize(
    ("made", "unread"),
    [
        (passing(b'{"a": 1}'), ""),
        (passing(gzip.compress(b'{"a": 1}'), encoding="gzip"), ""),
        (passing(b"<a/>"), "not_json"),
        (passing(b""), "not_json"),
        (passing(b"x" * 1001), "too_large"),
        (passing(b"x", encoding="mystery"), "encoding"),
        (passing(b"not gzip", encoding="gzip"), "encoding"),
        (passing(b"{}", "/v1/else", None), "unknown_path"),
        (passing(b"{}", "/v1/messages/count_tokens?beta=true", None), ""),
        (passing(b"", "/", None), ""),
    ],
)
def test_why_a_request_could_not_be_read(made: Passing, unread: Unread):
    exchange = made.exchange()
    assert exchange.unread == unread
    assert exchange.request in (b"", b"{}", b'{"a": 1}', b"<a/>")


def test_an_answer_is_read_as_far_as_it_was_kept():
    made = passing(b"{}")
    made.answer_encoding = "gzip"
    made.answer.add(gzip.compress(b"data: 1\n\n" * 100)[:-8])
    made.answer.add(b"z" * 5000)
    assert b"data: 1\n\n" in made.exchange().answer


def test_of_an_answer_that_is_too_large_the_beginning_and_the_end_are_kept():
    """What it cost stands at its end."""
    room = Room()
    made = Passing(Exchange(1, "openai", "POST", "/", 0.0), Copy(room, 1000), Copy(room, 1000))
    numbers = [f"{number:07}\n".encode() for number in range(200_000)]
    for one in numbers:
        made.answer.add(one)
    exchange = made.exchange()
    whole = b"".join(numbers)
    assert (exchange.answer_cut, exchange.answer, exchange.answer_bytes) == (True, whole[:1000], len(whole))
    assert exchange.answer_end == whole[-MOST_END:]
    assert room.left == Room().left
    small = passing(b"{}")
    small.answer.add(b"{}")
    assert (small.exchange().answer_cut, small.exchange().answer_end) == (False, b"")


def test_a_key_in_a_body_is_not_copied():
    """Providers call tool servers by themselves: their keys stand in the request."""
    body = b'{"mcp_servers": [{"url": "https://x", "authorization_token": "s3cret-1"}], "messages": []}'

    assert b"s3cret-1" not in passing(body).exchange().request
    assert b"s3cret-1" not in passing(gzip.compress(body), encoding="gzip").exchange().request


def test_an_answer_is_read_while_it_passes_and_once_more_at_its_end():
    made = passing(b"{}")
    made.answer_encoding = "gzip"
    body = gzip.compress(b"data: 1\n\n" * 100)
    made.answer.add(body[:20])
    first = made.more()
    made.awaited = True
    made.answer.add(body[20:])
    rest = made.more()
    assert first + rest == b"data: 1\n\n" * 100
    assert (made.more(), made.awaited) == (b"", False)
    assert made.exchange().answer == b"data: 1\n\n" * 100


def test_a_request_is_read_before_its_answer_and_its_room_is_given_back_at_the_end():
    made = passing(b'{"a": 1}')
    room = made.request._room
    assert made.begun().request == b'{"a": 1}'
    held = room.left
    assert made.exchange().request == b'{"a": 1}'
    assert (held, room.left) == (room.left - 8, Room().left)


def test_much_at_once_is_read_in_pieces():
    made = passing(b"{}")
    made.answer = Copy(Room(), 10 * AT_ONCE)
    for _ in range(3):
        made.answer.add(b"x" * AT_ONCE)
    assert [len(made.more()) for _ in range(4)] == [AT_ONCE, AT_ONCE, AT_ONCE, 0]
