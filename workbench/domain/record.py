"""Stored values: chats, messages in a tree, turns with their envelopes, attachment snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.domain.change import Built
from workbench.domain.chunk import Chunk
from workbench.domain.envelope import TrimState
from workbench.domain.files.attachment import Artifact
from workbench.domain.files.document import ReadAs
from workbench.domain.message import Entry, Message, is_steered
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.translation import tr
from workbench.domain.turn import LibraryEntry, Tuning
from workbench.domain.workspace import Filed, SavedPrompt, Workspace

TurnState = Literal["running", "complete", "stopped", "interrupted", "failed"]
Notes = Mapping[str, Any]
"""Free JSON values by name: metadata, hints, parameters, usage as a provider reported it."""


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat with its settings; `leaf` is the newest message of the branch in view.

    `used_utc` is when it was last written to, filled in only by some queries; it is not stored with the chat.
    """

    id: str
    created_utc: str
    title: str = ""
    settings: ContextSettings = field(default_factory=ContextSettings)
    parameters: Notes = field(default_factory=dict)
    leaf: str | None = None
    deleted_utc: str | None = None
    used_utc: str = ""
    filed: Filed = field(default_factory=Filed)


@dataclass(frozen=True, slots=True)
class Record:
    """A message in its chat's tree. Editing makes a sibling; deleting sets `deleted_utc` until purged.

    Attributes:
        sequence: the order in which the store took it, which is what everything is ordered by.
        attached: keys of what was attached when a question was asked.
        commands: the results of the question's own commands (@read, @search, @ls).
        hints: what a prompt was given along; metadata is about the message itself.
    """

    chat: str
    entry: Entry
    created_utc: str
    parent: str | None = None
    sequence: int = 0
    state: TurnState = "complete"
    attached: tuple[str, ...] = ()
    commands: tuple[Chunk, ...] = ()
    metadata: Notes = field(default_factory=dict)
    hints: Notes = field(default_factory=dict)
    deleted_utc: str | None = None

    @property
    def id(self) -> str:
        return self.entry.id


def branch_history(path: Iterable[Record]) -> tuple[Entry, ...]:
    """The history of a branch, in order, with the results of a question's commands before it, as sent."""
    return tuple(entry for record in path for entry in (*record.commands, record.entry))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An attachment at the time it was taken; `content` are the file's own bytes.

    Attributes:
        place: where the file lies, if the user attached it on this computer: only then it may be refreshed without
            being asked for. It goes into no export, and is taken from no import.
        refused: the digest of the file's newer content, which this copy was chosen over.
        read_as: what kind of file it is, and how its text was had.
        bound: the folder in which a name or a pattern found it; it is refreshed only from there, and through no link.
    """

    chat: str
    artifact: Artifact
    taken_utc: str
    content: bytes = b""
    modified_utc: str | None = None
    place: str = ""
    refused: str = ""
    read_as: ReadAs = field(default_factory=ReadAs)
    bound: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state that the next turn starts from; stored with each turn, so that every branch finds its own."""

    attached: tuple[Artifact, ...] = ()
    library: tuple[LibraryEntry, ...] = ()
    trim: TrimState = field(default_factory=TrimState)


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A request as it was built, and how it ended.

    Its history is the path to `parent`, the message it stands after; `question` is None where nothing was sent. A
    question that was answered again has several turns: `reply` is the first message of this one's answer, None
    until it has one. A turn with tools makes several requests; `built` is the last of them.
    """

    chat: str
    number: int
    parent: str | None
    question: str | None
    built: Built
    after: Standing
    started_utc: str
    state: TurnState = "running"
    usage: Notes | None = None
    finished_utc: str | None = None
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class NewestTurns:
    """The newest turns of a chat, in order; `last` is the newest of a branch, if it has any.

    Where `last` is one of them, it is the same object.
    """

    last: TurnRecord | None = None
    begun: tuple[TurnRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnLine:
    """A turn in a long list: how it went, without its request, which is slow to load."""

    number: int
    question: str
    started_utc: str
    state: TurnState = "running"
    usage: Notes | None = None
    finished_utc: str | None = None
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A search hit; the snippet is plain text, `marks` are the (start, end) of the matches in it."""

    chat: str
    chat_title: str
    where: Literal["message", "title", "attachment"]
    subject: str
    snippet: str
    marks: tuple[tuple[int, int], ...]
    created_utc: str


