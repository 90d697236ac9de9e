"""Requests that an imported chat never had, built when they are first needed (seed 001, phase 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.domain.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.preferences import ContextSettings
from workbench.domain.record import Record, Snapshot
from workbench.engine.conversation import Conversation, after_turn
from workbench.engine.turn import Ask, Builder, prepare_turn
from workbench.ports import HistoryStore


async def rehydrate(store: HistoryStore, chat: str, path: Sequence[Record], builder: Builder) -> Conversation:
    """The conversation as if every question of the path had been asked here.

    Attachments are taken from their snapshots; nothing is read from disk or fetched again.
    """
    settings = (await store.chat(chat)).settings
    snapshots = await store.snapshots(chat)
    conversation = Conversation(chat)
    for exchange in _exchanges(path):
        conversation = _replayed(conversation, exchange, snapshots, settings, builder)
    return replace(conversation, attached=await store.attached(chat))


def _replayed(
    conversation: Conversation,
    exchange: Sequence[Record],
    snapshots: Sequence[Snapshot],
    settings: ContextSettings,
    builder: Builder,
) -> Conversation:
    question = exchange[0]
    said = tuple(record.entry for record in exchange)
    if not isinstance(question.entry, Message) or question.entry.role != "user":
        return replace(conversation, history=(*conversation.history, *said))
    attached = _as_attached(question, snapshots)
    before = replace(conversation, attached=attached)
    built = prepare_turn(before, Ask(settings, question.entry), builder).built
    return replace(after_turn(before, built, ()), history=(*before.history, *said))


def _exchanges(path: Sequence[Record]) -> list[list[Record]]:
    """The path cut before every question."""
    exchanges: list[list[Record]] = []
    for record in path:
        opens = isinstance(record.entry, Message) and record.entry.role == "user"
        if opens or not exchanges:
            exchanges.append([])
        exchanges[-1].append(record)
    return exchanges


def _as_attached(question: Record, snapshots: Sequence[Snapshot]) -> tuple[Artifact, ...]:
    """What was attached to a question: for each key the newest snapshot taken by then, else the first there is."""
    found: dict[str, Artifact] = {}
    for key in question.attached:
        taken = [snapshot for snapshot in snapshots if snapshot.artifact.key == key]
        by_then = [snapshot for snapshot in taken if snapshot.taken_utc <= question.created_utc]
        if taken:
            found[key] = (by_then[-1] if by_then else taken[0]).artifact
    return tuple(found.values())
