"""Results of an import: chats ready to be stored, and sentences about everything that was lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from workbench.domain.chat_line import title_from
from workbench.domain.files.attachment import ArtifactKind
from workbench.domain.message import Image, Message, Role, Thought, ToolCall
from workbench.domain.record import Chat, ChatArchive, Notes, Record, TurnState, WorkspaceArchive
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import repair_text
from workbench.domain.translation import tr
from workbench.engine.exchange.beside import Beside
from workbench.ports.exchange_files import FilesFound

_GOOD_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+-]{0,63}", re.ASCII)
_LONGEST_TITLE = 300
_LONGEST_FIELD = 40


@dataclass(frozen=True, slots=True)
class Fresh:
    """Fallbacks for what a file may lack: the time of the import, ids, and files beside it.

    `first` is the number of the first one: a long file is read in pieces.
    """

    now_utc: str
    new_id: Callable[[], str]
    beside: Beside = field(default_factory=Beside)
    first: int = 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """An attachment that a file names but does not hold; `origin` is the chat it came from."""

    chat: str
    message: str
    key: str
    kind: ArtifactKind
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Losses:
    """Counts of what was left out or changed while a file was read.

    Attributes:
        left_out: what is in the file and not in the chats.
        changed: what is there in another way than the file has it; each says in which.
    """

    left_out: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)

    def note_fields(self, whose: str, table: Mapping[str, object], known: Iterable[str]) -> None:
        """Count fields with content that have no meaning here."""
        for name in table.keys() - set(known):
            if table[name] not in (None, "", [], {}):
                self.left_out[f"field “{name[:_LONGEST_FIELD]}” of a {whose}"] += 1

    def plus(self, other: Losses) -> Losses:
        """The sum of both."""
        return Losses(self.left_out + other.left_out, self.changed + other.changed)

    def sentences(self) -> tuple[str, ...]:
        out = (
            tr("{number:,} × {kind}: left out", number=number, kind=kind)
            for kind, number in sorted(self.left_out.items())
        )
        return (
            *out,
            *(
                tr("{number:,} × {kind}", number=number, kind=kind)
                for kind, number in sorted(self.changed.items())
            ),
        )


@dataclass(frozen=True, slots=True)
class Imported:
    """Chats from an imported file, and what is to be reported about them.

    Attributes:
        said: sentences about everything that was changed, guessed or left out, but for what is counted.
        refused: how many files could not be used at all.
        locked: how many of those are encrypted with another key, or with none given, or are damaged.
        workspaces: those that came with their chats.
        losses: what was left out or changed, by kind.
        source: a digest of the files it is from, so that it is known again. share: how much of them is read so far.
    """

    archives: tuple[ChatArchive, ...] = ()
    said: tuple[str, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    refused: int = 0
    locked: int = 0
    workspaces: tuple[WorkspaceArchive, ...] = ()
    losses: Losses = field(default_factory=Losses)
    source: str = ""
    share: float = 1.0

    @property
    def chats(self) -> tuple[ChatArchive, ...]:
        return (*self.archives, *(chat for place in self.workspaces for chat in place.chats))

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything to report, in sentences."""
        return (*self.said, *self.losses.sentences())


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message of an imported file; fields that are None are filled in later."""

    role: Role
    texts: tuple[str, ...] = ()
    created_utc: str | None = None
    id: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    state: TurnState = "complete"
    attached: tuple[str, ...] = ()
    metadata: Notes = field(default_factory=dict)
    thinking: tuple[Thought, ...] = ()
    images: tuple[Image, ...] = ()

    @property
    def says_something(self) -> bool:
        """Whether it has any content: text, calls, pictures or thoughts."""
        return bool(any(self.texts) or self.tool_calls or self.images or self.thinking)


class Ids:
    """Issues unique ids; foreign ones are kept if they are valid."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._taken: set[str] = set()

    def take(self, foreign: object = None) -> str:
        """The foreign id if it is valid and free, else a new one."""
        if not is_good_id(foreign) or foreign in self._taken:
            foreign = self._unused(self._new_id())
        self._taken.add(str(foreign))
        return str(foreign)

    def _unused(self, start: str) -> str:
        candidate, number = start, 1
        while candidate in self._taken:
            number += 1
            candidate = f"{start}-{number}"
        return candidate


