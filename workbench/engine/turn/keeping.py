"""A turn in the store: begun with its question, finished with its answer, each in one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from workbench.context.report import parameters_report
from workbench.context.request_cost import runs_here
from workbench.domain.change import Built
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.message import Message
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import Record, Standing, TurnLine, TurnRecord
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import after_turn
from workbench.engine.learning import counted_note
from workbench.engine.turn.answering import Answering
from workbench.engine.turn.outcomes import usage_notes
from workbench.engine.turn.plan import TurnPlan
from workbench.engine.world import World

# What is noted with a turn about its request, so that a list of turns need not read every request again.


def request_note(prepared: Prepared, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What a list shows of a request, and the parameters that went along: free ones, and those of the settings."""
    envelope, change = prepared.built.envelope, prepared.change
    note: dict[str, Any] = {
        "model": envelope.model,
        "local": runs_here(prepared.built.inputs.model),
        "total_tokens": envelope.total_tokens,
        "layout": envelope.layout,
        "rebuilt": envelope.rebuilt,
        "layers": {layer.name: layer.total_tokens for layer in envelope.layers},
        "change": change.change,
        "causes": [[cause.cause, cause.subject] for cause in change.causes],
        "trimmed_up_to": envelope.cuts.trim.boundary,
        "threshold_tokens": envelope.budget.threshold_tokens,
    }
    chosen = parameters_report(prepared.built)
    beside = {
        "parameters": dict(parameters),
        "chosen": chosen.get("parameters"),
        "not_sent": chosen.get("parameters_not_sent"),
    }
    return note | {name: value for name, value in beside.items() if value} | counted_note(prepared)


def last_answer_id(lines: Sequence[TurnLine]) -> str:
    """What a provider calls the newest answer that the next request can be compared with; empty where there is none.

    Asked of the last turns only: what is older, no cache holds.
    """
    ids = ((line.usage or {}).get("answer_id") for line in reversed(lines))
    return next((one for one in ids if isinstance(one, str) and one), "")


def last_request_note(turn: TurnRecord, answering: Answering) -> dict[str, Any]:
    """The note of the request that was sent last, with the digests of its bytes; as it began where none was sent."""
    begun: dict[str, Any] = dict((turn.usage or {}).get("request", {}))
    if answering.sent is None:
        return begun
    note = request_note(answering.sent, begun.get("parameters", {}))
    beside = {
        "shown_digest": answering.shown_digest,
        "sent_digest": answering.sent_digest,
        "compared_with": answering.sent.compare_with,
        "asked_utc": answering.asked_utc,
    }
    return note | {name: value for name, value in beside.items() if value}


async def begin_turn(
    plan: TurnPlan, prepared: Prepared, world: World, draft: str | None = None
) -> TurnRecord:
    """Keep the question, unless it is kept already, the request made for it, and what is left of the draft it was."""
    conversation, when = plan.conversation, world.utc.utc_now()
    parent = conversation.history[-1].id if conversation.history else None
    after = after_turn(conversation, prepared.built, ())
    turn = TurnRecord(
        plan.chat, plan.number, parent, plan.question.id, prepared.built,
        Standing(after.attached, after.library, after.trim), when,
        usage={"request": request_note(prepared, {**world.parameters, **plan.parameters})},
    )  # fmt: skip
    keys = tuple(artifact.key for artifact in conversation.attached)
    asked = Record(
        plan.chat,
        _as_sent(plan.question, prepared.built),
        when,
        parent,
        attached=keys,
        commands=plan.tool_results,
    )
    async with world.locks.of(plan.chat):
        await world.store.begin_turn(turn, None if plan.kept else asked, draft)
    return turn


def _as_sent(question: Message, built: Built) -> Message:
    """The question with those of its pictures that went along: one that was left out is not part of what was said.

    What a model cannot see stays: the next one may.
    """
    if not built.inputs.model.images:
        return question
    sent = {image for one in built.envelope.layer("L5_USER").segments for image in one.images}
    images = tuple(image for image in question.images if image in sent)
    return question if len(images) == len(question.images) else replace(question, images=images)


def turn_notes(outcome: TurnOutcome) -> dict[str, Any]:
    """What is noted of how a turn ended."""
    cut = {} if outcome.truncated is None else {"truncated": asdict(outcome.truncated)}
    return usage_notes(outcome) | cut


async def finish_turn(turn: TurnRecord, answering: Answering, outcome: TurnOutcome, world: World) -> None:
    """Keep how the turn ended and what of its answer is not kept yet; refused, it is tried again later."""
    last = answering.last_reply(outcome.state)
    last_ones = [] if last is None else [last]
    replies = [*answering.replies, *last_ones]
    built = turn.built if answering.sent is None else answering.sent.built
    ended = replace(
        turn,
        built=built,
        after=replace(turn.after, trim=built.envelope.cuts.trim),
        state=outcome.state,
        usage={**turn_notes(outcome), "request": last_request_note(turn, answering)},
        finished_utc=world.utc.utc_now(),
        reply=replies[0].id if replies else None,
    )
    missing = [*answering.unkept, *last_ones]
    try:
        async with world.locks.of(turn.chat):
            await world.store.finish_turn(ended, missing)
    except NotKept:
        raise
    except WorkbenchError:
        world.owed.note(ended, missing)
        raise
