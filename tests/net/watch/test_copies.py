"""Copies for looking stay within their limits, and say why they cannot be read."""

from __future__ import annotations

import gzip
import hashlib
import time
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.watch.exchange import Exchange, Unread, WatchedFormat
from workbench.net.watch.copies import (
    AT_ONCE,
    MOST_END,
    Copy,
    CopyBudget,
    Passing,
    StreamDecoder,
    TooLarge,
    Undecodable,
    decode_body,
)


def passing(
    body: bytes, path: str = "/v1/messages", known: WatchedFormat | None = "anthropic", encoding: str = ""
) -> Passing:
    room = CopyBudget()
    made = Passing(Exchange(1, known, "POST", path, 0.0), Copy(room, 1000), Copy(room, 1000), encoding)
    made.request.add(body)
    return made


def test_a_copy_counts_all_and_holds_what_finds_room():
    room = CopyBudget(100)
    small, large = Copy(room, 60), Copy(room, 60)
    small.add(b"x" * 50)
    large.add(b"y" * 30)
    large.add(b"y" * 40)
    large.add(b"y")
    assert (large.size, large.whole, room.left) == (71, False, 20)
    assert (small.release(), large.release(), room.left) == (b"x" * 50, b"y" * 30, 100)


def test_of_a_request_that_is_too_large_nothing_is_held():
    room = CopyBudget(100)
    copy = Copy(room, 60, entire=True)
    copy.add(b"x" * 50)
    copy.add(b"x" * 50)
    assert (copy.size, copy.whole, room.left, copy.release()) == (100, False, 100, b"")


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
    room = CopyBudget()
    made = Passing(Exchange(1, "openai", "POST", "/", 0.0), Copy(room, 1000), Copy(room, 1000))
    numbers = [f"{number:07}\n".encode() for number in range(200_000)]
    for one in numbers:
        made.answer.add(one)
    exchange = made.exchange()
    whole = b"".join(numbers)
    assert (exchange.answer_cut, exchange.answer, exchange.answer_bytes) == (True, whole[:1000], len(whole))
    assert exchange.answer_end == whole[-MOST_END:]
    assert room.left == CopyBudget().left
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
    assert (held, room.left) == (room.left - 8, CopyBudget().left)


def test_much_at_once_is_read_in_pieces():
    made = passing(b"{}")
    made.answer = Copy(CopyBudget(), 10 * AT_ONCE)
    for _ in range(3):
        made.answer.add(b"x" * AT_ONCE)
    assert [len(made.more()) for _ in range(4)] == [AT_ONCE, AT_ONCE, AT_ONCE, 0]


# Compressed copies are read as far as they go, and never beyond the limit.


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda plain: brotli.compress(plain, quality=1),
    "zstd": zstandard.ZstdCompressor().compress,
}
EACH = pytest.mark.parametrize("name", ENCODERS)
LIMIT = 100_000


@given(st.binary(max_size=3000), st.lists(st.sampled_from(sorted(ENCODERS)), max_size=3))
def test_one_over_the_other(plain: bytes, names: list[str]):
    body = plain
    for name in names:
        body = ENCODERS[name](body)
    assert decode_body(body, ", ".join(names).upper(), LIMIT) == plain


@EACH
def test_a_bomb_stops_at_the_limit(name: str):
    """0.3 MB of gzip once grew a process to 1.26 GB."""
    bomb = ENCODERS[name](bytes(20_000_000))
    tracemalloc.start()
    with pytest.raises(TooLarge):
        decode_body(bomb, name, LIMIT)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000


@EACH
def test_what_was_cut_off_is_read_as_far_as_it_goes(name: str):
    """An answer that somebody stopped says something all the same."""
    plain = bytes(range(256)) * 300
    found = decode_body(ENCODERS[name](plain)[:-10], name, LIMIT)
    assert plain.startswith(found)


@EACH
def test_bytes_that_are_not_in_it(name: str):
    with pytest.raises(Undecodable):
        decode_body(b"\x01\x02 this is not compressed at all \xff\xfe" * 9, name, LIMIT)


def test_deflate_without_its_head_as_some_send_it():
    stream = zlib.compressobj(wbits=-15)
    assert decode_body(stream.compress(b"plain") + stream.flush(), "deflate", LIMIT) == b"plain"


def test_several_members_of_gzip_are_one_text():
    assert decode_body(gzip.compress(b"a") + gzip.compress(b"b"), "gzip", LIMIT) == b"ab"
    plain = [hashlib.shake_256(b"").digest(size) for size in (0, 480, 500, 520, 3_000, 400_000, 0, 1)]
    body = b"\0\0".join(map(gzip.compress, plain)) + b"\0" * 700
    assert decode_body(body, "gzip", sum(map(len, plain))) == b"".join(plain)
    with pytest.raises(TooLarge):
        decode_body(body, "gzip", sum(map(len, plain)) - 1)


def test_as_many_members_as_there_may_be_are_read_in_a_moment():
    """Each member copied all that stood behind it: 3 MB took a quarter of a minute, 8 MB minutes."""
    before = time.thread_time()
    assert decode_body(gzip.compress(b"") * 160_000, "gzip", LIMIT) == b""
    assert time.thread_time() - before < 5  # 0.4 s of the processor


@pytest.mark.parametrize("names", ["compress", "gzip, mystery", "gzip, gzip, gzip, gzip"])
def test_what_nobody_knows(names: str):
    with pytest.raises(Undecodable):
        decode_body(b"x", names, LIMIT)


def test_identity_and_nothing_change_nothing():
    assert decode_body(b"x", "identity", LIMIT) == decode_body(b"x", "", LIMIT) == b"x"
    assert decode_body(b"", "gzip", LIMIT) == b""
    with pytest.raises(TooLarge):
        decode_body(b"x" * 9, "", 8)


@EACH
@given(plain=st.binary(max_size=3000), size=st.integers(1, 400))
def test_a_body_is_read_while_it_comes(name: str, plain: bytes, size: int):
    body, growing = ENCODERS[name](plain), StreamDecoder(name, LIMIT)
    assert b"".join(growing.add(body[at : at + size]) for at in range(0, len(body), size)) == plain


@EACH
def test_a_bomb_that_comes_bit_by_bit_stops_at_the_limit(name: str):
    bomb = ENCODERS[name](bytes(20_000_000))
    growing = StreamDecoder(name, LIMIT)
    tracemalloc.start()
    growing.add(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000
    assert growing.add(b"more") == b""


def test_what_cannot_be_read_while_it_comes_is_left_for_the_end():
    assert StreamDecoder("mystery", LIMIT).add(b"x") == b""
    growing = StreamDecoder("gzip", LIMIT)
    assert [growing.add(b"not gzip"), growing.add(b"more")] == [b"", b""]