def is_good_id(foreign: object) -> bool:
    """Whether a foreign id is valid here: short, and of letters, digits and a few signs."""
    return isinstance(foreign, str) and _GOOD_ID.fullmatch(foreign) is not None


def merged(parts: Sequence[Imported]) -> Imported:
    """Several imports as one."""
    return Imported(
        archives=tuple(archive for part in parts for archive in part.archives),
        said=tuple(problem for part in parts for problem in part.said),
        wanted=tuple(wanted for part in parts for wanted in part.wanted),
        refused=sum(part.refused for part in parts),
        locked=sum(part.locked for part in parts),
        workspaces=tuple(place for part in parts for place in part.workspaces),
        losses=reduce(Losses.plus, (part.losses for part in parts), Losses()),
        source=next((part.source for part in reversed(parts) if part.source), ""),
    )


def unread(files: FilesFound) -> Imported:
    """The files that could not be read or were not looked at, as an import with problems."""
    return Imported(said=(*files.problems, *files.passed_over), refused=len(files.problems))


def linear_archive(chat: Chat, said: Sequence[ImportedMessage], ids: Ids, now_utc: str) -> ChatArchive:
    """A chat without branches: every message answers the one before."""
    records: list[Record] = []
    for one in said:
        before = records[-1] if records else None
        when = one.created_utc or (before.created_utc if before else chat.created_utc or now_utc)
        records.append(as_record(chat.id, one, ids, before, when))
    leaf = records[-1].id if records else None
    return ChatArchive(replace(chat, leaf=leaf, title=chat.title or first_words(said)), tuple(records))


def started(chat_id: str, title: str, created_utc: str, system_prompt: str = "") -> Chat:
    """A new chat for an import, its title on one line."""
    settings = ContextSettings(system_prompt=repair_text(system_prompt))
    return Chat(chat_id, created_utc, clean_title(title), settings)


def clean_title(title: str) -> str:
    """A title as one line of sensible length."""
    return " ".join(repair_text(title).split())[:_LONGEST_TITLE]


def as_record(chat: str, one: ImportedMessage, ids: Ids, before: Record | None, when: str) -> Record:
    """A message as a record, after the one it answers."""
    texts = tuple(repair_text(text) for text in one.texts)
    message = Message(
        ids.take(one.id), one.role, texts, one.images, one.tool_calls, one.tool_call_id, one.thinking
    )
    parent = before.id if before is not None else None
    return Record(chat, message, when, parent, state=one.state, attached=one.attached, metadata=one.metadata)


def first_words(entries: Iterable[ImportedMessage | Message]) -> str:
    """A title from the first words, for a chat without one."""
    asked = (text for one in entries if one.role == "user" for text in one.texts)
    return next(filter(None, map(title_from, asked)), "")


def listed_chat(
    one: Mapping[str, Any], said: Sequence[ImportedMessage], ids: Ids, fresh: Fresh, prompt: str = ""
) -> ChatArchive:
    """A chat from a list of messages; a leading system message becomes its system prompt."""
    if said and said[0].role == "system":
        prompt, said = "\n\n".join(said[0].texts), said[1:]
    title = one["title"] if isinstance(one.get("title"), str) else ""
    chat = started(ids.take(one.get("id")), title, fresh.now_utc, prompt)
    return linear_archive(chat, said, Ids(fresh.new_id), fresh.now_utc)


def each_chat(
    document: object,
    fresh: Fresh,
    recognise: Callable[[dict[str, Any]], bool],
    read: Callable[[dict[str, Any], Ids, Losses], ChatArchive],
    problem: str,
) -> Imported:
    """All chats of a document that is one chat or a list; others are counted as `problem` says."""
    ids, lost = Ids(fresh.new_id), Losses()
    archives: list[ChatArchive] = []
    problems: list[str] = []
    for number, one in enumerate(document if isinstance(document, list) else [document], start=fresh.first):
        if isinstance(one, dict) and recognise(one):
            archives.append(read(one, ids, lost))
        else:
            problems.append(problem.format(number=number))
    return Imported(tuple(archives), tuple(problems), refused=0 if archives else 1, losses=lost)
