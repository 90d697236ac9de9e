"""Adopts an answer of an experiment into its chat: beside the other answers, with its request and settings.

Where the question was not sent yet, it counts as sent, with that answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.domain.chat_line import title_from
from workbench.domain.codec import decode, encode
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.experiment import Cell, Experiment
from workbench.domain.message import Message
from workbench.domain.record import Notes, Record, Standing, TurnRecord
from workbench.domain.shown.comparison import ExperimentView
from workbench.domain.translation import tr
from workbench.domain.variant import AS_SENT, NEXT, Variant
from workbench.engine.comparing import Line, read_branch, read_next
from workbench.engine.conversation import after_turn
from workbench.engine.rerun import Rerun
from workbench.engine.turn.outcome import as_sent, request_note
from workbench.engine.world import World
from workbench.ports.history import HistoryStore

# Experiments as they are kept: with the question they asked, encrypted like all of the chat.


NOTE = "experiments"
_MOST_KEPT = 5


async def keep_experiment(found: Experiment, turn: TurnRecord, store: HistoryStore) -> None:
    """Store an experiment with the turn's question; only the newest few are kept."""

    def noted(notes: Notes) -> Notes:
        kept = (*_experiments(notes), found)[-_MOST_KEPT:]
        return {**notes, NOTE: [encode(one) for one in kept]}

    if turn.question and found.asked:
        await store.annotate(turn.chat, turn.question, noted)


async def last_experiment(turn: TurnRecord, store: HistoryStore) -> Experiment | None:
    """The last experiment with a turn's question."""
    record = await _question(turn, store)
    found = () if record is None else kept_experiments(record)
    return found[-1] if found else None


async def all_tried(turn: TurnRecord, store: HistoryStore) -> Experiment | None:
    """All experiments with a turn's question on its branch as one grid; the newest answers win."""
    record, found = await _question(turn, store), None
    for one in () if record is None else kept_experiments(record):
        found = one.beside(found)
    return found


def kept_experiments(record: Record) -> tuple[Experiment, ...]:
    """The readable experiments stored with a question, oldest first."""
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


async def take_answer(turn: TurnRecord, variant: Variant, cell: Cell, world: World) -> str:
    """Store an answer as one of its question; return the message's id. The chat's attachments stay as they are."""
    _refuse_unanswered(cell)
    branch = await read_branch(world.store, turn.chat, turn)
    begun, variant = await _played(branch, turn.parent, variant, cell, world)
    begun = replace(begun, number=turn.number, question=turn.question)
    return await _keep(begun, None, (variant, cell), world)


async def send_with_answer(view: ExperimentView, variant: Variant, cell: Cell, world: World) -> str:
    """Store a question that was not sent yet, with one of its answers and the experiment.

    `NotKept` where the chat went on since: the answer was given to another request.
    """
    _refuse_unanswered(cell)
    asked, store = view.unsent, world.store
    path = await store.path(view.chat)
    parent = path[-1].id if path else None
    if asked is None or asked.question is None:
        raise NotKept(tr("The question of this answer is gone, so it cannot be taken over."))
    if parent != (asked.history[-1].id if asked.history else None):
        raise NotKept(tr("The chat went on since this was asked, so the answer fits no more. Ask again."))
    asked = replace(asked, question=replace(asked.question, id=world.new_id()))
    line = await read_next(store, asked, world.utc.utc_now())
    begun, variant = await _played(line, parent, variant, cell, world)
    reply = await _keep(begun, asked.question, (variant, cell), world)
    if view.found is not None:
        found = _as_sent(view.found, reply) if cell.variant == NEXT else view.found
        await keep_experiment(found, begun, store)
    return reply


def _as_sent(found: Experiment, reply: str) -> Experiment:
    """The experiment with the taken request in its first column, as for any sent one."""
    cells = (replace(one, variant=AS_SENT) if one.variant == NEXT else one for one in found.cells)
    return replace(found, cells=tuple(cells), reply=reply)


def _refuse_unanswered(cell: Cell) -> None:
    if cell.state != "complete":
        raise NotKept(tr("This request has no answer yet, so there is nothing to take over."))


async def _played(
    line: Line, parent: str | None, variant: Variant, cell: Cell, world: World
) -> tuple[TurnRecord, Variant]:
    """The last turn of a line as it was asked under a variant, and the variant with the cell's own model."""
    keys = dict.fromkeys(one.key for asked in line.turns for one in asked.attached)
    asked = line.turns[-1]
    own = {} if cell.model == asked.settings.model else {"model": cell.model}
    variant = replace(variant, settings={**variant.settings, **own}).with_full_keys(keys)
    rerun = Rerun(world.builder, variant)
    prepared = rerun.play(line.turns, line.times)
    built = prepared.built
    standing = replace(rerun.conversation, history=built.inputs.history, attached=built.inputs.attached)
    after, now = after_turn(standing, built, ()), world.utc.utc_now()
    parameters = {**world.parameters, **(await world.store.chat(asked.conversation)).parameters}
    question = None if asked.question is None else asked.question.id
    begun = TurnRecord(
        asked.conversation, asked.turn, parent, question, built,
        Standing(after.attached, after.library, after.trim), now,
        usage={"request": request_note(prepared, parameters)},
    )  # fmt: skip
    return begun, variant


async def _keep(begun: TurnRecord, asked: Message | None, taken: tuple[Variant, Cell], world: World) -> str:
    """Store a turn and its answer, and the question if it is new; return the answer's id."""
    (variant, cell), store, now = taken, world.store, begun.started_utc
    inputs = begun.built.inputs
    keys = tuple(artifact.key for artifact in inputs.attached)
    question = None
    if asked is not None:
        said = as_sent(asked, begun.built)
        question = Record(begun.chat, said, now, begun.parent, attached=keys, commands=inputs.tool_results)
    reply = Record(begun.chat, Message(world.new_id(), "assistant", (cell.answer,)), now, begun.question)
    ended = replace(
        begun,
        state="complete",
        usage={**(begun.usage or {}), **_notes(cell)},
        finished_utc=now,
        reply=reply.id,
    )
    async with world.locks.of(begun.chat):
        await store.begin_turn(begun, question)
        await store.finish_turn(ended, [reply])
        chat = await store.chat(begun.chat)
        title = chat.title or ("" if asked is None else title_from(asked.text))
        await store.save_chat(replace(chat, title=title, settings=variant.apply_to_settings(chat.settings)))
    return reply.id


def _notes(cell: Cell) -> dict[str, Any]:
    """Reported figures, under the names that every turn uses."""
    counts = {
        "prompt_tokens": cell.prompt_tokens,
        "cached_tokens": cell.cached_tokens,
        "completion_tokens": cell.completion_tokens,
    }
    timings = {"build": 0.0, "first_token": cell.first_ms, "total": cell.total_ms}
    known = {name: value for name, value in counts.items() if value is not None}
    return {**known, "finish_reason": cell.finish_reason or "stop", "timings_ms": timings}
