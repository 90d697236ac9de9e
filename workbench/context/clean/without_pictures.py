"""Inputs for a model that takes no pictures: they are left out, and the text says whose they were."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.message import Entry, Message
from workbench.domain.turn import TurnInputs


def without_pictures(inputs: TurnInputs) -> tuple[TurnInputs, tuple[str, ...]]:
    """The turn as such a model gets it, and the ids of the messages that lost a picture; itself where it has none."""
    if inputs.model.images:
        return inputs, ()
    question = inputs.question
    said = (*inputs.history, *inputs.rounds, *(() if question is None else (question,)))
    seen = tuple(entry.id for entry in said if isinstance(entry, Message) and entry.images)
    if not seen:
        return inputs, ()
    return replace(
        inputs,
        history=tuple(_blind(entry) for entry in inputs.history),
        rounds=tuple(replace(message, images=()) for message in inputs.rounds),
        question=None if question is None else replace(question, images=()),
    ), seen


def _blind(entry: Entry) -> Entry:
    return replace(entry, images=()) if isinstance(entry, Message) and entry.images else entry
