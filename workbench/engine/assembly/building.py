"""Builds requests in the event loop, or in a thread if that would block it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from workbench.context.assembly.retype import before_question, keeps_its_prefix, retype
from workbench.domain.envelope import WireMessage
from workbench.domain.turn import TurnInputs
from workbench.engine.assembly.prepare import (
    Ask,
    Builder,
    Prepared,
    forecast_cache,
    make_sendable,
    prepare_turn,
    secrets_in,
)
from workbench.engine.conversation import Conversation, size_of

# Counting takes about 0.2 ms for a thousand characters; everything else for a thousand times as many about 4 ms.
_LONG_NEW_CHARS = 40_000
_LONG_CHARS = 1_500_000


async def prepare_nonblocking(
    conversation: Conversation, ask: Ask, builder: Builder, last: Prepared | None = None
) -> Prepared:
    """What `prepare_turn` gives, byte for byte, built in a thread if it takes long; `last` is an earlier request."""
    if takes_long(conversation, ask, last):
        return await prepare_in_thread(conversation, ask, builder)
    return prepare_turn(conversation, ask, builder)


async def prepare_in_thread(conversation: Conversation, ask: Ask, builder: Builder) -> Prepared:
    """The same, built in a thread; its token counts are then known in the loop, too."""
    card = (ask.card or builder.catalogue.find(ask.settings.model)).lasting(ask.settings.cache_lifetime)
    thread = builder.thread
    apart = replace(
        builder,
        counters=builder.counters.copy(card),
        memory=thread.memory,
        neutraliser=builder.neutraliser.copy(),
        guard=builder.guard.copy(),
    )
    thread.memory.texts = builder.memory.texts
    prepared = await thread.do(partial(_prepare, conversation, ask, apart))
    builder.counters.merge(apart.counters)
    builder.guard.finder.merge(apart.guard.finder)
    return prepared


def _prepare(conversation: Conversation, ask: Ask, builder: Builder) -> Prepared:
    prepared = prepare_turn(conversation, ask, builder)
    for layer in prepared.built.envelope.layers:
        _ = layer.digest  # remembered there; whoever shows the request needs it, and it takes a while
    return prepared


def takes_long(conversation: Conversation, ask: Ask, last: Prepared | None) -> bool:
    """Whether a build would block the loop for about a frame: much to count, or very much to traverse."""
    before = None if last is None else last.built.inputs
    if before is not None and not _counts_alike(before, ask):
        before = None
    return _chars(conversation, ask) > _LONG_CHARS or _new_chars(conversation, ask, before) > _LONG_NEW_CHARS


def is_much_longer(ask: Ask, last: Prepared | None) -> bool:
    """Whether so much text was pasted into the question that counting it takes long."""
    before = None if last is None else last.built.inputs.question
    return size_of(ask.question) - size_of(before) > _LONG_NEW_CHARS


def _counts_alike(before: TurnInputs, ask: Ask) -> bool:
    same_card = ask.card is None or ask.card.tokenizer == before.model.tokenizer
    return same_card and (before.settings.model, before.settings.counter) == (
        ask.settings.model,
        ask.settings.counter,
    )


def _chars(conversation: Conversation, ask: Ask) -> int:
    return conversation.chars + sum(size_of(entry) for entry in (*ask.rounds, ask.question))


def _new_chars(conversation: Conversation, ask: Ask, before: TurnInputs | None) -> int:
    """Number of characters that the previous request did not have."""
    if before is None:
        return _chars(conversation, ask)
    said = {entry.id for entry in (*before.history, *before.rounds)}
    known = {artifact.key: artifact.text for artifact in before.attached}
    known |= {entry.key: entry.latest.text for entry in before.library if entry.key not in known}
    fresh = sum(size_of(entry) for entry in (*conversation.said, *ask.rounds) if entry.id not in said)
    fresh += max(0, size_of(ask.question) - size_of(before.question))
    return fresh + sum(len(text) for key, text in _texts(conversation).items() if known.get(key) != text)


def _texts(conversation: Conversation) -> dict[str, str]:
    texts = {entry.key: entry.latest.text for entry in conversation.library}
    return texts | {artifact.key: artifact.text for artifact in conversation.attached}


class Preview:
    """Keeps the last request, so that a keystroke builds only what it changed.

    Where something had to be cut, the length of the question decides what. Every choice there is whether something is
    over a limit: two questions for which everything around them is the same are so for every length in between.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._last: _Known | None = None
        self._asked: _Known | None = None

    @property
    def last(self) -> Prepared | None:
        return None if self._last is None else self._last.prepared

    def prepare(self, conversation: Conversation, ask: Ask) -> Prepared:
        """The next request, byte for byte what `prepare_turn` gives."""
        prepared = self.retyped(conversation, ask) or prepare_turn(conversation, ask, self._builder)
        self.keep(conversation, ask, prepared)
        return prepared

    def keep(self, conversation: Conversation, ask: Ask, prepared: Prepared) -> None:
        """Continue from a request that was built elsewhere."""
        self._last = _Known(conversation, ask, prepared, self._cleaning())
        self.expect(conversation, ask, prepared)

    def expect(self, conversation: Conversation, ask: Ask, prepared: Prepared) -> None:
        """Continue from this request at the next keystroke."""
        known = self._asked
        if prepared.built.inputs.question is None:
            return
        if known is not None and prepared is known.retyped:
            self._asked = _Known(
                known.conversation, ask, prepared, known.rules, known.room, prepared, known.ahead
            )
            return
        room = _widened(None if known is None else known.room, prepared)
        self._asked = _Known(conversation, ask, prepared, self._cleaning(), room)

    def widen(self, conversation: Conversation, ask: Ask, longer: Prepared) -> bool:
        """Remember that a longer question leaves its surroundings unchanged; return whether it does."""
        known = self._asked
        if known is None or known.room is None or not known.is_around(conversation, ask):
            return False
        room = _widened(known.room, longer)
        if room is None or room.around is not known.room.around:
            return False
        self._asked = replace(known, room=room)
        return True

    def unchanged(self, conversation: Conversation, ask: Ask) -> Prepared | None:
        """The last request, if nothing changed and nothing in it was estimated."""
        known = self._last
        if known is None or known.conversation is not conversation or known.ask != ask:
            return None
        if known.rules != self._cleaning():
            return None
        prepared = known.prepared
        same = make_sendable(prepared.built.inputs, self._builder)[0] is prepared.sendable
        same = same and secrets_in(prepared.built.inputs, self._builder) == prepared.secrets
        return prepared if same and prepared.built.envelope.exact else None

    def retyped(self, conversation: Conversation, ask: Ask) -> Prepared | None:
        """The next request, if only the question of a known one changed; None if it must be built."""
        known = self._asked
        if known is None or ask.question is None:
            return None
        if known.rules != self._cleaning() or not known.is_around(conversation, ask):
            return None
        prepared = known.prepared
        counter = self._builder.counters.counter(ask.settings.counter, prepared.built.inputs.model)
        ahead = known.ahead or before_question(prepared.built)
        built = retype(prepared.built, ask.question, counter, known.room_tokens, ahead)
        if built is None or not keeps_its_prefix(conversation.previous, built, prepared.change):
            return None
        if make_sendable(built.inputs, self._builder)[1] or prepared.sendable is not prepared.built.inputs:
            return None  # control tokens, now or a keystroke ago: what is sent is not what was typed
        expected = forecast_cache(conversation, built, prepared.change, self._builder, ask.age_s)
        made = Prepared(
            built, prepared.change, expected, built.inputs, {}, conversation.previous,
            secrets_in(built.inputs, self._builder), ratio=prepared.ratio, age_s=ask.age_s,
        )  # fmt: skip
        self._asked = _Known(known.conversation, known.ask, prepared, known.rules, known.room, made, ahead)
        return made

    def _cleaning(self) -> tuple[object, ...]:
        """Returns the state of the secret filters, whose change may require a rebuild of the log."""
        return self._builder.guard.mode, self._builder.neutraliser.hidden


