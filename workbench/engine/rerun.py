"""A chat's turns played again under a variant; turns that change nothing for those after them are passed by.

A request leaves three things to the next one: what of history is cut, what is in the library, and what a log goes on
from. While a chat only grows and fits, none of them changes, so its requests need not be built.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from workbench.context.assemble import layout_of
from workbench.context.assembly.memory import BuildMemory
from workbench.context.cache.forecast import MOST_HELD, Beginnings
from workbench.domain.caching.rules import CacheRules
from workbench.domain.change import Built
from workbench.domain.envelope import WireMessage
from workbench.domain.message import Entry, Message
from workbench.domain.models.model import ModelCard
from workbench.domain.segment import Segment
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.turn import TurnInputs
from workbench.domain.variant import Variant
from workbench.engine.assembly.prepare import Ask, Builder, Prepared, build_turn, is_cold, prepare_turn
from workbench.engine.conversation import Conversation, after_turn, age_between
from workbench.ports.counting import TokenCounter

_QUESTION_TOKENS = 16
"""What the question may cost beyond its text and its frame: a label, because something stands before it."""
_FRAME_TOKENS = 6
"""The most that a message costs besides its text."""

Turn = tuple[Hashable, TurnInputs, str]
"""A turn as its caller calls it, what it started from, and when it was sent."""


@dataclass(slots=True)
class Rerun:
    """A chat's turns under one variant, from its first turn on; what was played stays played.

    Attributes:
        conversation: where it stands after the last request that was built.
        played: which turns were played, as the caller calls them.
        built: how many of their requests had to be built.
    """

    builder: Builder
    variant: Variant
    conversation: Conversation = field(default_factory=lambda: Conversation(""))
    played: list[Hashable] = field(default_factory=list)
    built: int = 0
    _memory: BuildMemory = field(init=False)
    _at: str | None = None
    _last: tuple[TurnInputs, Built] | None = None
    _settled: bool = False
    _tokens: int = 0
    _counted: int = 0
    _most: int = 0
    _uncounted: list[Entry] = field(default_factory=list)
    _passed: list[tuple[TurnInputs, str, str | None]] = field(default_factory=list)
    _over: tuple[ContextSettings, ContextSettings] | None = None
    _counter: TokenCounter | None = None
    _rules: CacheRules | None = None

    def __post_init__(self) -> None:
        # Most of what was said is prepared already where the chat itself is shown.
        self._memory = self.builder.memory.apart()

    def play(self, turns: Sequence[TurnInputs], times: Sequence[str]) -> Prepared:
        """Play all turns but the last; the request of that one."""
        for number, (asked, at) in enumerate(zip(turns[:-1], times, strict=False)):
            self.take(number, asked, at)
        return self.ask(turns[-1], times[-1])

    def go_on(self, turns: Iterable[Turn]) -> int:
        """Go on until a request has to be built, or to the end; how many turns that were."""
        before = len(self.played)
        any(self.take(*turn) for turn in turns)
        return len(self.played) - before

    def take(self, key: Hashable, asked: TurnInputs, at: str) -> bool:
        """Go on by one turn; whether its request had to be built."""
        passes = self._passes_by(asked, at)
        if passes:
            self._passed = [*self._passed[1 - MOST_HELD :], (asked, at, self._at)]
        else:
            self._build(asked, at, self._at)
            self._passed = []
        self.played.append(key)
        self._at = at
        return not passes

    def ask(self, asked: TurnInputs, at: str | None) -> Prepared:
        """A request after the turns that were played; nothing goes on from it."""
        # What a cache holds are the requests right before this one.
        for passed in self._passed[-self._held(asked) :]:
            self._build(*passed)
        self._passed = []
        return prepare_turn(*self._ask(asked, at, self._at))

    def card(self, asked: TurnInputs) -> ModelCard:
        """The model that a turn is built for."""
        return _card(self.variant, asked, self._settings(asked), self.builder)

    def _settings(self, asked: TurnInputs) -> ContextSettings:
        """A turn's settings under the variant; worked out once for all turns that have the same."""
        if self._over is None or self._over[0] is not asked.settings:
            self._over = asked.settings, self.variant.over(asked.settings)
        return self._over[1]

    def _held(self, asked: TurnInputs) -> int:
        """How many requests have to be looked at: a beginning that two share, the newest of them has, too."""
        rules = self.builder.cache_rules(self.card(asked))
        return 1 if rules is None or rules.newest_only or rules.match == "prefix" else MOST_HELD

    def _build(self, asked: TurnInputs, at: str, before: str | None) -> None:
        built = build_turn(*self._ask(asked, at, before)).built
        self.conversation = after_turn(self.conversation, built, (), at)
        self.built += 1
        self._last = (asked, built)
        self._counter = self.builder.counters.counter(built.inputs.settings.counter, built.inputs.model)
        self._rules = self.builder.cache_rules(built.inputs.model)
        self._settled = built.inputs.library == self.conversation.library and _is_plain(built)
        self._counted, self._uncounted, self._most = len(asked.history), [], 0
        # Its question is the first of what will have been said since.
        self._tokens = built.envelope.total_tokens - built.envelope.layer("L5_USER").total_tokens

    def _ask(
        self, asked: TurnInputs, at: str | None, before: str | None
    ) -> tuple[Conversation, Ask, Builder]:
        """What the request of a turn is built from."""
        inputs = self.variant.of(asked, self._settings(asked))
        card = self.card(asked)
        builder = replace(self.builder, memory=self._memory, beginnings=Beginnings())
        age_s = age_between(before, at)
        cold = inputs.cold or is_cold(builder.cache_rules(card), age_s)
        standing = replace(
            self.conversation, id=inputs.conversation, turn=inputs.turn - 1, history=inputs.history,
            attached=inputs.attached, tuning=inputs.tuning,
        )  # fmt: skip
        ask = Ask(
            inputs.settings, inputs.question, inputs.now, inputs.tool_results, inputs.rounds, card, cold,
            inputs.rebuild, age_s, inputs.found,
        )  # fmt: skip
        return standing, ask, builder

    def _passes_by(self, asked: TurnInputs, at: str) -> bool:
        """Whether a turn leaves everything as the last request that was built left it."""
        if self._last is None:
            return False
        before, built = self._last
        inputs = built.inputs
        if not (self._settled and _grows_only(before, asked)) or self._is_cold(at):
            return False
        if built.envelope.over_by_tokens > 0:
            return True  # all that can be cut is cut, and what only grows does not come to fit
        if asked.now is not None and layout_of(inputs.settings, inputs.model) != "layered":
            return False  # each question of a log has its own time
        budget = built.envelope.budget
        limit = budget.window_tokens if budget.threshold_tokens is None else budget.threshold_tokens
        return self._fits(asked, inputs, min(limit, budget.window_tokens))

    def _fits(self, asked: TurnInputs, inputs: TurnInputs, limit: int) -> bool:
        """Whether a request that only grew is within a limit, whatever else it may cost than its texts."""
        new = asked.history[self._counted :]
        card = inputs.model
        if asked.question is None or not all(self._is_text(one, card) for one in (*new, asked.question)):
            return False
        self._counted = len(asked.history)
        self._uncounted += new
        self._most += sum(map(_most_tokens, new))
        counter = self._counter or self.builder.counters.counter(inputs.settings.counter, card)
        limit -= counter.total(_QUESTION_TOKENS)
        if self._tokens + counter.total(self._most + _most_tokens(asked.question)) <= limit:
            return True
        # A text has at most as many tokens as bytes, and usually a quarter of that: it is counted when it matters.
        self._tokens += counter.total(sum(_cost(one, counter) for one in self._uncounted))
        self._uncounted, self._most = [], 0
        return self._tokens + counter.total(_cost(asked.question, counter)) <= limit

    def _is_text(self, entry: Entry, card: ModelCard) -> bool:
        """Whether an entry costs what its text does, and goes out as it was written."""
        builder = self.builder
        return (
            isinstance(entry, Message)
            and not (entry.images or entry.tool_calls)
            and entry.role in ("user", "assistant")
            and builder.redactor is None
            and not any(
                builder.neutraliser.would_change(text, card.control_tokens)
                or builder.guard.would_change(text)
                for text in entry.texts
            )
        )

    def _is_cold(self, at: str) -> bool:
        return is_cold(self._rules, age_between(self._at, at))


