"""A history in memory: everything the port promises, in dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, TypeVar

from workbench.domain.errors import NotKept
from workbench.domain.files.attached import KeptCopy
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.folder import FollowedFolder
from workbench.domain.message import Message
from workbench.domain.record import (
    IMPORTED,
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
from workbench.domain.search_words import Term, make_snippet, parse_query, words_of
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.side import SideQuestion
from workbench.domain.turn import Tuning, TurnInputs
from workbench.domain.watch.request import WatchedSize
from workbench.domain.workspace import is_template
from workbench.ports.history import HistoryStore

T = TypeVar("T")


@dataclass
class _Kept:
    """One chat and all that belongs to it; `used` is the sequence of its last message."""

    chat: Chat
    number: int
    used: int
    records: dict[str, Record] = field(default_factory=dict)
    turns: list[TurnRecord] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    attached: tuple[Artifact, ...] = ()
    tuning: Tuning = field(default_factory=Tuning)
    draft: str = ""
    followed: tuple[FollowedFolder, ...] = ()
    queued: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    sides: tuple[SideQuestion, ...] = ()


class MemoryHistory:
    """Keeps everything until it is forgotten → HistoryStore.

    Attributes:
        closed: whether it was closed; a test may open it again by setting it.
        problems: what `verify` shall find.
        elsewhere: whether another program is to have written to it.
    """

    def __init__(self) -> None:
        self._chats: dict[str, _Kept] = {}
        self._presets: dict[str, ContextSettings] = {}
        self._counts: dict[str, dict[bytes, int]] = {}
        self._sequence = 0
        self._number = 0
        self.closed = False
        self.elsewhere = False
        self.problems: tuple[str, ...] = ()

    async def create_chat(self, chat: Chat) -> None:
        """Keep a new chat."""
        if chat.id in self._chats:
            raise NotKept(f"There is a chat {chat.id!r} already; nothing was changed.")
        self._number += 1
        self._chats[chat.id] = _Kept(replace(chat, used_utc=""), self._number, self._sequence)

    async def changed_elsewhere(self) -> bool:
        """As often as a test says."""
        changed, self.elsewhere = self.elsewhere, False
        return changed

    async def chats(self) -> tuple[Chat, ...]:
        """All chats that are not deleted, the most recently used first."""
        shown = [
            kept
            for kept in self._chats.values()
            if kept.chat.deleted_utc is None and not is_template(kept.chat.id)
        ]
        ordered = sorted(shown, key=lambda k: (k.used, k.number), reverse=True)
        return tuple(replace(kept.chat, used_utc=_last_written(kept)) for kept in ordered)

    async def chat(self, chat: str) -> Chat:
        """One chat; deleted ones too."""
        return self._kept(chat).chat

    async def save_chat(self, chat: Chat) -> None:
        """Change what a chat is set to."""
        self._kept(chat.id).chat = replace(chat, used_utc="")

    async def change_chat(self, chat: str, change: Callable[[Chat], Chat]) -> None:
        """Change a chat by what it is now."""
        await self.save_chat(change(await self.chat(chat)))

    async def append(self, records: Sequence[Record]) -> None:
        """Add messages, all or none; the last one becomes its chat's leaf."""
        known = {(kept.chat.id, record) for kept in self._chats.values() for record in kept.records}
        for record in records:
            self._kept(record.chat)
            if (record.chat, record.id) in known:
                raise NotKept(f"The chat {record.chat!r} has a message {record.id!r} already.")
            if record.parent is not None and (record.chat, record.parent) not in known:
                raise NotKept(f"The chat {record.chat!r} has no message {record.parent!r}.")
            known.add((record.chat, record.id))
        for record in records:
            self._sequence += 1
            kept = self._kept(record.chat)
            kept.records[record.id] = replace(record, sequence=self._sequence)
            kept.chat, kept.used = replace(kept.chat, leaf=record.id), self._sequence
            _note_reply(kept, record)

    async def update(self, record: Record) -> None:
        """Let an unfinished answer grow or end; anything that is finished is refused."""
        kept = self._kept(record.chat)
        old = kept.records.get(record.id)
        if old is None or old.state != "running":
            raise NotKept(f"The message {record.id!r} is not an answer in progress.")
        kept.records[record.id] = replace(
            record,
            sequence=old.sequence,
            parent=old.parent,
            deleted_utc=old.deleted_utc or record.deleted_utc,
        )

    async def path(self, chat: str, leaf: str | None = None) -> tuple[Record, ...]:
        """The branch from its first message to the leaf, without what is deleted."""
        return tuple(record for record in self._branch(chat, leaf) if record.deleted_utc is None)

    async def tail(self, chat: str, number: int, leaf: str | None = None) -> tuple[Record, ...]:
        """The last messages of a branch."""
        path = await self.path(chat, leaf)
        return path[max(0, len(path) - number) :] if number > 0 else ()

    async def siblings(self, chat: str, message: str) -> tuple[Record, ...]:
        """The versions of a message."""
        parent = self._record(chat, message).parent
        records = self._kept(chat).records.values()
        return tuple(one for one in records if one.parent == parent and one.deleted_utc is None)

    async def delete_message(self, chat: str, message: str, when_utc: str) -> None:
        """Hide a message, and drop summaries of it."""
        found, kept = self._record(chat, message), self._kept(chat)
        kept.records[message] = replace(found, deleted_utc=when_utc)
        kept.tuning = kept.tuning.without(message)

    async def purge(self) -> int:
        """Remove for good what is deleted; a purged message's answers move up to the one before it."""
        deleted = [kept.chat.id for kept in self._chats.values() if kept.chat.deleted_utc is not None]
        for chat in deleted:
            del self._chats[chat]
        gone = len(deleted) + sum(_purge_messages(kept) for kept in self._chats.values())
        for kept in self._chats.values() if gone else ():
            kept.steps = ()
        return gone

    async def remove_chats(self, chats: Collection[str]) -> int:
        """Forget these chats."""
        gone = [key for key in chats if self._chats.pop(key, None) is not None]
        return len(gone)

    async def annotate(self, chat: str, message: str, change: Callable[[Notes], Notes]) -> None:
        """Change what is noted about a message."""
        found = self._record(chat, message)
        self._kept(chat).records[message] = replace(found, metadata=change(found.metadata))

    async def begin_turn(self, turn: TurnRecord, question: Record | None, draft: str | None = None) -> None:
        """Keep a question and the request made for it."""
        known = {} if question is None else {question.id: question}
        for place in (turn.parent, turn.question, turn.reply):
            if place is not None and place not in known:
                self._record(turn.chat, place)
        if self._running(turn) is not None:
            raise NotKept(f"The question {turn.question!r} is being answered.")
        await self.append([] if question is None else [question])
        self._kept(turn.chat).turns.append(turn)
        if draft is not None:
            await self.save_draft(turn.chat, draft)

    async def finish_turn(self, turn: TurnRecord, replies: Sequence[Record]) -> None:
        """Keep how the running turn of a question ended, and what was answered."""
        kept = self._kept(turn.chat)
        place = self._running(turn)
        if place is None:
            raise NotKept(f"The question {turn.question!r} has no running turn to finish.")
        begun = {key for key, record in kept.records.items() if record.state == "running"}
        await self.append([record for record in replies if record.id not in begun])
        for record in replies:
            if record.id in begun:
                await self.update(record)
            kept.chat = replace(kept.chat, leaf=record.id)
        old = kept.turns[place]
        reply = turn.reply or old.reply or (replies[0].id if replies else None)
        kept.turns[place] = replace(
            turn, number=old.number, parent=old.parent, started_utc=old.started_utc, reply=reply
        )

    async def turn(self, chat: str, question: str, reply: str | None = None) -> TurnRecord | None:
        """The newest turn of a question, or the one that led to a reply."""
        for place in (question,) if reply is None else (question, reply):
            self._record(chat, place)
        turns = (turn for turn in reversed(self._kept(chat).turns) if turn.question == question)
        return next((turn for turn in turns if reply is None or turn.reply == reply), None)

    async def last_turn(self, chat: str, leaf: str | None = None) -> TurnRecord | None:
        """The newest turn on a branch, its answer too if it has one."""
        branch = self._branch(chat, leaf)
        shown = {record.id for record in branch if record.deleted_utc is None}
        for turn in reversed(await self.turns(chat)):
            place = turn.parent if turn.question is None else turn.question
            followed = turn.reply is None or turn.reply in {record.id for record in branch}
            if followed and (place is None or place in shown):
                return turn
        return None

    async def turns(
        self,
        chat: str,
        some: Sequence[tuple[str, str | None]] | None = None,
        path: Sequence[Record] = (),
    ) -> tuple[TurnRecord, ...]:
        """All turns of a chat, in the order they were begun, or those of some questions that are kept."""
        if some is None:
            return tuple(self._chats[chat].turns) if chat in self._chats else ()
        found = []
        for question, reply in some:
            with suppress(NotKept):
                found.append(await self.turn(chat, question, reply))
        return tuple(one for one in found if one is not None)

    async def newest_turns(
        self, chat: str, number: int, leaf: str | None = None, path: Sequence[Record] = ()
    ) -> NewestTurns:
        """The turns of a chat that were begun last, and the last one on a branch."""
        sent = [
            one
            for one in await self.turns(chat)
            if one.question is not None
            and one.state != "failed"
            and (one.state != "stopped" or one.reply is not None)
        ]
        return NewestTurns(await self.last_turn(chat, leaf), tuple(sent[-number:] if number else ()))

    async def turn_lines(
        self, chat: str, leaf: str | None = None, newest: int | None = None, *, notes: bool = True
    ) -> tuple[TurnLine, ...]:
        """The turns of a branch without their requests."""
        branch = self._branch(chat, leaf)
        ids = {record.id for record in branch}
        lines: dict[str, TurnLine] = {}
        for asked in (record.id for record in branch if record.deleted_utc is None):
            turns = [turn for turn in await self.turns(chat) if turn.question == asked]
            unanswered = [turn for turn in turns if turn.reply is None]
            for turn in (*unanswered, *(turn for turn in turns if turn.reply in ids)):
                lines[asked] = _line(asked, turn if notes else replace(turn, usage=None))
        return tuple(lines.values())[0 if newest is None else max(0, len(lines) - newest) :]

    async def turn_inputs(self, chat: str, turns: Sequence[tuple[str, str | None]]) -> tuple[TurnInputs, ...]:
        """What turns were built from, without their messages."""
        found = []
        for question, reply in turns:
            for place in (question,) if reply is None else (question, reply):
                self._record(chat, place)
            of_it = [
                turn for turn in await self.turns(chat) if (turn.question, turn.reply) == (question, reply)
            ]
            if not of_it:
                raise NotKept(f"The question {question!r} has no such turn any more.")
            found.append(replace(of_it[-1].built.inputs, history=(), question=None))
        return tuple(found)

    async def recent_notes(self, number: int, before: int | None = None) -> tuple[tuple[int, Notes], ...]:
        """What is noted with the newest turns of all chats that were sent here."""
        ended = [
            turn
            for kept in self._chats.values()
            for turn in kept.turns
            if turn.usage and IMPORTED not in turn.usage and turn.state != "running"
        ]
        placed = [(place, turn.usage or {}) for place, turn in enumerate(ended, 1)]
        return tuple([one for one in reversed(placed) if before is None or one[0] < before][:number])

    async def versions(self, chat: str, leaf: str | None = None) -> Mapping[str, tuple[str, ...]]:
        """The messages of a branch that have siblings."""
        path = await self.path(chat, leaf)
        found = {one.id: tuple([other.id for other in await self.siblings(chat, one.id)]) for one in path}
        return {one: others for one, others in found.items() if len(others) > 1}

    async def keep_snapshot(self, snapshot: Snapshot) -> None:
        """Keep an attachment as it is now."""
        self._kept(snapshot.chat).snapshots.append(snapshot)

    async def snapshots(self, chat: str) -> tuple[Snapshot, ...]:
        """A chat's attachments as they were taken, oldest first."""
        return tuple(self._chats[chat].snapshots) if chat in self._chats else ()

    async def newest_snapshot(self, chat: str, key: str) -> Snapshot | None:
        """The copy of one attachment that was taken last."""
        kept = [one for one in await self.snapshots(chat) if one.artifact.key == key]
        return kept[-1] if kept else None

    async def copies(self, chat: str) -> tuple[KeptCopy, ...]:
        """What is known of a chat's attached files as they were taken, oldest first."""
        return tuple(
            KeptCopy(
                taken.artifact.key,
                taken.artifact.content_digest,
                len(taken.content),
                sha256(taken.content).hexdigest(),
                taken.place,
                taken.refused,
                taken.artifact.name,
                taken.read_as,
                taken.taken_utc,
                taken.bound,
            )
            for taken in await self.snapshots(chat)
            if taken.modified_utc is not None
        )

    async def save_attached(self, chat: str, artifacts: Sequence[Artifact]) -> None:
        """Keep what is attached right now."""
        self._kept(chat).attached = tuple(artifacts)

    async def attached(self, chat: str) -> tuple[Artifact, ...]:
        """What is attached right now."""
        return self._kept(chat).attached

    async def save_tuning(self, chat: str, tuning: Tuning) -> None:
        """Keep what the user decided about single messages."""
        self._kept(chat).tuning = tuning

    async def tuning(self, chat: str) -> Tuning:
        """What the user decided about single messages."""
        return self._kept(chat).tuning

    async def save_queued(self, chat: str, texts: Sequence[str]) -> None:
        """Remember them."""
        self._kept(chat).queued = tuple(texts)

    async def save_sides(self, chat: str, sides: Sequence[SideQuestion]) -> None:
        """Remember them."""
        self._kept(chat).sides = tuple(sides)

    async def sides(self, chat: str) -> tuple[SideQuestion, ...]:
        """The side questions of a chat."""
        return self._kept(chat).sides

    async def save_steps(self, chat: str, texts: Sequence[str]) -> None:
        """Keep what takes steps back."""
        self._kept(chat).steps = tuple(texts)

    async def steps(self, chat: str) -> tuple[str, ...]:
        """What takes steps back."""
        return self._kept(chat).steps

    async def queued(self, chat: str) -> tuple[str, ...]:
        """What was remembered."""
        return self._kept(chat).queued

    async def save_followed(self, chat: str, folders: Sequence[FollowedFolder]) -> None:
        """Keep which folders a chat follows."""
        self._kept(chat).followed = tuple(folders)

    async def followed(self, chat: str) -> tuple[FollowedFolder, ...]:
        """The folders that a chat follows."""
        return self._kept(chat).followed

    async def save_draft(self, chat: str, text: str) -> None:
        """Keep what is being written."""
        self._kept(chat).draft = text

    async def draft(self, chat: str) -> str:
        """What was being written."""
        return self._kept(chat).draft

    async def save_preset(self, name: str, settings: ContextSettings | None) -> None:
        """Keep settings under a name; None removes it."""
        self._presets.pop(name, None)
        if settings is not None:
            self._presets[name] = settings

    async def presets(self) -> Mapping[str, ContextSettings]:
        """The settings kept under a name."""
        return dict(sorted(self._presets.items()))

    async def counts(self, encoding: str, digests: Collection[bytes]) -> Mapping[bytes, int]:
        """The token counts of some texts, by content digest."""
        kept = self._counts.get(encoding, {})
        return {digest: kept[digest] for digest in digests if digest in kept}

    async def save_counts(self, encoding: str, counts: Mapping[bytes, int]) -> None:
        """Keep token counts; known ones stay."""
        self._counts[encoding] = {**counts, **self._counts.get(encoding, {})}

    async def search(self, query: str, newest_first: bool = False, limit: int = 50) -> tuple[Hit, ...]:
        """Messages, titles and attachment names with these words; best is where they occur most."""
        terms = parse_query(query)
        wanted = [term for term in terms if not term.unwanted]
        if not wanted:
            return ()
        hits = [hit for kept in self._chats.values() for hit in _hits(kept, terms)]
        if newest_first:
            hits.sort(key=lambda hit: hit.created_utc, reverse=True)
        else:
            hits.sort(key=lambda hit: len(hit.marks), reverse=True)
        return tuple({(hit.where, hit.chat, hit.subject): hit for hit in reversed(hits)}.values())[::-1][
            :limit
        ]

    async def archive(self, chat: str) -> ChatArchive:
        """Everything about one chat."""
        kept = self._kept(chat)
        return ChatArchive(
            kept.chat, tuple(kept.records.values()), tuple(kept.turns), tuple(kept.snapshots),
            kept.attached, kept.tuning, kept.draft,
        )  # fmt: skip

    async def adopt(self, archive: ChatArchive, *, own: bool = False) -> None:
        """Keep a whole chat from elsewhere, all or nothing."""
        await self.create_chat(archive.chat)
        try:
            await self.append(archive.records)
            for turn in archive.turns:
                self._adopt_turn(turn)
        except NotKept:
            del self._chats[archive.chat.id]
            raise
        kept = self._kept(archive.chat.id)
        kept.chat = replace(archive.chat, used_utc="")
        kept.attached, kept.tuning = archive.attached, archive.tuning
        kept.draft = archive.draft
        here = [replace(taken, chat=archive.chat.id) for taken in archive.snapshots]
        kept.snapshots = here if own else [replace(one, place="", refused="", bound="") for one in here]

    async def adopt_all(self, archives: Sequence[ChatArchive]) -> tuple[str, ...]:
        """Keep several chats from elsewhere, each whole or not at all."""
        refusals = []
        for archive in archives:
            try:
                await self.adopt(archive)
                refusals.append("")
            except NotKept as problem:
                refusals.append(str(problem))
        return tuple(refusals)

    async def kept(self, chats: Sequence[str]) -> Mapping[str, ChatArchive]:
        """Those that are there, with their messages."""
        there = [self._chats[key] for key in chats if key in self._chats]
        return {one.chat.id: ChatArchive(one.chat, tuple(one.records.values())) for one in there}

    async def merge_all(self, archives: Sequence[ChatArchive]) -> None:
        """All or none."""
        before = deepcopy(self._chats)
        try:
            for archive in archives:
                self._merge(archive)
        except NotKept:
            self._chats = before
            raise

    def _merge(self, archive: ChatArchive) -> None:
        kept = self._kept(archive.chat.id)
        for record in archive.records:
            there = kept.records.get(record.id)
            if there is None:
                if record.parent is not None and record.parent not in kept.records:
                    raise NotKept(f"The chat {record.chat!r} has no message {record.parent!r}.")
                self._sequence += 1
                kept.records[record.id] = replace(record, sequence=self._sequence)
                kept.used = self._sequence
            else:
                kept.records[record.id] = replace(there, deleted_utc=record.deleted_utc)
        for turn in archive.turns:
            self._adopt_turn(turn)
        bare = (replace(one, place="", refused="", bound="") for one in archive.snapshots)
        kept.snapshots += [replace(one, chat=archive.chat.id) for one in bare]
        given = archive.chat
        filed = replace(kept.chat.filed, brought=given.filed.brought)
        kept.chat = replace(kept.chat, leaf=given.leaf, deleted_utc=given.deleted_utc, filed=filed)

    async def watched_sizes(self, more_than_bytes: int = 0) -> tuple[WatchedSize, ...]:
        """What the bodies and texts of watched chats take: a thousand bytes a request."""
        found = []
        for kept in self._chats.values():
            chat, mark = kept.chat, kept.chat.filed.watched
            if mark is not None and chat.deleted_utc in (None, mark.binned_utc):
                used = max((one.created_utc for one in kept.records.values()), default=chat.created_utc)
                running = any(one.state == "running" for one in kept.turns)
                taken = 1000 * len(kept.turns)
                binned = chat.deleted_utc or ""
                found.append(WatchedSize(chat.id, mark.since(used), taken, running, binned))
        return (
            tuple(found)
            if sum(one.bytes for one in found) > more_than_bytes
            else tuple(replace(one, bytes=0) for one in found)
        )

    async def at_once(self, read: Callable[[HistoryStore, str], Coroutine[Any, Any, T]], chat: str) -> T:
        """What is read of it; nothing else runs meanwhile."""
        return await read(self, chat)

    async def days_used(self) -> tuple[str, ...]:
        """The dates of all messages."""
        return tuple({one.created_utc[:10] for kept in self._chats.values() for one in kept.records.values()})

    async def verify(self) -> Verification:
        """Check every count; the problems are those a test has planted."""
        kept = self._chats.values()
        return Verification(
            pages=1,
            chats=len(kept),
            messages=sum(len(one.records) for one in kept),
            turns=sum(len(one.turns) for one in kept),
            problems=self.problems,
        )

    async def close(self) -> None:
        """Nothing is open; only remembered, so that a test can ask."""
        self.closed = True

    def _kept(self, chat: str) -> _Kept:
        if chat not in self._chats:
            raise NotKept(f"There is no chat {chat!r}.")
        return self._chats[chat]

    def _record(self, chat: str, message: str) -> Record:
        kept = self._chats.get(chat)
        if kept is None or message not in kept.records:
            raise NotKept(f"The chat {chat!r} has no message {message!r}.")
        return kept.records[message]

    def _running(self, turn: TurnRecord) -> int | None:
        """Which turn of the question is being answered."""
        turns = self._kept(turn.chat).turns
        places = [
            i for i, one in enumerate(turns) if one.question == turn.question and one.state == "running"
        ]
        return places[0] if places and turn.question is not None else None

    def _adopt_turn(self, turn: TurnRecord) -> None:
        for place in (turn.parent, turn.question, turn.reply):
            if place is not None:
                self._record(turn.chat, place)
        if turn.state == "running" and self._running(turn) is not None:
            raise NotKept(f"The question {turn.question!r} is being answered twice.")
        self._kept(turn.chat).turns.append(turn)

    def _branch(self, chat: str, leaf: str | None) -> list[Record]:
        if leaf is None:
            leaf = self._chats[chat].chat.leaf if chat in self._chats else None
        branch: list[Record] = []
        while leaf is not None:
            record = self._record(chat, leaf)
            branch.append(record)
            leaf = record.parent
        return branch[::-1]


