"""The library of a chat whose requests were never built here, such as an imported one (seed 001, phase 2)."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.context.build.library import promote
from workbench.domain.attachment import Artifact
from workbench.domain.message import Message
from workbench.domain.record import Record, Snapshot
from workbench.domain.turn import LibraryEntry
from workbench.engine.conversation import Conversation
from workbench.ports.history import HistoryStore


async def rehydrate(store: HistoryStore, chat: str, path: Sequence[Record]) -> Conversation:
    """The conversation as if every question of the path had been asked here, before its next request.

    Attachments are taken from their snapshots; nothing is read from disk or fetched again. What earlier requests
    would have trimmed is decided by the next one, so opening a long chat costs no more than reading it.
    """
    freshness = (await store.chat(chat)).settings.freshness
    snapshots = await store.snapshots(chat)
    library: tuple[LibraryEntry, ...] = ()
    questions = [record for record in path if _is_question(record)]
    for question in questions:
        attached = _as_attached(question, snapshots)
        library = promote(library, attached, [artifact.key for artifact in attached], freshness)
    return Conversation(
        id=chat,
        turn=len(questions),
        history=tuple(record.entry for record in path),
        attached=await store.attached(chat),
        library=library,
    )


def _is_question(record: Record) -> bool:
    return isinstance(record.entry, Message) and record.entry.role == "user"


def _as_attached(question: Record, snapshots: Sequence[Snapshot]) -> tuple[Artifact, ...]:
    """What was attached to a question: for each key the newest snapshot taken by then, else the first there is."""
    found: dict[str, Artifact] = {}
    for key in question.attached:
        taken = [snapshot for snapshot in snapshots if snapshot.artifact.key == key]
        by_then = [snapshot for snapshot in taken if snapshot.taken_utc <= question.created_utc]
        if taken:
            found[key] = (by_then[-1] if by_then else taken[0]).artifact
    return tuple(found.values())
