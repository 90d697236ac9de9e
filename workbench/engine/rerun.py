"""Replays a chat's turns under a variant; only the requests that others depend on are built.

A request leaves three things to the next one: what of history is cut, what is in the library, and what a log goes on
from. While a chat only grows and fits, none of them changes; where it grows too large, what is cut is found without
building the request.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile, islice
from typing import NamedTuple, TypeGuard

from workbench.context.assemble import Assembly, CutsAhead, cuts_ahead
from workbench.context.assembly.memory import BuildMemory
from workbench.context.assembly.references import held_copies
from workbench.context.cache.forecast import MOST_HELD, Beginnings
from workbench.domain.change import Built
from workbench.domain.envelope import TrimState, WireMessage
from workbench.domain.message import Entry, Message
from workbench.domain.model import ModelCard
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.turn import TurnInputs
from workbench.domain.variant import Variant
from workbench.engine.assembly.prepare import (
    Ask,
    Builder,
    BuiltTurn,
    Prepared,
    ask_again,
    build_turn,
    is_cold,
    make_sendable,
    prepare_turn,
)
from workbench.engine.conversation import Conversation, after_turn, age_between

_MERGED_TOKENS = 4
"""What a request may cost more or less than its texts say: tokens can merge across the border of two."""
_FRAME_TOKENS = 6
"""The most that a message costs besides its text."""

Turn = tuple[Hashable, TurnInputs, str]
"""A turn as its caller calls it, what it started from, and when it was sent."""


Prepare = Callable[[Conversation, Ask, Builder], Prepared]


class _Passed(NamedTuple):
    """A turn whose request was not built: when it and the one before were sent, and what was cut until then.

    `begun` is the turn whose request its log goes on from, where that was not built either.
    """

    asked: TurnInputs
    at: str
    before: str | None
    trim: TrimState
    begun: _Passed | None


@dataclass(slots=True)
class Rerun:
    """A chat's turns replayed under one variant, from the first one on; replayed turns are not replayed again.

    Attributes:
        conversation: where it stands: what is cut by now, and the last request that was built.
        played: which turns were played, as the caller calls them.
        built: how many of their requests had to be built.
        at_once: how many texts are counted in one go where one has to be; fewer where others wait for the thread.
    """

    builder: Builder
    variant: Variant
    at_once: int = 512
    conversation: Conversation = field(default_factory=lambda: Conversation(""))
    played: list[Hashable] = field(default_factory=list)
    built: int = 0
    _memory: BuildMemory = field(init=False)
    _beginnings: Beginnings = field(default_factory=Beginnings)
    _said: dict[str, WireMessage] = field(init=False)
    _at: str | None = None
    _last: tuple[TurnInputs, BuiltTurn] | None = None
    _growth: _Growth | None = None
    _passed: list[_Passed] = field(default_factory=list)
    _begun: _Passed | None = None
    _ahead: CutsAhead | None = None
    _over: tuple[ContextSettings, ContextSettings] | None = None

    def __post_init__(self) -> None:
        # Most of what was said is prepared already where the chat itself is shown.
        self._memory = self.builder.memory.copy()
        self._said = self._memory.said()

    def play(self, turns: Sequence[TurnInputs], times: Sequence[str]) -> Prepared:
        """Replay all turns but the last; return the request of the last one."""
        for number, (asked, at) in enumerate(zip(turns[:-1], times, strict=False)):
            self.take(number, asked, at)
        return self.ask(turns[-1], times[-1])

    def go_on(self, turns: Iterable[Turn]) -> int:
        """Replay turns until a request has to be built, or to the end; return how many were replayed."""
        before = len(self.played)
        any(self.take(*turn) for turn in turns)
        return len(self.played) - before

    def take(self, key: Hashable, asked: TurnInputs, at: str) -> bool:
        """Replay one turn; return whether history had to be cut or the request built."""
        turn = _Passed(asked, at, self._at, self.conversation.trim, self._begun)
        growth = self._growth if self._is_continuation(asked, at) else None
        over = None if growth is None else growth.over_by(asked)
        fits = growth is not None and over is not None and over <= -growth.margin
        passed: _Passed | None = turn if fits else None
        if not fits and growth is not None and over is not None:
            passed = self._cut(turn, growth, over)
        if passed is None:
            self._build([turn])
        self._passed = [] if passed is None else [*self._passed[1 - MOST_HELD :], passed]
        self.played.append(key)
        self._at = at
        return not fits

    def ask(self, asked: TurnInputs, at: str | None) -> Prepared:
        """Build a request after the replayed turns, without advancing."""
        # What a cache holds are the requests right before this one.
        self._build(self._passed[-self._cached_requests(asked) :])
        self._passed = []
        return prepare_turn(*self._ask(asked, at, self._at))

    def build_all(
        self, requests: Iterable[TurnInputs], prepare: Prepare = prepare_turn
    ) -> Iterator[Prepared]:
        """Replay one turn and build each of its requests: where tools ran, one before each answer of the model."""
        standing = self.conversation
        for asked in requests:
            prepared = prepare(*self._ask(asked, None, None))
            yield prepared
            # What was cut stays cut while tools run, and each request goes on from the one before.
            built = prepared.built
            standing = after_turn(self.conversation, built, ())
            self.conversation = replace(
                self.conversation, trim=built.envelope.cuts.trim, current=built, previous=built
            )
        self.conversation = replace(standing, current=None)

    def card(self, asked: TurnInputs) -> ModelCard:
        """The model card that a turn is built with."""
        return _card(self.variant, asked, self._variant_settings(asked), self.builder)

    def _variant_settings(self, asked: TurnInputs) -> ContextSettings:
        """A turn's settings under the variant, cached by the original settings."""
        if self._over is None or self._over[0] is not asked.settings:
            self._over = asked.settings, self.variant.apply_to_settings(asked.settings)
        return self._over[1]

    def _cached_requests(self, asked: TurnInputs) -> int:
        """Number of earlier requests to compare with: a newer one also has every beginning that older ones share."""
        rules = self.builder.cache_rules(self.card(asked))
        return 1 if rules is None or rules.newest_only or rules.match == "prefix" else MOST_HELD

    def _build(self, turns: Iterable[_Passed]) -> None:
        """Build the requests of some turns, each after the one that its log continues."""
        last = None
        for turn in turns:
            if turn.begun is not None and turn.begun is not last:
                self._build_one(turn.begun)
            last = turn.begun or turn
            self._build_one(turn)

    def _build_one(self, turn: _Passed) -> None:
        asked, at, before, trim, _ = turn
        self.conversation = replace(self.conversation, trim=trim)
        made = build_turn(*self._ask(asked, at, before))
        built = made.built
        self.conversation = after_turn(self.conversation, built, (), at)
        self.built += 1
        self._last = (asked, made)
        self._begun = self._ahead = self._growth = None
        if built.inputs.library == self.conversation.library and _is_plain(built):
            self._growth = _Growth(self, self._said, built)

    def _cut(self, turn: _Passed, growth: _Growth, over: int) -> _Passed | None:
        """Cut history as a turn would; None if the turn changes more than that for the next ones."""
        # A log is begun anew where it is over its limit as it grew, whatever it would be then.
        if self._last is None or (growth.log and not (over > growth.margin and growth.counter.additive)):
            return None
        made, asked, builder = self._last[1], turn.asked, self.builder
        if self._ahead is None:
            assembly = Assembly(growth.counter, builder.renderers, self._memory)
            self._ahead = cuts_ahead(made.sendable, assembly, made.built)
        # All else is as in the request that was built: the chat has only grown.
        inputs = replace(
            made.built.inputs, turn=asked.turn, history=asked.tuning.edited(asked.history),
            question=asked.question, now=asked.now, cold=False, trim=self.conversation.trim,
        )  # fmt: skip
        sendable, _ = make_sendable(inputs, builder)
        cut, tokens = self._ahead.cut(sendable)
        plain = cut.placements is self._ahead.placements and not (cut.pruned or cut.trim.fitted)
        if not plain or tokens > made.built.envelope.budget.window_tokens:
            return None
        self.conversation = replace(self.conversation, trim=cut.trim)
        growth.go_on_from(turn.asked, tokens)
        if growth.log:
            turn = self._begun = turn._replace(begun=None)
        return turn

    def _ask(
        self, asked: TurnInputs, at: str | None, before: str | None
    ) -> tuple[Conversation, Ask, Builder]:
        """Inputs of a turn's request."""
        card, age_s = self.card(asked), age_between(before, at)
        cold = asked.cold or is_cold(self.builder.cache_rules(card), age_s)
        inputs = replace(self.variant.apply_to(asked, self._variant_settings(asked)), model=card, cold=cold)
        standing, ask = ask_again(inputs, self.conversation, age_s)
        # Who builds for it may be another one by now.
        return standing, ask, replace(self.builder, memory=self._memory, beginnings=self._beginnings)

    def _is_continuation(self, asked: TurnInputs, at: str) -> bool:
        """Whether a turn differs from the last one built only by messages added since."""
        if self._growth is None or self._last is None or not _grows_only(self._last[0], asked):
            return False
        return not is_cold(self._growth.rules, age_between(self._at, at))


