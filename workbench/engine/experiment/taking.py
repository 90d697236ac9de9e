"""An answer of an experiment becomes a branch of its chat: beside the other answers, with its request and settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.domain.errors import NotKept
from workbench.domain.experiment import Cell
from workbench.domain.message import Message
from workbench.domain.record import Record, Standing, TurnRecord
from workbench.domain.variant import Variant
from workbench.engine.comparing import read_branch
from workbench.engine.conversation import after_turn
from workbench.engine.rerun import Rerun
from workbench.engine.world import World


async def take_answer(turn: TurnRecord, variant: Variant, cell: Cell, world: World) -> str:
    """Keep an answer as one of its question; the message's id. What is attached to the chat stays as it is."""
    if cell.state != "complete":
        raise NotKept("This request has no answer yet, so there is nothing to take over.")
    branch = await read_branch(world.store, turn.chat, turn)
    keys = dict.fromkeys(one.key for asked in branch.turns for one in asked.attached)
    own = {} if cell.model == branch.turns[-1].settings.model else {"model": cell.model}
    variant = replace(variant, settings={**variant.settings, **own}).among(keys)
    rerun = Rerun(world.builder, variant)
    built = rerun.play(branch.turns, branch.times).built
    standing = replace(rerun.conversation, history=built.inputs.history, attached=built.inputs.attached)
    after, now = after_turn(standing, built, ()), world.utc.utc_now()
    begun = TurnRecord(
        turn.chat, turn.number, turn.parent, turn.question, built,
        Standing(after.attached, after.library, after.trim), now,
    )  # fmt: skip
    reply = Record(turn.chat, Message(world.new_id(), "assistant", (cell.answer,)), now, turn.question)
    ended = replace(begun, state="complete", usage=_notes(cell), finished_utc=now, reply=reply.id)
    async with world.locks.of(turn.chat):
        await world.store.begin_turn(begun, None)
        await world.store.finish_turn(ended, [reply])
        chat = await world.store.chat(turn.chat)
        await world.store.save_chat(replace(chat, settings=variant.over(chat.settings)))
    return reply.id


def _notes(cell: Cell) -> dict[str, Any]:
    """What was reported, in the names that every turn has."""
    counts = {
        "prompt_tokens": cell.prompt_tokens,
        "cached_tokens": cell.cached_tokens,
        "completion_tokens": cell.completion_tokens,
    }
    timings = {"build": 0.0, "first_token": cell.first_ms, "total": cell.total_ms}
    known = {name: value for name, value in counts.items() if value is not None}
    return {**known, "finish_reason": "stop", "timings_ms": timings}
