"""The answer whose influence is measured, where its result is stored, and what cannot be measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.context.influence.pieces import attached_texts
from workbench.domain.change import Built
from workbench.domain.codec import decode, encode
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.influence import Influence
from workbench.domain.message import Message
from workbench.domain.record import Notes, Record, TurnRecord, is_question
from workbench.domain.text import digest_chain, digest_text
from workbench.domain.translation import tr
from workbench.engine.world import World
from workbench.ports.history import HistoryStore

NOTE = "influence"
"""Under which name a result is noted with the message it is about."""

_CUT = tr("The answer was cut off; what there is of it was scored.")
_TOOLS = tr(
    "The answer was made with tools: only its last part was scored, with "
    "all calls and results in the request."
)
_THOUGHT = tr("What the model thought before it answered is not part of what was scored.")


class NothingToMeasure(WorkbenchError):
    """Raised for a turn without an answer that could be scored."""


@dataclass(frozen=True, slots=True)
class Target:
    """An answer and the request it was made from.

    Attributes:
        before: the request before it on its branch, which a log goes on from.
        record: the message that holds the answer; answer: the words of it that the last request led to.
        parameters: what is sent along in this chat.
        notes: what limits every result about it.
    """

    turn: TurnRecord
    before: TurnRecord | None
    record: Record
    answer: str
    parameters: Notes
    notes: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        return request_digest(self.turn.built)


def request_digest(built: Built) -> str:
    """Digest that ties a result to a request: over its model, tools and messages."""
    tools = (f"{one.name}\n{one.description}\n{one.schema_json}" for one in built.inputs.settings.tools)
    said = (f"{message.role}\n{message.content}" for message in built.envelope.messages)
    return digest_chain([digest_text(one) for one in (built.envelope.model, *tools, *said)])


async def find_target(turn: TurnRecord, store: HistoryStore) -> Target:
    """The answer of a turn; `NothingToMeasure` says why there is none."""
    record, answer = await find_answer(turn, None, store)
    before = None if turn.parent is None else await store.last_turn(turn.chat, turn.parent)
    finish = (turn.usage or {}).get("finish_reason")
    cut = finish == "length" or turn.state in ("stopped", "interrupted", "failed")
    tools = any(one.role == "tool" for one in turn.built.inputs.rounds)
    thought = isinstance(record.entry, Message) and bool(record.entry.thinking)
    parameters = (await store.chat(turn.chat)).parameters
    told = ((_CUT, cut), (_TOOLS, tools), (_THOUGHT, thought))
    return Target(turn, before, record, answer, parameters, tuple(words for words, holds in told if holds))


async def find_answer(
    turn: TurnRecord, path: Sequence[Record] | None, store: HistoryStore
) -> tuple[Record, str]:
    """The message that holds a turn's answer, and the words of it that its last request led to.

    `path` is the branch in view, which is read where it is not known; `NothingToMeasure` says why there is none.
    """
    which = tr("Turn {number}", number=turn.number)
    if turn.state == "running":
        raise NothingToMeasure(
            tr("{which} is being answered. Measure its influence when the answer is there.", which=which)
        )
    if turn.question is None or turn.reply is None:
        raise NothingToMeasure(tr("{which} has no answer, so nothing can have influenced it.", which=which))
    said = await answer_records(turn, turn.reply, store, path)
    record = next((one for one in reversed(said) if _text(one)), None)
    if record is None:
        raise NothingToMeasure(
            tr("The answer of turn {number} has no words that could be scored.", number=turn.number)
        )
    answer, rounds = _text(record), turn.built.inputs.rounds
    if rounds and rounds[-1].role == "assistant" and answer.startswith(rounds[-1].text):
        answer = answer[
            len(rounds[-1].text) :
        ]  # the answer was continued: its beginning is part of the request
    return record, answer


async def answer_records(
    turn: TurnRecord, reply: str, store: HistoryStore, path: Sequence[Record] | None = None
) -> Sequence[Record]:
    """The messages of a turn's answer: those after its question on the branch in view, or its first one alone."""
    if path is None:
        path = await store.path(turn.chat)
    ids = [record.id for record in path]
    if reply not in ids:
        return await store.tail(turn.chat, 1, reply)
    said: list[Record] = []
    for record in path[ids.index(reply) :]:
        if is_question(record):
            break
        said.append(record)
    return said


def _text(record: Record) -> str:
    entry = record.entry
    return (
        entry.text if isinstance(entry, Message) and entry.role == "assistant" and entry.text.strip() else ""
    )


async def keep(influence: Influence, target: Target, world: World) -> Influence:
    """Store a result with the answer, and return the one to show; a stopped one does not replace a complete one.

    One that was stopped does not take the place of a whole one.
    """
    chat, message = target.turn.chat, target.record.id
    async with world.locks.of(f"influence in {chat}"):
        found = await world.store.tail(chat, 1, message)
        record = found[0] if found and found[0].id == message else target.record
        better = None if influence.complete else whole_influence(record, influence.digest)
        if influence.pieces and better is None:
            note = encode(influence)
            await world.store.annotate(chat, message, lambda noted: {**noted, NOTE: note})
        return better or influence


def whole_influence(record: Record, digest: str) -> Influence | None:
    """The complete stored result about a request."""
    old = kept_influence(record)
    return old if old is not None and old.digest == digest and old.complete else None


def kept_influence(record: Record) -> Influence | None:
    """The result stored with an answer; None if there is none that can be read."""
    noted = record.metadata.get(NOTE)
    if noted is None:
        return None
    try:
        return decode(Influence, noted)
    except (InvalidInput, TypeError, ValueError):
        return None  # from a file that somebody wrote, or from a later version


async def changed_texts(target: Target, store: HistoryStore) -> tuple[str, ...]:
    """Keys of attachments whose text has changed since the request."""
    sent = attached_texts(target.turn.built.inputs)
    now = await store.attached(target.turn.chat)
    return tuple(
        one.key for one in now if one.key in sent and one.content_digest != sent[one.key].content_digest
    )


def is_stale(influence: Influence, built: Built) -> bool:
    """Whether a result is about another request than this one."""
    return influence.digest != request_digest(built)
