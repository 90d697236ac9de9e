"""The history store in its encrypted file: every call is one transaction on the one database thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from workbench.domain.errors import NotKept, StoreDamaged
from workbench.domain.files.attached import KeptCopy
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.folder import FollowedFolder
from workbench.domain.record import (
    Chat,
    ChatArchive,
    Hit,
    NewestTurns,
    Notes,
    Record,
    Snapshot,
    TurnLine,
    TurnRecord,
    Verification,
)
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.side import SideQuestion
from workbench.domain.translation import tr
from workbench.domain.turn import Tuning, TurnInputs
from workbench.domain.watch.request import WatchedSize
from workbench.ports.history import HistoryStore
from workbench.storage.chats import branch_lines, chats, messages, search, turns
from workbench.storage.database.database import Database
from workbench.storage.upkeep import purging, upkeep

# Whole chats in one value: taken out for export, put in by import.


def collect_archive(connection: Connection, chat_id: str) -> ChatArchive:
    """Everything about one chat, deleted messages included."""
    return ChatArchive(
        chat=chats.one(connection, chat_id),
        records=messages.everything(connection, chat_id),
        turns=turns.of_chat(connection, chat_id),
        snapshots=chats.snapshots(connection, chat_id),
        attached=chats.attached(connection, chat_id),
        tuning=chats.tuning(connection, chat_id),
        draft=chats.draft(connection, chat_id),
    )


def kept_archives(connection: Connection, chat_ids: Sequence[str]) -> dict[str, ChatArchive]:
    """The existing chats among these ids, with all their messages."""
    records = messages.of_chats(connection, chat_ids)
    return {
        one.id: ChatArchive(one, tuple(records.get(one.id, ()))) for one in chats.some(connection, chat_ids)
    }


def merge_archives(connection: Connection, archives: Sequence[ChatArchive]) -> None:
    """Add messages to existing chats, and delete or restore some."""
    for archive in archives:
        before = chats.one(connection, archive.chat.id)
        there = messages.places(connection, archive.chat.id)
        new = [record for record in archive.records if record.id not in there]
        messages.append(connection, new)
        for record in archive.records:
            if record.id in there:
                messages.set_deleted(connection, there[record.id], record)
        for turn in archive.turns:
            turns.begin(connection, turn)
        for taken in archive.snapshots:
            bare = replace(taken, chat=archive.chat.id, place="", refused="", bound="")
            chats.keep_snapshot(connection, bare)
        given = archive.chat
        filed = replace(before.filed, brought=given.filed.brought)
        chats.save(connection, replace(before, leaf=given.leaf, deleted_utc=given.deleted_utc, filed=filed))


def adopt_archive(connection: Connection, archive: ChatArchive, own: bool = False) -> None:
    """Store a whole chat; sequence numbers are new, order and branches stay."""
    _adopt(connection, (archive,), own)


def adopt_archives(connection: Connection, archives: Sequence[ChatArchive]) -> tuple[str, ...]:
    """Store several chats, each whole or not at all; returns a reason per chat, empty if it was stored.

    As a rule all of them fit, and are written together; where one does not, each is tried for itself.
    """
    refusal = _try_adopt(connection, archives) if archives else ""
    if not refusal or len(archives) == 1:
        return (refusal,) * len(archives)
    return tuple(_try_adopt(connection, (archive,)) for archive in archives)


def _try_adopt(connection: Connection, archives: Sequence[ChatArchive]) -> str:
    """Store these chats, or none of them; returns why not."""
    connection.exec_driver_sql("SAVEPOINT some_chats")
    try:
        with as_not_kept():
            _adopt(connection, archives)
    except NotKept as problem:
        connection.exec_driver_sql("ROLLBACK TO some_chats")
        return str(problem)
    finally:
        connection.exec_driver_sql("RELEASE some_chats")
    return ""


def _adopt(connection: Connection, archives: Sequence[ChatArchive], own: bool = False) -> None:
    chats.begin(connection, archives)
    messages.append(connection, [record for archive in archives for record in archive.records])
    for archive in archives:
        edited = {one.message for one in archive.tuning.edits}
        messages.find_anew(connection, archive.chat.id, edited, archive.tuning)
        for record in archive.turns:
            turns.begin(connection, record)
        for snapshot in archive.snapshots:
            # Nobody attached these files here: whoever wrote the archive must not choose what is read on this computer.
            taken = snapshot if own else replace(snapshot, place="", refused="", bound="")
            chats.keep_snapshot(connection, replace(taken, chat=archive.chat.id))
    # An archive that says nothing about where it was left ends with its last message.
    ends = {
        one.chat.id: one.chat.leaf
        for one in archives
        if one.records and one.chat.leaf is not None and one.records[-1].id != one.chat.leaf
    }
    chats.set_leaves(connection, ends)


@contextmanager
def as_not_kept() -> Iterator[None]:
    """Raise `NotKept` with a readable message if something violates the tables' constraints."""
    try:
        yield
    except IntegrityError as problem:
        raise NotKept(
            tr("This does not fit what is kept ({orig}); nothing was changed.", orig=problem.orig)
        ) from None
    except UnicodeEncodeError:
        raise NotKept(
            tr("An id or a name holds characters that cannot be kept; nothing was changed.")
        ) from None