def _last_written(kept: _Kept) -> str:
    """The time of the chat's last message; an empty one was written in when it was made."""
    return list(kept.records.values())[-1].created_utc if kept.records else kept.chat.created_utc


def _line(asked: str, turn: TurnRecord) -> TurnLine:
    return TurnLine(
        turn.number, asked, turn.started_utc, turn.state, turn.usage, turn.finished_utc, turn.reply
    )


def _moved_up(place: str | None, gone: Record) -> str | None:
    return gone.parent if place == gone.id else place


def _note_reply(kept: _Kept, record: Record) -> None:
    """What answers a question whose turn is running is that turn's reply."""
    if isinstance(record.entry, Message) and record.entry.role == "assistant" and record.parent is not None:
        kept.turns = [
            replace(turn, reply=record.id)
            if (turn.question, turn.state, turn.reply) == (record.parent, "running", None)
            else turn
            for turn in kept.turns
        ]


def _purge_messages(kept: _Kept) -> int:
    deleted = [record for record in kept.records.values() if record.deleted_utc is not None]
    for gone in reversed(deleted):
        del kept.records[gone.id]
        kept.turns = [turn for turn in kept.turns if turn.question != gone.id]
        _move_answer(kept, gone)
        kept.records = {r.id: replace(r, parent=_moved_up(r.parent, gone)) for r in kept.records.values()}
        kept.chat = replace(kept.chat, leaf=_moved_up(kept.chat.leaf, gone))
        kept.turns = [replace(t, parent=_moved_up(t.parent, gone)) for t in kept.turns]
    return len(deleted)


