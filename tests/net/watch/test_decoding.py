"""Compressed copies are read as far as they go, and never beyond the limit."""

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

from workbench.net.watch.copies import Growing, TooLarge, Undecodable, decoded

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
    assert decoded(body, ", ".join(names).upper(), LIMIT) == plain


@EACH
def test_a_bomb_stops_at_the_limit(name: str):
    """0.3 MB of gzip once grew a process to 1.26 GB."""
    bomb = ENCODERS[name](bytes(20_000_000))
    tracemalloc.start()
    with pytest.raises(TooLarge):
        decoded(bomb, name, LIMIT)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000


@EACH
def test_what_was_cut_off_is_read_as_far_as_it_goes(name: str):
    """An answer that somebody stopped says something all the same."""
    plain = bytes(range(256)) * 300
    found = decoded(ENCODERS[name](plain)[:-10], name, LIMIT)
    assert plain.startswith(found)


@EACH
def test_bytes_that_are_not_in_it(name: str):
    with pytest.raises(Undecodable):
        decoded(b"\x01\x02 this is not compressed at all \xff\xfe" * 9, name, LIMIT)


def test_deflate_without_its_head_as_some_send_it():
    stream = zlib.compressobj(wbits=-15)
    assert decoded(stream.compress(b"plain") + stream.flush(), "deflate", LIMIT) == b"plain"


def test_several_members_of_gzip_are_one_text():
    assert decoded(gzip.compress(b"a") + gzip.compress(b"b"), "gzip", LIMIT) == b"ab"
    plain = [hashlib.shake_256(b"").digest(size) for size in (0, 480, 500, 520, 3_000, 400_000, 0, 1)]
    body = b"\0\0".join(map(gzip.compress, plain)) + b"\0" * 700
    assert decoded(body, "gzip", sum(map(len, plain))) == b"".join(plain)
    with pytest.raises(TooLarge):
        decoded(body, "gzip", sum(map(len, plain)) - 1)


def test_as_many_members_as_there_may_be_are_read_in_a_moment():
    """Each member copied all that stood behind it: 3 MB took a quarter of a minute, 8 MB minutes."""
    before = time.thread_time()
    assert decoded(gzip.compress(b"") * 160_000, "gzip", LIMIT) == b""
    assert time.thread_time() - before < 5  # 0.4 s of the processor


@pytest.mark.parametrize("names", ["compress", "gzip, mystery", "gzip, gzip, gzip, gzip"])
def test_what_nobody_knows(names: str):
    with pytest.raises(Undecodable):
        decoded(b"x", names, LIMIT)


def test_identity_and_nothing_change_nothing():
    assert decoded(b"x", "identity", LIMIT) == decoded(b"x", "", LIMIT) == b"x"
    assert decoded(b"", "gzip", LIMIT) == b""
    with pytest.raises(TooLarge):
        decoded(b"x" * 9, "", 8)


@EACH
@given(plain=st.binary(max_size=3000), size=st.integers(1, 400))
def test_a_body_is_read_while_it_comes(name: str, plain: bytes, size: int):
    body, growing = ENCODERS[name](plain), Growing(name, LIMIT)
    assert b"".join(growing.add(body[at : at + size]) for at in range(0, len(body), size)) == plain


@EACH
def test_a_bomb_that_comes_bit_by_bit_stops_at_the_limit(name: str):
    bomb = ENCODERS[name](bytes(20_000_000))
    growing = Growing(name, LIMIT)
    tracemalloc.start()
    growing.add(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000
    assert growing.add(b"more") == b""


def test_what_cannot_be_read_while_it_comes_is_left_for_the_end():
    assert Growing("mystery", LIMIT).add(b"x") == b""
    growing = Growing("gzip", LIMIT)
    assert [growing.add(b"not gzip"), growing.add(b"more")] == [b"", b""]