class _Growth:
    """Estimates the size of a request while its chat grows; texts are counted only when it matters."""

    def __init__(self, rerun: Rerun, said: Mapping[str, WireMessage], built: Built) -> None:
        builder, inputs, envelope = rerun.builder, built.inputs, built.envelope
        self.rules = builder.cache_rules(inputs.model)
        self.counter = builder.counters.counter(inputs.settings.counter, inputs.model)
        self.margin = self.counter.total(_MERGED_TOKENS)
        self.log = envelope.layout != "layered"
        self._limit = envelope.budget.limit_tokens
        # All that can be cut is cut then, and what only grows does not come to fit.
        self._stays = envelope.over_by_tokens > 0
        self._builder, self._control_tokens = builder, inputs.model.control_tokens
        self._as_written = builder.guard.is_idle and builder.neutraliser.is_idle(self._control_tokens)
        self._said, self._at_once = said, rerun.at_once
        self._asked: Message | None = None
        self._ahead: Iterator[WireMessage] | None = None
        self.go_on_from(inputs, envelope.total_tokens)

    def go_on_from(self, asked: TurnInputs, tokens: int) -> None:
        """Reset to the size of a built request; its question is the first message added since."""
        question = 0 if asked.question is None else self._cost(asked.question)
        self._tokens = tokens - self.counter.total(question)
        self._counted, self._most = len(asked.history), 0
        self._uncounted: list[Message] = []

    def over_by(self, asked: TurnInputs) -> int | None:
        """Tokens by which a request exceeds its limit, within the margin; None if it must be built to tell."""
        if self._stays:
            return -self.margin
        question = asked.question
        if question is None or (asked.now is not None and self.log):
            return None  # each question of a log has its own time
        new = [*filter(self._is_text, asked.history[self._counted :])]
        if self._counted + len(new) < len(asked.history) or not self._is_text(question):
            return None
        self._counted, self._asked = len(asked.history), question
        for one in new:
            known = self._wire_message(one)
            costs = None if known is None else self.counter.known_costs(known)
            if costs is None:
                self._uncounted.append(one)
                self._most += _most_tokens(one)
            else:
                self._tokens += self.counter.total(sum(costs))
        most = self.counter.total(self._most + _most_tokens(question))
        if self._tokens + most > self._limit - self.margin:
            # A text has at most as many tokens as bytes, and usually a quarter of that.
            self._tokens += self.counter.total(sum(map(self._cost, self._uncounted)))
            self._uncounted, self._most = [], 0
            most = self.counter.total(self._cost(question))
        return self._tokens + most - self._limit

    def _is_text(self, entry: Entry) -> TypeGuard[Message]:
        """Whether an entry is plain text that is sent unchanged, so that its cost is that of its text."""
        if entry is self._asked:
            return True
        if not isinstance(entry, Message) or entry.images or entry.tool_calls:
            return False
        if entry.role not in ("user", "assistant"):
            return False
        if self._as_written:
            return True
        neutraliser, guard = self._builder.neutraliser, self._builder.guard
        for text in entry.texts:
            if neutraliser.would_change(text, self._control_tokens) or guard.would_change(text):
                return False
        return True

    def _count_on(self, first: WireMessage) -> None:
        """Count a message and some after it in one batch, which is faster than one per turn."""
        if self._ahead is None:
            self._ahead = dropwhile(lambda one: one is not first, iter(self._said.values()))
        self.counter.count_ahead([*islice(self._ahead, self._at_once)])

    def _wire_message(self, entry: Message) -> WireMessage | None:
        """The message as the shown chat sends it, if its text is all there is."""
        known = self._said.get(entry.id)
        if known is None or not known.is_one_text or (known.segments[0].text,) != entry.texts:
            return None
        return known

    def _cost(self, entry: Message) -> int:
        message = self._wire_message(entry)
        if message is not None and self.counter.known_costs(message) is None:
            self._count_on(message)
        if message is None:
            segments = tuple(Segment(entry.id, "L4_STRIP", "message", text, "") for text in entry.texts)
            message = WireMessage(entry.id, entry.role, segments)
        return sum(self.counter.costs(message)) if message.segments else 0


