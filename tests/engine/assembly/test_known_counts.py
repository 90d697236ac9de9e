"""What was counted once is not counted again after the store was closed and opened."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.stores import open_store
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import user, wire
from workbench.domain.text import digest_bytes
from workbench.engine.assembly.counters import Counters, keep_counts, known_counts
from workbench.engine.conversation import Conversation


class Counting(WordTokenizer):
    """A tokenizer that remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        """Count, and note the text."""
        self.asked.append(text)
        return super().count(text)


WORDS = "words to be counted, and some more of them " * 3
TALK = Conversation("talk", history=(user("m", WORDS),))


def price(counters: Counters) -> int:
    return sum(counters.counter("exact", WORD_MODEL).costs(wire("m", "user", WORDS)))


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
    await store.save_counts(WORD_MODEL.tokenizer, {number.to_bytes(32): 1 for number in range(99)})
    again.learn(WORD_MODEL.tokenizer, await known_counts(store, WORD_MODEL.tokenizer, TALK))
    await store.close()
    assert price(again) == before
    # Of all that is kept, only what this chat is made of came into memory.
    assert set(again._memo(WORD_MODEL.tokenizer).counts) == {digest_bytes(WORDS), digest_bytes("user")}
    return tokenizer.asked


def test_nothing_is_counted_twice(tmp_path: Path):
    """A single word that is not known loads the tokenizer, a third of a second in which the window stands still."""
    assert asyncio.run(counted_again(tmp_path / "history.db")) == []
