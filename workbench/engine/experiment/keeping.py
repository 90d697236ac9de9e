"""Experiments as they are kept: with the question they asked, encrypted like all of the chat."""

from __future__ import annotations

from workbench.domain.codec import decode, encode
from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Experiment
from workbench.domain.record import Notes, Record, TurnRecord
from workbench.ports.history import HistoryStore

NOTE = "experiments"
_MOST_KEPT = 5


async def keep_experiment(found: Experiment, turn: TurnRecord, store: HistoryStore) -> None:
    """Keep an experiment with the turn's question, encrypted like all of the chat; the newest few stay."""

    def noted(notes: Notes) -> Notes:
        kept = (*_experiments(notes), found)[-_MOST_KEPT:]
        return {**notes, NOTE: [encode(one) for one in kept]}

    if turn.question and found.asked:
        await store.annotate(turn.chat, turn.question, noted)


async def last_experiment(turn: TurnRecord, store: HistoryStore) -> Experiment | None:
    """What was tried last with a turn's question."""
    record = await _question(turn, store)
    found = () if record is None else kept_experiments(record)
    return found[-1] if found else None


async def all_tried(turn: TurnRecord, store: HistoryStore) -> Experiment | None:
    """Everything that was tried with a turn's question on its branch, as one grid; the newest answers count."""
    record, found = await _question(turn, store), None
    for one in () if record is None else kept_experiments(record):
        found = one.beside(found)
    return found


def kept_experiments(record: Record) -> tuple[Experiment, ...]:
    """What is kept with a question and can be read, oldest first."""
    return _experiments(record.metadata)


def _experiments(notes: Notes) -> tuple[Experiment, ...]:
    noted = notes.get(NOTE)
    try:
        return tuple(decode(Experiment, one) for one in noted) if isinstance(noted, list) else ()
    except (InvalidInput, TypeError, ValueError):
        return ()  # from a file that somebody wrote, or from a later version


async def _question(turn: TurnRecord, store: HistoryStore) -> Record | None:
    found = await store.tail(turn.chat, 1, turn.question) if turn.question else ()
    return found[0] if found else None
