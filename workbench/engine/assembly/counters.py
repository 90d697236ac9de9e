"""Token counters by model and setting; counts are cached across turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import assert_never, get_args

from workbench.context.count.calibration import CalibratedCounter
from workbench.context.count.counting import CharsCounter, RfcCounter, TokenizerCounter
from workbench.context.count.memo import CountMemo
from workbench.context.count.served import SUMS, ServedCounter, ServedCounts
from workbench.domain.message import Message, Role
from workbench.domain.model import Calibration, ModelCard
from workbench.domain.settings.context_settings import CounterName
from workbench.domain.text import digest_bytes
from workbench.engine.conversation import Conversation
from workbench.ports.counting import TokenCounter, Tokenizer
from workbench.ports.history import HistoryStore

SERVED = "server:"  # a tokenizer of this name is the model's own server
_FALLBACK = "o200k_base"

_AS_COUNTED = Calibration()
_ROLES: tuple[Role, ...] = get_args(Role)


def counted_alike(card: ModelCard) -> str:
    """Key of models that share counts: the provider and the name."""
    return f"{card.provider}/{card.name}"


class Counters:
    """Provides counters, each created once so that its cache is shared."""

    def __init__(self, load_tokenizer: Callable[[str], Tokenizer]) -> None:
        self._load = load_tokenizer
        self._memos: dict[str, CountMemo] = {}
        self._exact: dict[ModelCard, TokenizerCounter] = {}
        self._calibrations: dict[str, Calibration] = {}
        self._served_counts: dict[str, ServedCounts] = {}
        self._served: dict[str, ServedCounter] = {}

    def counter(self, name: CounterName, card: ModelCard) -> TokenCounter:
        match name:
            case "exact":
                return self.served(card) or self._tokenizing(card)
            case "rfc":
                return RfcCounter()
            case "chars4":
                return CharsCounter(card.pictures)
            case _:
                assert_never(name)

    def served(self, card: ModelCard) -> ServedCounter | None:
        """The counter that learns from the model's server, if it has one; shared by tokenizer name."""
        if not card.tokenizer.startswith(SERVED):
            return None
        if card.tokenizer not in self._served:
            fallback = TokenizerCounter(self._memo(_FALLBACK), card)
            self._served[card.tokenizer] = ServedCounter(self._counts_of(card.tokenizer), fallback)
        return self._served[card.tokenizer]

    def is_estimate(self, name: CounterName, card: ModelCard) -> bool:
        """Whether the model's tokenizer is unknown, so that reported usage can correct our counts."""
        return name == "exact" and not card.exact and not card.tokenizer.startswith(SERVED)

    def ratio(self, name: CounterName, card: ModelCard) -> float | None:
        """Present correction factor of a model's estimates; None if its counts are exact."""
        if not self.is_estimate(name, card):
            return None
        return self._calibrations.get(counted_alike(card), _AS_COUNTED).ratio

    def calibrate(self, alike: str, calibration: Calibration) -> bool:
        """Correct the counts of all models that share them; return whether any changed.

        That one report more says the same changes none: counters, and every request counted by them, stay.
        """
        before = self._calibrations.get(alike)
        if before is not None and (before.ratio, before.spread) == (calibration.ratio, calibration.spread):
            return False
        self._calibrations[alike] = calibration
        for card in [card for card in self._exact if counted_alike(card) == alike]:
            del self._exact[card]
        return True

    def let_go(self) -> None:
        """Hold no messages any more, only counts: a chat was closed."""
        for counter in self._exact.values():
            counter.let_go()

    def learn(self, encoding: str, counts: Mapping[bytes, int]) -> None:
        if encoding.startswith(SERVED):
            self._counts_of(encoding).recall(counts)
        else:
            self._memo(encoding).counts.know(counts)

    def load_tokenizer(self, card: ModelCard) -> None:
        """Load the tokenizer of a model, which a request whose counts are all in the store did without."""
        self._load(_FALLBACK if card.tokenizer.startswith(SERVED) else card.tokenizer).count(" ")

    def take_new(self) -> dict[str, dict[bytes, int]]:
        taken = {encoding: memo.take_new() for encoding, memo in self._memos.items()}
        taken |= {encoding: counts.take_new() for encoding, counts in self._served_counts.items()}
        return {encoding: counts for encoding, counts in taken.items() if counts}

    def copy(self, card: ModelCard) -> Counters:
        """A copy for one model, for use in a thread: it has the cached counts and changes nothing here."""
        other = Counters(self._load)
        other._calibrations = dict(self._calibrations)
        served = self.served(card)
        encoding = card.tokenizer if served is None else _FALLBACK
        memo = other._memos[encoding] = self._memo(encoding).copy()
        if served is not None:
            counts = other._served_counts[card.tokenizer] = self._counts_of(card.tokenizer).copy(memo)
            other._served[card.tokenizer] = served.copy(counts, TokenizerCounter(memo, card))
        return other

    def merge(self, apart: Counters) -> None:
        """Merge the counts and misses of a copy made by `copy`."""
        for encoding, memo in apart._memos.items():
            self._memo(encoding).merge(memo)
        for encoding, served in apart._served_counts.items():
            for text in served.missing():
                self._counts_of(encoding).known(text)

    def _tokenizing(self, card: ModelCard) -> TokenizerCounter:
        found = self._exact.get(card)
        if found is None:
            memo, learnt = self._memo(card.tokenizer), self._calibrations.get(counted_alike(card))
            estimated = learnt is not None and self.is_estimate("exact", card)
            found = self._exact[card] = (
                CalibratedCounter(memo, card, learnt)
                if estimated and learnt is not None
                else TokenizerCounter(memo, card)
            )
        return found

    def _counts_of(self, encoding: str) -> ServedCounts:
        if encoding not in self._served_counts:
            self._served_counts[encoding] = ServedCounts(self._memo(_FALLBACK))
        return self._served_counts[encoding]

    def _memo(self, encoding: str) -> CountMemo:
        if encoding not in self._memos:
            self._memos[encoding] = CountMemo(self._load(encoding))
        return self._memos[encoding]