@dataclass(frozen=True, slots=True)
class ChatArchive:
    """A whole chat for export and import."""

    chat: Chat
    records: tuple[Record, ...] = ()
    turns: tuple[TurnRecord, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    attached: tuple[Artifact, ...] = ()
    tuning: Tuning = field(default_factory=Tuning)
    draft: str = ""


@dataclass(frozen=True, slots=True)
class WorkspaceArchive:
    """A whole workspace for export and import; the template is an empty chat with its files and settings."""

    workspace: Workspace
    template: ChatArchive
    prompts: tuple[SavedPrompt, ...] = ()
    chats: tuple[ChatArchive, ...] = ()


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The result of recovering a damaged store.

    Attributes:
        aside: empty where the damaged file was not replaced.
        unreadable_pages: how many could not be read. texts_lost: messages and attachments without their text.
        complete: whether nothing is lost: of a page that could not be read, all may stand elsewhere.
    """

    messages: int
    aside: str = ""
    unreadable_pages: int = 0
    texts_lost: int = 0
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying the whole store; no problems means every page, key and count is right."""

    pages: int
    chats: int
    messages: int
    turns: int
    locked: int = 0
    problems: tuple[str, ...] = ()


PREFILL = "prefill"
"""Hint with a question: how its answer was to begin."""
BEGUN_CHARS = "begun_chars"
"""Noted with an answer whose beginning the user wrote: how long that is."""


def is_question(record: Record) -> bool:
    """Whether a message is the user's and began a turn."""
    entry = record.entry
    return isinstance(entry, Message) and entry.role == "user" and not is_steered(entry.id)


# A draft as it is kept.


_BEGINS = tr("\n\x1eBegin the answer with:\n")
"""What stands between the words of a draft and how the answer is to begin: they are kept, and leave, in one step."""


def whole_draft(words: str, beginning: str) -> str:
    """A draft as it is kept: its words, and how the answer to them is to begin."""
    return f"{words}{_BEGINS}{beginning}" if beginning else words


def split_draft(draft: str) -> tuple[str, str]:
    """The words of a kept draft, and how the answer is to begin; empty where that is left to the model."""
    words, _, beginning = draft.partition(_BEGINS)
    return words, beginning


MOST_TOKENS = 10**9
"""No request is that long: what is more was not counted by anybody, and would break the arithmetic."""
IMPORTED = "imported"
"""Noted with turns that were sent elsewhere, or came out of a file: they are shown, and teach nothing."""
_MOST = 1e12


def noted_table(notes: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A table in a turn's notes; empty where the value is missing or something else."""
    found = notes.get(name)
    return found if isinstance(found, dict) else {}


def noted_text(notes: Mapping[str, Any], name: str) -> str:
    """A text in a turn's notes; empty where the value is missing or something else."""
    found = notes.get(name)
    return found if isinstance(found, str) else ""


def noted_amount(notes: Mapping[str, Any], name: str) -> float | None:
    """A number in a turn's notes; None where the value is missing, infinite or something else."""
    found = _number(notes.get(name))
    # Compared before it is converted: an integer may be larger than any float, and NaN is never within.
    return float(found) if found is not None and 0 <= found <= _MOST else None


def noted_count(notes: Mapping[str, Any], name: str) -> int | None:
    """A count in a turn's notes; None where the value is missing or not a valid count."""
    found = _number(notes.get(name))
    if found is None or not 0 <= found <= MOST_TOKENS or found != int(found):
        return None
    return int(found)


def _number(found: object) -> int | float | None:
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def noted_of_last(notes: Mapping[str, Any], name: str) -> int | None:
    """A count of the last request, where tools made a turn several requests."""
    requests: object = notes.get("requests")
    several: Sequence[object] = requests if isinstance(requests, list) else ()
    last = several[-1] if several else notes
    return noted_count(last, name) if isinstance(last, Mapping) else None
