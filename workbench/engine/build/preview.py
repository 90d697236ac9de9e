"""The next request while it is being written: the same line as a turn, without the model."""

from __future__ import annotations

from workbench.context.build.retype import keeps_its_prefix, retype
from workbench.engine.build.prepare import (
    Ask,
    Builder,
    Prepared,
    foretell,
    made_sendable,
    prepare_turn,
    secrets_in,
)
from workbench.engine.conversation import Conversation


class Preview:
    """Keeps the last request, so that a keystroke builds only what it changed."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._last: tuple[Conversation, Ask, Prepared] | None = None
        self._rules: tuple[object, ...] = ()

    @property
    def last(self) -> Prepared | None:
        """The request that was built before."""
        return None if self._last is None else self._last[2]

    def prepare(self, conversation: Conversation, ask: Ask) -> Prepared:
        """The next request, byte for byte what `prepare_turn` gives."""
        prepared = self.retyped(conversation, ask) or prepare_turn(conversation, ask, self._builder)
        self.keep(conversation, ask, prepared)
        return prepared

    def keep(self, conversation: Conversation, ask: Ask, prepared: Prepared) -> None:
        """Go on from a request that was built elsewhere."""
        self._last, self._rules = (conversation, ask, prepared), self._cleaning()

    def unchanged(self, conversation: Conversation, ask: Ask) -> Prepared | None:
        """The last request, where it is asked for again and nothing about it was a guess."""
        if self._last is None or self._last[0] is not conversation or self._last[1] != ask:
            return None
        if self._rules != self._cleaning():
            return None
        prepared = self._last[2]
        same = made_sendable(prepared.built.inputs, self._builder)[0] is prepared.sendable
        same = same and secrets_in(prepared.built.inputs, self._builder) == prepared.secrets
        return prepared if same and prepared.built.envelope.exact else None

    def retyped(self, conversation: Conversation, ask: Ask) -> Prepared | None:
        """The next request, where it is the last one with another question; None where it must be built."""
        if self._last is None or ask.question is None or self._builder.redactor is not None:
            return None
        if self._rules != self._cleaning():
            return None
        old_conversation, old_ask, prepared = self._last
        if (
            old_conversation is not conversation
            or old_ask.settings != ask.settings
            or _around(old_ask) != _around(ask)
        ):
            return None
        counter = self._builder.counters.counter(ask.settings.counter, prepared.built.inputs.model)
        built = retype(prepared.built, ask.question, counter)
        if built is None or not keeps_its_prefix(conversation.previous, built, prepared.change):
            return None
        if made_sendable(built.inputs, self._builder)[1] or prepared.sendable is not prepared.built.inputs:
            return None  # control tokens, now or a keystroke ago: what is sent is not what was typed
        expected = foretell(conversation, built, prepared.change, self._builder, ask.age_s)
        found = secrets_in(built.inputs, self._builder)
        before = conversation.previous
        return Prepared(
            built, prepared.change, expected, built.inputs, {}, before, found, ratio=prepared.ratio
        )

    def _cleaning(self) -> tuple[object, ...]:
        """What becomes of keys and passwords: a log may have to be begun anew for it, though nothing else changed."""
        return self._builder.guard.mode, self._builder.neutraliser.hidden


def _around(ask: Ask) -> tuple[object, ...]:
    """What stands around the question in its message."""
    return ask.now, ask.tool_results, ask.rounds, ask.card, ask.cold, ask.rebuild, ask.age_s, ask.found
