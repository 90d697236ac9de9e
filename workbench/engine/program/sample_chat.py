"""The sample as a chat: every request of it is really built, as if it had been sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.domain.message import Message
from workbench.domain.record import Chat, ChatArchive, Record, Snapshot, Standing, TurnRecord
from workbench.domain.sample_chat import SampleChat, SampleTurn
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.assembly.prepare import Ask, Builder, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.engine.turn.outcome import request_note

ANSWER_TOKENS = 512
"""Short, because so small a model may repeat itself until it is stopped."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a sample chat is made with: its id, its settings, and the time of its last turn."""

    chat: str
    settings: ContextSettings
    when_utc: str


def sample_archive(sample: SampleChat, frame: Frame, builder: Builder) -> ChatArchive:
    """The chat as it is kept; nothing was sent, so nobody reported any usage."""
    frame = replace(frame, settings=_budgeted(frame.settings, sample.budget_tokens))
    conversation = Conversation(frame.chat)
    records: list[Record] = []
    turns: list[TurnRecord] = []
    for number, told in enumerate(sample.turns, start=1):
        conversation, turn, said = _tell(conversation, number, told, (frame, builder))
        turns.append(turn)
        records.extend(said)
    chat = Chat(frame.chat, frame.when_utc, sample.title, frame.settings, leaf=_leaf(records))
    lists = (*(turn.attached for turn in sample.turns), sample.attached)
    everything = {artifact.key: artifact for attached in lists for artifact in attached}
    snapshots = tuple(
        Snapshot(frame.chat, artifact, frame.when_utc, artifact.text.encode())
        for artifact in everything.values()
    )
    return ChatArchive(chat, tuple(records), tuple(turns), snapshots, sample.attached, draft=sample.draft)


def _tell(
    conversation: Conversation, number: int, told: SampleTurn, around: tuple[Frame, Builder]
) -> tuple[Conversation, TurnRecord, tuple[Record, Record]]:
    """One turn: the request built, the answer given, and what both leave behind."""
    frame, builder = around
    question = Message(f"q{number}", "user", (told.question,))
    answer = Message(f"a{number}", "assistant", (told.answer,))
    parent = conversation.history[-1].id if conversation.history else None
    opened = replace(conversation, attached=told.attached)
    prepared = prepare_turn(opened, Ask(frame.settings, question), builder)
    built = prepared.built
    after = after_turn(opened, built, (answer,))
    turn = TurnRecord(
        frame.chat, number, parent, question.id, built, Standing(after.attached, after.library, after.trim),
        frame.when_utc, "complete", {"request": request_note(prepared, {})}, frame.when_utc, answer.id,
    )  # fmt: skip
    keys = tuple(artifact.key for artifact in told.attached)
    asked = Record(frame.chat, question, frame.when_utc, parent, 2 * number - 1, attached=keys)
    replied = Record(frame.chat, answer, frame.when_utc, question.id, 2 * number)
    return after, turn, (asked, replied)


def _budgeted(settings: ContextSettings, budget_tokens: int | None) -> ContextSettings:
    """The settings with so much room for a request, beside what is kept for the answer."""
    if budget_tokens is None:
        return settings
    reserve = settings.reserved_output_tokens
    reserve = ANSWER_TOKENS if reserve is None else reserve
    return replace(settings, reserved_output_tokens=reserve, context_window=budget_tokens + reserve)


def _leaf(records: Sequence[Record]) -> str | None:
    return records[-1].id if records else None