P = ParamSpec("P")
T = TypeVar("T")


class SqlCipherHistory:
    """Keeps everything in one SQLCipher file → HistoryStore, which says what each method does.

    Attributes:
        thread: the only thread that touches the database.
    """

    def __init__(self, database: Database, thread: ThreadPoolExecutor, release: Callable[[], None]) -> None:
        self._database = database
        self.thread = thread
        self._release = release
        self._closed = False
        self._version: int | None = None

    async def create_chat(self, chat: Chat) -> None:
        await self.run(chats.create, chat)

    async def changed_elsewhere(self) -> bool:
        """Whether another process has written to the file since the last call."""
        before, self._version = self._version, await self.run(_data_version)
        return before not in (None, self._version)

    async def chats(self) -> tuple[Chat, ...]:
        return await self.run(chats.listed)

    async def chat(self, chat: str) -> Chat:
        return await self.run(chats.one, chat)

    async def save_chat(self, chat: Chat) -> None:
        await self.run(chats.save, chat)

    async def change_chat(self, chat: str, change: Callable[[Chat], Chat]) -> None:
        await self.run(chats.change, chat, change)

    async def append(self, records: Sequence[Record]) -> None:
        await self.run(_append, records)

    async def update(self, record: Record) -> None:
        await self.run(messages.renew, record)

    async def path(self, chat: str, leaf: str | None = None) -> tuple[Record, ...]:
        return await self.run(messages.branch, chat, leaf, None)

    async def tail(self, chat: str, number: int, leaf: str | None = None) -> tuple[Record, ...]:
        return await self.run(messages.branch, chat, leaf, max(0, number))

    async def siblings(self, chat: str, message: str) -> tuple[Record, ...]:
        return await self.run(messages.siblings, chat, message)

    async def delete_message(self, chat: str, message: str, when_utc: str) -> None:
        """Hide a message; its text stays until it is purged, and summaries of it are removed."""
        await self.run(_delete_message, chat, message, when_utc)

    async def purge(self) -> int:
        return await self._purged(purging.purge)

    async def remove_chats(self, chats: Collection[str]) -> int:
        return await self._purged(purging.remove_chats, chats)

    async def _purged(
        self, work: Callable[Concatenate[Connection, P], int], *args: P.args, **kwargs: P.kwargs
    ) -> int:
        gone = await self.run(work, *args, **kwargs)
        # What was purged still stands in the write-ahead log, until that is emptied.
        await self.settle()
        return gone

    async def annotate(self, chat: str, message: str, change: Callable[[Notes], Notes]) -> None:
        await self.run(messages.annotate, chat, message, change)

    async def begin_turn(self, turn: TurnRecord, question: Record | None, draft: str | None = None) -> None:
        """Store a question and its request in one transaction, or another request for a stored question."""
        await self.run(_begin_turn, turn, question, draft)

    async def finish_turn(self, turn: TurnRecord, replies: Sequence[Record]) -> None:
        """Store the end of the running turn and its answer in one transaction."""
        await self.run(_finish_turn, turn, replies)

    async def turn(self, chat: str, question: str, reply: str | None = None) -> TurnRecord | None:
        return await self.run(turns.of_question, chat, question, reply)

    async def last_turn(self, chat: str, leaf: str | None = None) -> TurnRecord | None:
        return await self.run(turns.last_on_branch, chat, leaf)

    async def turns(
        self,
        chat: str,
        some: Sequence[tuple[str, str | None]] | None = None,
        path: Sequence[Record] = (),
    ) -> tuple[TurnRecord, ...]:
        return await self.run(turns.of_chat, chat, some, path)

    async def newest_turns(
        self, chat: str, number: int, leaf: str | None = None, path: Sequence[Record] = ()
    ) -> NewestTurns:
        """The last turns started in a chat, and the last one on a branch."""
        return await self.run(turns.newest, chat, number, leaf, path)

    async def turn_lines(
        self, chat: str, leaf: str | None = None, newest: int | None = None, *, notes: bool = True
    ) -> tuple[TurnLine, ...]:
        return await self.run(branch_lines.turns, chat, leaf, newest, notes)

    async def turn_inputs(self, chat: str, some: Sequence[tuple[str, str | None]]) -> tuple[TurnInputs, ...]:
        return await self.run(turns.inputs_of, chat, some)

    async def recent_notes(self, number: int, before: int | None = None) -> tuple[tuple[int, Notes], ...]:
        return await self.run(turns.recent_notes, number, before)

    async def versions(self, chat: str, leaf: str | None = None) -> Mapping[str, tuple[str, ...]]:
        return await self.run(branch_lines.versions, chat, leaf)

    async def keep_snapshot(self, snapshot: Snapshot) -> None:
        await self.run(chats.keep_snapshot, snapshot)

    async def snapshots(self, chat: str) -> tuple[Snapshot, ...]:
        return await self.run(chats.snapshots, chat)

    async def newest_snapshot(self, chat: str, key: str) -> Snapshot | None:
        return await self.run(chats.newest_snapshot, chat, key)

    async def copies(self, chat: str) -> tuple[KeptCopy, ...]:
        return await self.run(chats.copies, chat)

    async def save_attached(self, chat: str, artifacts: Sequence[Artifact]) -> None:
        await self.run(chats.save_attached, chat, artifacts)

    async def attached(self, chat: str) -> tuple[Artifact, ...]:
        return await self.run(chats.attached, chat)

    async def save_tuning(self, chat: str, tuning: Tuning) -> None:
        await self.run(_save_tuning, chat, tuning)

    async def save_followed(self, chat: str, folders: Sequence[FollowedFolder]) -> None:
        await self.run(chats.save_followed, chat, folders)

    async def save_queued(self, chat: str, texts: Sequence[str]) -> None:
        await self.run(chats.save_queued, chat, texts)

    async def save_sides(self, chat: str, sides: Sequence[SideQuestion]) -> None:
        await self.run(chats.save_sides, chat, sides)

    async def sides(self, chat: str) -> tuple[SideQuestion, ...]:
        return await self.run(chats.sides, chat)

    async def save_steps(self, chat: str, texts: Sequence[str]) -> None:
        await self.run(chats.save_steps, chat, texts)

    async def steps(self, chat: str) -> tuple[str, ...]:
        return await self.run(chats.steps, chat)

    async def queued(self, chat: str) -> tuple[str, ...]:
        return await self.run(chats.queued, chat)

    async def followed(self, chat: str) -> tuple[FollowedFolder, ...]:
        return await self.run(chats.followed, chat)

    async def tuning(self, chat: str) -> Tuning:
        return await self.run(chats.tuning, chat)

    async def save_draft(self, chat: str, text: str) -> None:
        await self.run(lambda connection: chats.save_field(connection, chat, draft=text))

    async def draft(self, chat: str) -> str:
        return await self.run(chats.draft, chat)

    async def save_preset(self, name: str, settings: ContextSettings | None) -> None:
        await self.run(chats.save_preset, name, settings)

    async def presets(self) -> Mapping[str, ContextSettings]:
        return await self.run(chats.presets)

    async def counts(self, encoding: str, digests: Collection[bytes]) -> Mapping[bytes, int]:
        return await self.run(chats.counts, encoding, digests)

    async def save_counts(self, encoding: str, counts: Mapping[bytes, int]) -> None:
        await self.run(chats.save_counts, encoding, counts)

    async def search(self, query: str, newest_first: bool = False, limit: int = 50) -> tuple[Hit, ...]:
        return await self.run(search.search, query, newest_first, limit)

    async def archive(self, chat: str) -> ChatArchive:
        return await self.run(collect_archive, chat)

    async def adopt(self, archive: ChatArchive, *, own: bool = False) -> None:
        await self.run(adopt_archive, archive, own)

    async def adopt_all(self, archives: Sequence[ChatArchive]) -> tuple[str, ...]:
        return await self.run(adopt_archives, archives)

    async def kept(self, chats: Sequence[str]) -> Mapping[str, ChatArchive]:
        return await self.run(kept_archives, chats)

    async def merge_all(self, archives: Sequence[ChatArchive]) -> None:
        await self.run(merge_archives, archives)

    async def watched_sizes(self, more_than_bytes: int = 0) -> tuple[WatchedSize, ...]:
        found, taken = await self.run(turns.listed)
        if taken <= more_than_bytes:
            return found
        known: set[str] = set()
        sized = []
        # One by one: whoever else wants the database gets a turn in between.
        for one in sorted(found, key=lambda one: one.used_utc, reverse=True):
            sized.append(replace(one, bytes=await self.run(turns.measured, one.chat, known)))
        return tuple(sized)

    async def at_once(self, read: Callable[[HistoryStore, str], Coroutine[Any, Any, T]], chat: str) -> T:
        return await self.run(_read_at_once, read, chat)

    async def days_used(self) -> tuple[str, ...]:
        return await self.run(messages.days)

    async def verify(self) -> Verification:
        # The check of pages reads the file itself, where a cut checkpoint may have left torn pages that the
        # write-ahead log still covers.
        with suppress(StoreDamaged):
            await self.settle()
        return await asyncio.get_running_loop().run_in_executor(self.thread, upkeep.verify, self._database)

    async def close(self) -> None:
        """Finish pending work and close the files; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self.thread, self._database.close)
        self.thread.shutdown()
        self._release()

    def on_release(self, done: Callable[[], None]) -> None:
        """Call `done` once, when the files are closed, or the store goes on in others."""
        release = self._release

        def both() -> None:
            done()
            release()

        self._release = both

    async def move(self, opened: Callable[[], tuple[Database, Callable[[], None]]]) -> None:
        """Switch to the database that `opened` makes of this file; calls wait meanwhile.

        Where that fails, this one goes on as it was.
        """
        await asyncio.get_running_loop().run_in_executor(self.thread, self._move, opened)

    def _move(self, opened: Callable[[], tuple[Database, Callable[[], None]]]) -> None:
        self._database.settle()
        self._database.close()
        release = self._release
        self._database, self._release = opened()
        release()

    async def settle(self) -> None:
        """Checkpoint the write-ahead log, so that overwritten content is gone."""
        await asyncio.get_running_loop().run_in_executor(self.thread, self._database.settle)

    async def run(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a function in one transaction on the database thread; for other stores in the same file."""

        def in_transaction() -> T:
            with self._database.transaction() as connection:
                return work(connection, *args, **kwargs)

        with as_not_kept():
            return await asyncio.get_running_loop().run_in_executor(self.thread, in_transaction)