# Token counts that outlive the program: what was counted once is known when a chat is opened again.


async def known_counts(
    store: HistoryStore, encoding: str, conversation: Conversation, draft: str = ""
) -> Mapping[bytes, int]:
    """The stored counts of the texts of a conversation and its draft, for the counter of an encoding to learn.

    What a server counted stands with the words around it, which only the server knows: of that the sums come, and
    each count where a request lacks it.
    """
    served = encoding.startswith(SERVED)
    digests = list(SUMS) if served else [digest_bytes(text) for text in _texts_of(conversation, draft)]
    return await store.counts(encoding, digests)


async def recall_missing(store: HistoryStore, counter: ServedCounter, encoding: str) -> None:
    """Load stored server counts of the texts a counter lacks."""
    missing = counter.missing()
    if missing:
        counter.recall(await store.counts(encoding, [digest_bytes(text) for text in missing]))


def _texts_of(conversation: Conversation, draft: str) -> Iterator[str]:
    """Texts that the next request is likely to have, short ones too: the first that is unknown loads the tokenizer."""
    said = (entry.text if isinstance(entry, Message) else entry.body for entry in conversation.said)
    sent = () if conversation.previous is None else conversation.previous.envelope.messages
    wired = ((one.lead, one.text) for message in sent for one in message.segments)
    yield from dict.fromkeys(chain(_ROLES, (draft,), said, chain.from_iterable(wired)))


async def keep_counts(store: HistoryStore, counters: Counters) -> None:
    """Store the counts made since the last call."""
    for encoding, counts in counters.take_new().items():
        await store.save_counts(encoding, counts)