def _move_answer(kept: _Kept, gone: Record) -> None:
    """An answer begins with what is left of it; where nothing is, its turn goes if its question has another one."""
    left = [r.id for r in kept.records.values() if r.parent == gone.id and _is_answer(r)]
    for turn in [turn for turn in kept.turns if turn.reply == gone.id]:
        place = kept.turns.index(turn)
        again = [other for other in kept.turns if other.question == turn.question and other is not turn]
        if not left and again and turn.state != "running":
            del kept.turns[place]
        else:
            kept.turns[place] = replace(turn, reply=left[0] if left else None)


def _is_answer(record: Record) -> bool:
    return isinstance(record.entry, Message) and record.entry.role in ("assistant", "tool")


def _hits(kept: _Kept, terms: Sequence[Term]) -> list[Hit]:
    if kept.chat.deleted_utc is not None:
        return []
    found = []
    for record in kept.records.values():
        if record.deleted_utc is None and record.state != "running":
            words = record.entry.text if isinstance(record.entry, Message) else record.entry.body
            versions = (one.text for one in reversed(kept.tuning.versions(record.id)))
            words = "\n".join((*versions, words))
            found.append(("message", record.id, words, words, record.created_utc))
    found.append(("title", kept.chat.id, kept.chat.title, kept.chat.title, kept.chat.created_utc))
    for taken in kept.snapshots:
        key = taken.artifact.key
        found.append(("attachment", key, f"{key} {taken.artifact.title}", key, taken.taken_utc))
    return [
        Hit(kept.chat.id, kept.chat.title, where, subject, *make_snippet(shown, terms), when)  # type: ignore[arg-type]
        for where, subject, words, shown, when in found
        if _matches(words, terms)
    ]


def _matches(text: str, terms: Sequence[Term]) -> bool:
    words = words_of(text)
    return all(_has(words, term) != term.unwanted for term in terms)


def _has(words: Sequence[str], term: Term) -> bool:
    length = len(term.words)
    for start in range(len(words) - length + 1):
        stretch = tuple(words[start : start + length])
        if stretch[:-1] == term.words[:-1] and _ends(stretch[-1], term):
            return True
    return False


def _ends(word: str, term: Term) -> bool:
    return word.startswith(term.words[-1]) if term.prefix else word == term.words[-1]