def variant_card(variant: Variant, asked: TurnInputs, builder: Builder) -> ModelCard:
    """Model card of a turn under a variant: the turn's own, or that of the model the variant names."""
    return _card(variant, asked, variant.apply_to_settings(asked.settings), builder)


def _card(variant: Variant, asked: TurnInputs, settings: ContextSettings, builder: Builder) -> ModelCard:
    card = builder.catalogue.find(settings.model) if "model" in variant.settings else asked.model
    return card.lasting(settings.cache_lifetime)


def _grows_only(before: TurnInputs, now: TurnInputs) -> bool:
    """Whether a turn differs from an earlier one only by messages added since."""
    said, known = now.history, before.history
    return (
        len(said) > len(known)
        and (not known or said[len(known) - 1] is known[-1] or said[: len(known)] == known)
        and (before.settings, before.model, before.tuning) == (now.settings, now.model, now.tuning)
        and before.attached == now.attached
        and not (now.cold or now.rebuild or now.found or now.rounds or now.tool_results)
    )


def _is_plain(built: Built) -> bool:
    """Whether all of a request was sent: no segment waits for room."""
    inputs, cuts = built.inputs, built.envelope.cuts
    caps = inputs.settings.history
    recalls = inputs.found or inputs.always_recalled
    changing = recalls or inputs.rounds or inputs.tool_results or inputs.tuning.summaries
    if built.envelope.over_by_tokens > 0:
        return not changing and all(one.essential for one in held_copies(built.envelope))
    return not (
        changing
        or cuts.pruned
        or (cuts.forced and cuts.compacted)
        or caps.last_n_messages is not None
        or caps.max_tokens is not None
        or inputs.settings.attachment_budget_tokens is not None
    )


def _most_tokens(entry: Message) -> int:
    most = _FRAME_TOKENS
    for text in entry.texts:
        most += len(text) if text.isascii() else 4 * len(text)  # in UTF-8 a character has at most four bytes
    return most
