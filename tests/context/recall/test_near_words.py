"""The table of near words: what was packed comes out, what is damaged is refused, and the one we ship is whole."""

from __future__ import annotations

import hashlib
import tracemalloc

import pytest

from workbench.context.recall.near_words import HEAD, NearWords, NearWordsBroken, packed
from workbench.sources.resources import resource_path

TABLE = {"boat": [("ship", 0.8), ("sea", 0.4)], "sea": [], "ship": [("boat", 1.0)]}


def test_what_was_packed_comes_out():
    near = NearWords(packed(TABLE))
    assert len(near) == 3
    assert [(word, round(part, 2)) for word, part in near.of("boat")] == TABLE["boat"]
    assert (near.of("sea"), near.of("ship")) == ([], [("boat", 1.0)])
    assert [near.of(word) for word in ("", "a", "boa", "zebra", "上海", "\ud800")] == [()] * 6


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:-1], lambda data: data[:-1] + b"\7"])
def test_a_damaged_table_is_refused(damage):
    with pytest.raises(NearWordsBroken, match="Recall works without it"):
        NearWords(damage(packed(TABLE)))


def test_ours_is_whole_packed_and_knows_what_people_mean():
    data = resource_path("near-words.bin").read_bytes()
    tracemalloc.start()
    near = NearWords(memoryview(data))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert HEAD.unpack_from(data)[1] == hashlib.sha256(data[HEAD.size :]).digest()
    assert len(data) + most < 10_000_000
    assert "vehicle" in dict(near.of("car"))
    assert all(0 < part <= 1 for word in ("car", "flight", "doctor") for _, part in near.of(word))
