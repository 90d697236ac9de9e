"""Where a request is built: in the loop, or beside it where that would hold up everyone else."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from workbench.context.assembly.memory import Plans, Shorts
from workbench.domain.turn import TurnInputs
from workbench.engine.assembly.prepare import Ask, Builder, Prepared, prepare_turn
from workbench.engine.conversation import Conversation, size_of

# Counting takes about 0.2 ms for a thousand characters; everything else for a thousand times as many about 4 ms.
_LONG_NEW_CHARS = 40_000
_LONG_CHARS = 1_500_000


async def prepare_calmly(
    conversation: Conversation, ask: Ask, builder: Builder, last: Prepared | None = None
) -> Prepared:
    """The next request, byte for byte what `prepare_turn` gives; `last` is one of the same chat built before."""
    if takes_long(conversation, ask, last):
        return await prepare_beside(conversation, ask, builder)
    return prepare_turn(conversation, ask, builder)


async def prepare_beside(conversation: Conversation, ask: Ask, builder: Builder) -> Prepared:
    """The same, built in a thread; what is counted there is known here afterwards."""
    card = ask.card or builder.catalogue.find(ask.settings.model)
    thread = builder.thread
    apart = replace(
        builder,
        counters=builder.counters.apart(card),
        memory=thread.memory,
        neutraliser=builder.neutraliser.apart(),
        guard=builder.guard.apart(),
    )
    prepared, shorts, plans = await thread.do(partial(_prepare, conversation, ask, apart))
    builder.counters.take_over(apart.counters)
    builder.memory.learn(shorts, plans)
    builder.guard.finder.take_over(apart.guard.finder)
    return prepared


def _prepare(conversation: Conversation, ask: Ask, builder: Builder) -> tuple[Prepared, Shorts, Plans]:
    prepared = prepare_turn(conversation, ask, builder)
    for layer in prepared.built.envelope.layers:
        _ = layer.digest  # remembered there; whoever shows the request needs it, and it takes a while
    return prepared, builder.memory.shorts(), builder.memory.plans()


def takes_long(conversation: Conversation, ask: Ask, last: Prepared | None) -> bool:
    """Whether building would hold up the loop for about a frame: much to count, or very much to go through."""
    before = None if last is None else last.built.inputs
    if before is not None and not _counts_alike(before, ask):
        before = None
    return _chars(conversation, ask) > _LONG_CHARS or _new_chars(conversation, ask, before) > _LONG_NEW_CHARS


def is_much_longer(ask: Ask, last: Prepared | None) -> bool:
    """Whether so much was pasted into a question that counting it takes long."""
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
    """How much text there is that the request before did not have."""
    if before is None:
        return _chars(conversation, ask)
    said = {entry.id for entry in (*before.history, *before.rounds)}
    known = {artifact.key: artifact.text for artifact in before.attached}
    known |= {entry.key: entry.latest.text for entry in before.library if entry.key not in known}
    fresh = sum(size_of(entry) for entry in (*conversation.history, *ask.rounds) if entry.id not in said)
    fresh += max(0, size_of(ask.question) - size_of(before.question))
    return fresh + sum(len(text) for key, text in _texts(conversation).items() if known.get(key) != text)


def _texts(conversation: Conversation) -> dict[str, str]:
    """The texts of everything that is attached or in the library."""
    texts = {entry.key: entry.latest.text for entry in conversation.library}
    return texts | {artifact.key: artifact.text for artifact in conversation.attached}