def variant_card(variant: Variant, asked: TurnInputs, builder: Builder) -> ModelCard:
    """The model of a turn under a variant: its own as it was then, or the one that the variant names."""
    return _card(variant, asked, variant.over(asked.settings), builder)


def _card(variant: Variant, asked: TurnInputs, settings: ContextSettings, builder: Builder) -> ModelCard:
    card = builder.catalogue.find(settings.model) if "model" in variant.settings else asked.model
    return card.lasting(settings.cache_lifetime)


def _grows_only(before: TurnInputs, now: TurnInputs) -> bool:
    """Whether a turn differs from an earlier one by what was said since, and by nothing else."""
    said, known = now.history, before.history
    return (
        len(said) > len(known)
        and (not known or said[len(known) - 1] is known[-1] or said[: len(known)] == known)
        and (before.settings, before.model, before.tuning) == (now.settings, now.model, now.tuning)
        and before.attached == now.attached
        and not (now.cold or now.rebuild or now.found or now.rounds or now.tool_results)
    )


def _is_plain(built: Built) -> bool:
    """Whether a request was sent as it stands: nothing of it waits to be sent when there is room."""
    inputs, cuts = built.inputs, built.envelope.cuts
    caps = inputs.settings.history
    changing = inputs.rounds or inputs.tool_results or inputs.found or inputs.tuning.summaries
    if built.envelope.over_by_tokens > 0:
        return not changing
    return not (
        changing
        or cuts.pruned
        or (cuts.forced and cuts.compacted)
        or caps.last_n_messages is not None
        or caps.max_tokens is not None
        or inputs.settings.attachment_budget_tokens is not None
    )


def _most_tokens(entry: Entry) -> int:
    texts = entry.texts if isinstance(entry, Message) else ()
    # In UTF-8 a character has at most four bytes.
    return _FRAME_TOKENS + sum(len(text) * (1 if text.isascii() else 4) for text in texts)


def _cost(entry: Entry, counter: TokenCounter) -> int:
    if not isinstance(entry, Message):
        return 0
    segments = tuple(Segment(entry.id, "L4_STRIP", "message", text, "") for text in entry.texts)
    return sum(counter.costs(WireMessage(entry.id, entry.role, segments))) if segments else 0