class _InTransaction(SqlCipherHistory):
    """The same for whoever is on the database thread, in a transaction: nothing is waited for."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def run(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return work(self._connection, *args, **kwargs)


def _read_at_once(
    connection: Connection, read: Callable[[HistoryStore, str], Coroutine[Any, Any, T]], chat: str
) -> T:
    try:
        read(_InTransaction(connection), chat).send(None)
    except StopIteration as done:
        return cast(T, done.value)
    raise RuntimeError("What is read at once waited for something else.")


def _data_version(connection: Connection) -> int:
    """A number that changes with other connections' writes, not with our own."""
    version: int = connection.exec_driver_sql("PRAGMA data_version").scalar_one()
    return version


def _append(connection: Connection, records: Sequence[Record]) -> None:
    messages.append(connection, records)
    turns.note_replies(connection, records)


def _save_tuning(connection: Connection, chat: str, tuning: Tuning) -> None:
    changed = {one.message for one in {*chats.tuning(connection, chat).edits} ^ {*tuning.edits}}
    chats.save_tuning(connection, chat, tuning)
    messages.find_anew(connection, chat, changed, tuning)


def _delete_message(connection: Connection, chat: str, message: str, when_utc: str) -> None:
    messages.hide(connection, chat, message, when_utc)
    tuning = chats.tuning(connection, chat)
    if message in tuning.summarised or tuning.versions(message):
        chats.save_tuning(connection, chat, tuning.without(message))


def _begin_turn(connection: Connection, turn: TurnRecord, question: Record | None, draft: str | None) -> None:
    messages.append(connection, [] if question is None else [question])
    turns.begin_again(connection, turn)
    if draft is not None:
        chats.save_field(connection, turn.chat, draft=draft)


def _finish_turn(connection: Connection, turn: TurnRecord, replies: Sequence[Record]) -> None:
    messages.conclude(connection, replies)
    turns.finish(connection, turn, replies[0].id if replies else None)
