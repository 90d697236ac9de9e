"""What was counted once is not counted again after the store was closed and opened."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.stores import open_store
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import wire
from workbench.engine.build.counters import Counters, keep_counts, recall_counts


class Counting(WordTokenizer):
    """A tokenizer that remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        """Count, and note the text."""
        self.asked.append(text)
        return super().count(text)


def price(counters: Counters) -> int:
    return sum(counters.counter("exact", WORD_MODEL).costs(wire("m", "user", "words to be counted")))


async def counted_again(path: Path) -> list[str]:
    first = Counters(lambda name: WordTokenizer())
    before = price(first)
    store = open_store(path)
    await keep_counts(store, first)
    await keep_counts(store, first)
    await store.close()
    tokenizer = Counting()
    again = Counters(lambda name: tokenizer)
    store = open_store(path)
    await recall_counts(store, again, WORD_MODEL.tokenizer)
    await store.close()
    assert price(again) == before
    return tokenizer.asked


def test_nothing_is_counted_twice(tmp_path: Path):
    assert asyncio.run(counted_again(tmp_path / "history.db")) == []
