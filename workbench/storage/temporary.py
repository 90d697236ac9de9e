"""A history in which temporary chats are only in memory, and everything else is where it always is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

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
from workbench.domain.turn import Tuning, TurnInputs
from workbench.domain.watch.request import WatchedSize
from workbench.ports.history import HistoryStore
from workbench.storage.database.database import Database
from workbench.storage.database.migrations import migrate
from workbench.storage.history import SqlCipherHistory

T = TypeVar("T")


def memory_history() -> SqlCipherHistory:
    """An empty history in memory, with the usual tables; nothing of it is ever written to a file."""
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="temporary")
    database = Database(_connect)
    thread.submit(migrate, database, lambda version: None).result()
    return SqlCipherHistory(database, thread, lambda: None)


def _connect() -> Any:
    import sqlcipher3.dbapi2 as driver

    connection = driver.connect(":memory:", cached_statements=0)
    # Large sorts would go to files of the system's temporary folder else.
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


class HistoryWithTemporary:
    """A history whose temporary chats are in memory → HistoryStore, which says what each method does.

    A temporary chat that is saved as an ordinary one is moved to the disk whole. Search, statistics and what turns
    teach about models leave temporary chats out; token counts, kept by the digest of their text, are not written to
    the disk any more once there was one.
    """

    def __init__(self, kept: HistoryStore, make_memory: Callable[[], HistoryStore] = memory_history) -> None:
        self._kept, self._make_memory = kept, make_memory
        self._memory: HistoryStore | None = None
        self._temporary: set[str] = set()

    def _of(self, chat: str) -> HistoryStore:
        return self._kept if self._memory is None or chat not in self._temporary else self._memory

    def _marked(self, chat: Chat) -> Chat:
        """The chat with its mark, which no store writes down."""
        temporary = chat.id in self._temporary
        return replace(chat, filed=replace(chat.filed, temporary=True)) if temporary else chat

    def _begin(self, chat: str) -> HistoryStore:
        if self._memory is None:
            self._memory = self._make_memory()
        self._temporary.add(chat)
        return self._memory

    async def create_chat(self, chat: Chat) -> None:
        await (self._begin(chat.id) if chat.filed.temporary else self._kept).create_chat(chat)

    async def changed_elsewhere(self) -> bool:
        return await self._kept.changed_elsewhere()

    async def chats(self) -> tuple[Chat, ...]:
        beside = () if self._memory is None else await self._memory.chats()
        return (*map(self._marked, beside), *await self._kept.chats())

    async def chat(self, chat: str) -> Chat:
        return self._marked(await self._of(chat).chat(chat))

    async def save_chat(self, chat: Chat) -> None:
        if chat.id in self._temporary and not chat.filed.temporary:
            await self._keep(chat)
        else:
            await self._of(chat.id).save_chat(chat)

    async def change_chat(self, chat: str, change: Callable[[Chat], Chat]) -> None:
        if chat in self._temporary:
            await self.save_chat(change(await self.chat(chat)))
        else:
            await self._kept.change_chat(chat, change)

    async def _keep(self, chat: Chat) -> None:
        """Move a temporary chat to the disk; where that is refused, it stays temporary as it was."""
        memory, to = self._of(chat.id), self._kept
        await memory.save_chat(chat)
        await to.adopt(await memory.archive(chat.id), own=True)
        self._temporary.discard(chat.id)
        await to.save_queued(chat.id, await memory.queued(chat.id))
        await to.save_followed(chat.id, await memory.followed(chat.id))
        await to.save_sides(chat.id, await memory.sides(chat.id))
        await to.save_steps(chat.id, await memory.steps(chat.id))
        await memory.remove_chats((chat.id,))

    async def append(self, records: Sequence[Record]) -> None:
        if records:
            await self._of(records[0].chat).append(records)

    async def update(self, record: Record) -> None:
        await self._of(record.chat).update(record)

    async def path(self, chat: str, leaf: str | None = None) -> tuple[Record, ...]:
        return await self._of(chat).path(chat, leaf)

    async def tail(self, chat: str, number: int, leaf: str | None = None) -> tuple[Record, ...]:
        return await self._of(chat).tail(chat, number, leaf)

    async def siblings(self, chat: str, message: str) -> tuple[Record, ...]:
        return await self._of(chat).siblings(chat, message)

    async def delete_message(self, chat: str, message: str, when_utc: str) -> None:
        await self._of(chat).delete_message(chat, message, when_utc)

    async def purge(self) -> int:
        beside = 0 if self._memory is None else await self._memory.purge()
        return beside + await self._kept.purge()

    async def remove_chats(self, chats: Collection[str]) -> int:
        beside = self._temporary & {*chats}
        gone = await self._memory.remove_chats(beside) if self._memory is not None and beside else 0
        rest = [chat for chat in chats if chat not in beside]
        return gone + (await self._kept.remove_chats(rest) if rest or not beside else 0)

    async def annotate(self, chat: str, message: str, change: Callable[[Notes], Notes]) -> None:
        await self._of(chat).annotate(chat, message, change)

    async def begin_turn(self, turn: TurnRecord, question: Record | None, draft: str | None = None) -> None:
        await self._of(turn.chat).begin_turn(turn, question, draft)

    async def finish_turn(self, turn: TurnRecord, replies: Sequence[Record]) -> None:
        await self._of(turn.chat).finish_turn(turn, replies)

    async def turn(self, chat: str, question: str, reply: str | None = None) -> TurnRecord | None:
        return await self._of(chat).turn(chat, question, reply)

    async def last_turn(self, chat: str, leaf: str | None = None) -> TurnRecord | None:
        return await self._of(chat).last_turn(chat, leaf)

    async def turns(
        self,
        chat: str,
        some: Sequence[tuple[str, str | None]] | None = None,
        path: Sequence[Record] = (),
    ) -> tuple[TurnRecord, ...]:
        return await self._of(chat).turns(chat, some, path)

    async def newest_turns(
        self, chat: str, number: int, leaf: str | None = None, path: Sequence[Record] = ()
    ) -> NewestTurns:
        return await self._of(chat).newest_turns(chat, number, leaf, path)

    async def turn_lines(
        self, chat: str, leaf: str | None = None, newest: int | None = None, *, notes: bool = True
    ) -> tuple[TurnLine, ...]:
        return await self._of(chat).turn_lines(chat, leaf, newest, notes=notes)

    async def turn_inputs(self, chat: str, turns: Sequence[tuple[str, str | None]]) -> tuple[TurnInputs, ...]:
        return await self._of(chat).turn_inputs(chat, turns)

    async def recent_notes(self, number: int, before: int | None = None) -> tuple[tuple[int, Notes], ...]:
        return await self._kept.recent_notes(number, before)

    async def versions(self, chat: str, leaf: str | None = None) -> Mapping[str, tuple[str, ...]]:
        return await self._of(chat).versions(chat, leaf)

    async def keep_snapshot(self, snapshot: Snapshot) -> None:
        await self._of(snapshot.chat).keep_snapshot(snapshot)

    async def snapshots(self, chat: str) -> tuple[Snapshot, ...]:
        return await self._of(chat).snapshots(chat)

    async def newest_snapshot(self, chat: str, key: str) -> Snapshot | None:
        return await self._of(chat).newest_snapshot(chat, key)

    async def copies(self, chat: str) -> tuple[KeptCopy, ...]:
        return await self._of(chat).copies(chat)

    async def save_attached(self, chat: str, artifacts: Sequence[Artifact]) -> None:
        await self._of(chat).save_attached(chat, artifacts)

    async def attached(self, chat: str) -> tuple[Artifact, ...]:
        return await self._of(chat).attached(chat)

    async def save_tuning(self, chat: str, tuning: Tuning) -> None:
        await self._of(chat).save_tuning(chat, tuning)

    async def tuning(self, chat: str) -> Tuning:
        return await self._of(chat).tuning(chat)

    async def save_followed(self, chat: str, folders: Sequence[FollowedFolder]) -> None:
        await self._of(chat).save_followed(chat, folders)

    async def followed(self, chat: str) -> tuple[FollowedFolder, ...]:
        return await self._of(chat).followed(chat)

    async def save_draft(self, chat: str, text: str) -> None:
        await self._of(chat).save_draft(chat, text)

    async def draft(self, chat: str) -> str:
        return await self._of(chat).draft(chat)

    async def save_queued(self, chat: str, texts: Sequence[str]) -> None:
        await self._of(chat).save_queued(chat, texts)

    async def queued(self, chat: str) -> tuple[str, ...]:
        return await self._of(chat).queued(chat)

    async def save_sides(self, chat: str, sides: Sequence[SideQuestion]) -> None:
        await self._of(chat).save_sides(chat, sides)

    async def sides(self, chat: str) -> tuple[SideQuestion, ...]:
        return await self._of(chat).sides(chat)

    async def save_steps(self, chat: str, texts: Sequence[str]) -> None:
        await self._of(chat).save_steps(chat, texts)

    async def steps(self, chat: str) -> tuple[str, ...]:
        return await self._of(chat).steps(chat)

    async def save_preset(self, name: str, settings: ContextSettings | None) -> None:
        await self._kept.save_preset(name, settings)

    async def presets(self) -> Mapping[str, ContextSettings]:
        return await self._kept.presets()

    async def counts(self, encoding: str, digests: Collection[bytes]) -> Mapping[bytes, int]:
        return await self._kept.counts(encoding, digests)

    async def save_counts(self, encoding: str, counts: Mapping[bytes, int]) -> None:
        if self._memory is None:
            await self._kept.save_counts(encoding, counts)

    async def search(self, query: str, newest_first: bool = False, limit: int = 50) -> tuple[Hit, ...]:
        return await self._kept.search(query, newest_first, limit)

    async def archive(self, chat: str) -> ChatArchive:
        found = await self._of(chat).archive(chat)
        return replace(found, chat=self._marked(found.chat))

    async def adopt(self, archive: ChatArchive, *, own: bool = False) -> None:
        chat = archive.chat
        await (self._begin(chat.id) if own and chat.filed.temporary else self._kept).adopt(archive, own=own)

    async def adopt_all(self, archives: Sequence[ChatArchive]) -> tuple[str, ...]:
        return await self._kept.adopt_all(archives)

    async def kept(self, chats: Sequence[str]) -> Mapping[str, ChatArchive]:
        return await self._kept.kept(chats)

    async def merge_all(self, archives: Sequence[ChatArchive]) -> None:
        await self._kept.merge_all(archives)

    async def watched_sizes(self, more_than_bytes: int = 0) -> tuple[WatchedSize, ...]:
        return await self._kept.watched_sizes(more_than_bytes)

    async def at_once(self, read: Callable[[HistoryStore, str], Coroutine[Any, Any, T]], chat: str) -> T:
        return await (read(self, chat) if chat in self._temporary else self._kept.at_once(read, chat))

    async def days_used(self) -> tuple[str, ...]:
        return await self._kept.days_used()

    async def verify(self) -> Verification:
        return await self._kept.verify()

    async def close(self) -> None:
        if self._memory is not None:
            await self._memory.close()
        await self._kept.close()
