"""Forks a chat at any message: everything up to there, and what the next request depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.domain.errors import NotKept
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive, Record, TurnRecord
from workbench.domain.translation import tr
from workbench.engine.exchange.soundness import renamed
from workbench.engine.program.adopting import marked
from workbench.ports.history import HistoryStore


def forked(archive: ChatArchive, message: str, fork: str) -> ChatArchive:
    """The chat up to a message (an answer to its end) under a new id and title, without its draft.

    What is attached, tuned and set is as it is now: so its next request is the one that the chat itself would send
    from there.
    """
    way = _path_to(archive, message)
    ids = {record.id for record in way}
    turns = tuple(turn for turn in archive.turns if _is_on_path(turn, ids))
    chat = replace(archive.chat, leaf=way[-1].id, title=f"{archive.chat.title} (fork)".strip(), used_utc="")
    # What they taught was learnt when they were held.
    return renamed(marked(replace(archive, chat=chat, records=way, turns=turns, draft="")), fork)


async def fork_chat(store: HistoryStore, chat: str, message: str, fork: str) -> ChatArchive:
    """Store a fork and return it; files attached on this computer are followed in it, too."""
    made = forked(await store.archive(chat), message, fork)
    await store.adopt(made, own=True)
    return made


def _path_to(archive: ChatArchive, message: str) -> tuple[Record, ...]:
    """The messages up to one, deleted ones included, and the rest of an answer it belongs to."""
    known = {record.id: record for record in archive.records}
    if message not in known or known[message].deleted_utc is not None:
        raise NotKept(tr("The chat has no message {message!r}. Nothing was forked.", message=message))
    last = known[message]
    if last.state == "running":
        raise NotKept(tr("This answer is still arriving. Nothing was forked; try again when it has ended."))
    if _role(last) in ("assistant", "tool"):
        last = _end_of_answer(archive, last)
    way = [last]
    while way[-1].parent is not None:
        way.append(known[way[-1].parent])
    return tuple(sorted(way, key=lambda record: record.sequence))


def _end_of_answer(archive: ChatArchive, record: Record) -> Record:
    """Last message of the answer that a message belongs to: a call cannot be continued without its result."""
    while True:
        after = [one for one in archive.records if one.parent == record.id and _goes_on(one)]
        if not after:
            return record
        record = after[-1]


def _goes_on(record: Record) -> bool:
    return _role(record) in ("assistant", "tool") and record.deleted_utc is None and record.state != "running"


def _role(record: Record) -> str:
    return record.entry.role if isinstance(record.entry, Message) else ""


def _is_on_path(turn: TurnRecord, ids: set[str]) -> bool:
    """Whether a turn's question and answer are on the path."""
    places: Sequence[str | None] = (turn.parent, turn.question, turn.reply)
    answered = turn.reply is not None or turn.state != "complete"
    return answered and all(place is None or place in ids for place in places)