@dataclass(frozen=True, slots=True)
class _Known:
    """A built request with its inputs, rules and room, and how it was last retyped.

    `ahead` are the messages before its question: copied at each key, they are a quarter of one at 10,000 turns.
    """

    conversation: Conversation
    ask: Ask
    prepared: Prepared
    rules: tuple[object, ...]
    room: _Room | None = None
    retyped: Prepared | None = None
    ahead: tuple[WireMessage, ...] = ()

    @property
    def room_tokens(self) -> tuple[int, int] | None:
        return None if self.room is None else self.room.tokens

    def is_around(self, conversation: Conversation, ask: Ask) -> bool:
        same = self.conversation is conversation and self.ask.settings == ask.settings
        return same and _around(self.ask) == _around(ask)


@dataclass(frozen=True, slots=True)
class _Room:
    """Range of tokens the question may have while its surroundings stay as in this request."""

    around: Prepared
    tokens: tuple[int, int]

    def holds(self, other: Prepared) -> bool:
        return _surroundings(self.around) == _surroundings(other)


def _widened(room: _Room | None, prepared: Prepared) -> _Room | None:
    """The room extended by one more request; a new one if its surroundings differ."""
    envelope, inputs = prepared.built.envelope, prepared.built.inputs
    if not (envelope.sized and envelope.fits) or inputs.question is None or inputs.rounds:
        return None
    cost = envelope.layers[-1].total_tokens
    if room is None or not room.holds(prepared):
        return _Room(prepared, (cost, cost))
    return _Room(room.around, (min(room.tokens[0], cost), max(room.tokens[1], cost)))


def _surroundings(prepared: Prepared) -> tuple[object, ...]:
    envelope, inputs = prepared.built.envelope, replace(prepared.built.inputs, question=None)
    messages = [
        (one.id, one.role, one.merged, [segment for segment in one.segments if segment.layer != "L5_USER"])
        for one in envelope.messages
    ]
    bare = replace(envelope, layers=envelope.layers[:-1], messages=(), total_tokens=0)
    return bare, messages, inputs, prepared.change


def _around(ask: Ask) -> tuple[object, ...]:
    return ask.now, ask.tool_results, ask.rounds, ask.card, ask.cold, ask.rebuild, ask.age_s, ask.found
