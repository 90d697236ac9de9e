"""The right counter for a model and a setting; what was counted once is remembered across turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

from workbench.context.counting import CharsCounter, RfcCounter, TokenizerCounter
from workbench.context.memo import CountMemo
from workbench.domain.model_card import ModelCard
from workbench.domain.preferences import CounterName
from workbench.ports import TokenCounter, Tokenizer


class Counters:
    """Hands out counters; each is made once, so that what it counted stays known."""

    def __init__(self, load_tokenizer: Callable[[str], Tokenizer]) -> None:
        self._load = load_tokenizer
        self._memos: dict[str, CountMemo] = {}
        self._exact: dict[ModelCard, TokenizerCounter] = {}

    def counter(self, name: CounterName, card: ModelCard) -> TokenCounter:
        """The counter that the settings ask for."""
        match name:
            case "exact":
                return self._tokenizing(card)
            case "rfc":
                return RfcCounter()
            case "chars4":
                return CharsCounter()
            case _:
                assert_never(name)

    def learn(self, encoding: str, counts: Mapping[bytes, int]) -> None:
        """Know counts that were kept from earlier."""
        self._memo(encoding).counts.update(counts)

    def take_new(self) -> dict[str, dict[bytes, int]]:
        """What was counted since this was asked last, by encoding."""
        taken = {encoding: memo.take_new() for encoding, memo in self._memos.items()}
        return {encoding: counts for encoding, counts in taken.items() if counts}

    def _tokenizing(self, card: ModelCard) -> TokenizerCounter:
        if card not in self._exact:
            self._exact[card] = TokenizerCounter(self._memo(card.tokenizer), card)
        return self._exact[card]

    def _memo(self, encoding: str) -> CountMemo:
        if encoding not in self._memos:
            self._memos[encoding] = CountMemo(self._load(encoding))
        return self._memos[encoding]
