"""The store of everything that is kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar

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

T = TypeVar("T")


class HistoryStore(Protocol):
    """Everything that is kept. What a call returned from is on the disk, whole, or was refused with a reason.

    Ids of messages are unique within their chat. Order is by sequence, never by clock.
    """

    async def create_chat(self, chat: Chat) -> None:
        """Keep a new chat."""

    async def changed_elsewhere(self) -> bool:
        """Whether another program has written to it since this was last asked."""

    async def chats(self) -> tuple[Chat, ...]:
        """All chats that are not deleted, the most recently used first, each with when it was last written in."""

    async def chat(self, chat: str) -> Chat:
        """One chat; deleted ones too."""

    async def save_chat(self, chat: Chat) -> None:
        """Change a chat's title, settings, parameters or branch in view, or its deletion."""

    async def change_chat(self, chat: str, change: Callable[[Chat], Chat]) -> None:
        """Change a chat's settings and title in one step: another program may have written them a moment ago."""

    async def append(self, records: Sequence[Record]) -> None:
        """Add messages, all or none; the last one becomes its chat's leaf."""

    async def update(self, record: Record) -> None:
        """Let an unfinished answer grow or end; anything that is finished is refused."""

    async def path(self, chat: str, leaf: str | None = None) -> tuple[Record, ...]:
        """The branch from its first message to the leaf, without what is deleted."""

    async def tail(self, chat: str, number: int, leaf: str | None = None) -> tuple[Record, ...]:
        """The last messages of a branch; only they are read."""

    async def siblings(self, chat: str, message: str) -> tuple[Record, ...]:
        """The versions of a message: all children of its parent, in order."""

    async def delete_message(self, chat: str, message: str, when_utc: str) -> None:
        """Hide a message; its text stays until it is purged, and summaries of it go."""

    async def purge(self) -> int:
        """Remove for good what is deleted, and text that nothing needs any more; how many rows went."""

    async def remove_chats(self, chats: Collection[str]) -> int:
        """Remove these chats for good, and text that nothing needs any more; how many went. Deleted ones stay."""

    async def annotate(self, chat: str, message: str, change: Callable[[Notes], Notes]) -> None:
        """Change what is noted about a message, finished or not, in one step; its text stays as it is.

        `change` is given what is noted now, which another program or task may have written a moment ago.
        """

    async def begin_turn(self, turn: TurnRecord, question: Record | None, draft: str | None = None) -> None:
        """Keep a question and the request made for it, in one step; without a record, the question is there already.

        A question may be answered again, but not twice at the same time. `draft` is what is left of the draft that the
        question was; None leaves it as it is.
        """

    async def finish_turn(self, turn: TurnRecord, replies: Sequence[Record]) -> None:
        """Keep how the running turn of a question ended, and what was answered, in one step.

        Replies that were begun are ended, the others added; the last of them becomes the chat's leaf. The request is
        kept as it was last sent.
        """

    async def turn(self, chat: str, question: str, reply: str | None = None) -> TurnRecord | None:
        """The newest turn of a question; None for imported messages that never had a request.

        With a reply, the one whose answer begins with that message.
        """

    async def last_turn(self, chat: str, leaf: str | None = None) -> TurnRecord | None:
        """The newest turn on a branch, its answer too if it has one; the chat's own where no leaf is given."""

    async def turns(
        self,
        chat: str,
        some: Sequence[tuple[str, str | None]] | None = None,
        path: Sequence[Record] = (),
    ) -> tuple[TurnRecord, ...]:
        """All turns of a chat, in the order they were begun; or those of some questions that are kept, in their order.

        With its reply, the turn whose answer begins with that message. What is on `path` is not read again.
        """

    async def newest_turns(
        self, chat: str, number: int, leaf: str | None = None, path: Sequence[Record] = ()
    ) -> NewestTurns:
        """The turns of a chat that asked last, on whatever branch; and the last one on a branch.

        Not those that failed, or were stopped before anything arrived: nobody knows whether they were read.
        What is on `path`, the messages of a branch, is not read again.
        """

    async def turn_lines(
        self, chat: str, leaf: str | None = None, newest: int | None = None, *, notes: bool = True
    ) -> tuple[TurnLine, ...]:
        """The turns of a branch without their requests, one a question, in the order of the questions.

        Of several turns of a question it is the newest whose answer is on the branch; where none is, the newest that
        was not answered. With `newest`, so many of the last ones; only they are read. Without `notes`, their `usage`
        is None.
        """

    async def turn_inputs(self, chat: str, turns: Sequence[tuple[str, str | None]]) -> tuple[TurnInputs, ...]:
        """What turns were built from, each by its question and its reply as a line names them, in that order.

        History and question are left out: they are messages, which whoever asks has. A turn that is gone is refused.
        """

    async def recent_notes(self, number: int, before: int | None = None) -> tuple[tuple[int, Notes], ...]:
        """What is noted with the newest turns of all chats, the newest first, each with its place in the store.

        With a place, those before it: so a long history is read in pieces. Turns that came along with an imported chat
        are left out, wherever they were sent.
        """

    async def versions(self, chat: str, leaf: str | None = None) -> Mapping[str, tuple[str, ...]]:
        """The messages of a branch that have siblings: ids of all versions, in order, by the message's id."""

    async def keep_snapshot(self, snapshot: Snapshot) -> None:
        """Keep an attachment as it is now."""

    async def snapshots(self, chat: str) -> tuple[Snapshot, ...]:
        """A chat's attachments as they were taken, oldest first."""

    async def newest_snapshot(self, chat: str, key: str) -> Snapshot | None:
        """The copy of one attachment that was taken last; None where there is none."""

    async def copies(self, chat: str) -> tuple[KeptCopy, ...]:
        """What is known of a chat's attached files as they were taken, oldest first; their bytes are not read."""

    async def save_attached(self, chat: str, artifacts: Sequence[Artifact]) -> None:
        """Keep what is attached right now."""

    async def attached(self, chat: str) -> tuple[Artifact, ...]:
        """What is attached right now, in the order it was attached."""

    async def save_tuning(self, chat: str, tuning: Tuning) -> None:
        """Keep what the user decided about single messages."""

    async def tuning(self, chat: str) -> Tuning:
        """What the user decided about single messages."""

    async def save_followed(self, chat: str, folders: Sequence[FollowedFolder]) -> None:
        """Keep which folders a chat follows; they leave this computer with no export."""

    async def followed(self, chat: str) -> tuple[FollowedFolder, ...]:
        """The folders that a chat follows."""

    async def save_draft(self, chat: str, text: str) -> None:
        """Keep what is being written."""

    async def draft(self, chat: str) -> str:
        """What was being written; empty where nothing was."""

    async def save_queued(self, chat: str, texts: Sequence[str]) -> None:
        """Keep the messages that wait to be sent; they go into no export."""

    async def queued(self, chat: str) -> tuple[str, ...]:
        """The messages that wait to be sent, in order."""

    async def save_sides(self, chat: str, sides: Sequence[SideQuestion]) -> None:
        """Keep the side questions of a chat, the newest first; they go into no export, and with the chat."""

    async def sides(self, chat: str) -> tuple[SideQuestion, ...]:
        """The side questions of a chat, the newest first."""

    async def save_steps(self, chat: str, texts: Sequence[str]) -> None:
        """Keep what takes steps of tuning back, in the words of whoever takes them back; a purge removes it."""

    async def steps(self, chat: str) -> tuple[str, ...]:
        """What `save_steps` kept."""

    async def save_preset(self, name: str, settings: ContextSettings | None) -> None:
        """Keep settings under a name; None removes it."""

    async def presets(self) -> Mapping[str, ContextSettings]:
        """The settings kept under a name."""

    async def counts(self, encoding: str, digests: Collection[bytes]) -> Mapping[bytes, int]:
        """The token counts of some texts, by content digest; those that are kept."""

    async def save_counts(self, encoding: str, counts: Mapping[bytes, int]) -> None:
        """Keep token counts; known ones stay."""

    async def search(self, query: str, newest_first: bool = False, limit: int = 50) -> tuple[Hit, ...]:
        """Messages, titles and attachment names with these words; any text is a valid query."""

    async def archive(self, chat: str) -> ChatArchive:
        """Everything about one chat."""

    async def adopt(self, archive: ChatArchive, *, own: bool = False) -> None:
        """Keep a whole chat from elsewhere, all or nothing; one of its `own` knows where its files lie."""

    async def adopt_all(self, archives: Sequence[ChatArchive]) -> tuple[str, ...]:
        """Keep several chats from elsewhere in one step, each whole or not at all; for each why it was not, or nothing.

        A program that ends before the step did has kept none of them.
        """

    async def kept(self, chats: Sequence[str]) -> Mapping[str, ChatArchive]:
        """Those of these chats that are there, deleted ones too, with all their messages and nothing else."""

    async def merge_all(self, archives: Sequence[ChatArchive]) -> None:
        """Bring chats that are there to what these say, in one step, all or none.

        Messages that are not there are added, with their requests and attachments; of those that are, only whether
        they are deleted is taken over, and of the chat itself that, its branch in view, and what imports brought.
        """

    async def watched_sizes(self, more_than_bytes: int = 0) -> tuple[WatchedSize, ...]:
        """The watched chats that nobody deleted, each with about how many bytes its requests take.

        Where all of them cannot take more than that, nothing is measured, and all are 0.
        """

    async def at_once(self, read: Callable[[HistoryStore, str], Coroutine[Any, Any, T]], chat: str) -> T:
        """What `read` finds about a chat in one step: it waits for nothing but the store that it is given.

        It may run in another thread. Reading one value after the other takes as long again for each of them.
        """

    async def days_used(self) -> tuple[str, ...]:
        """The dates on which anything that is kept was written."""

    async def verify(self) -> Verification:
        """Check every page, reference and count."""

    async def close(self) -> None:
        """Finish what was begun and let the files go."""
