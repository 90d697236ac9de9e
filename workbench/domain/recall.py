"""Recall: messages and sections that match a question, each with its score and the reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry
from workbench.domain.settings.context_settings import ContextSettings

FoundKind = Literal["recalled", "retrieved", "quoted"]
"""A message that was said, here or in another chat; or a section of something attached, or of a followed folder."""

WordKind = Literal["exact", "near", "neighbour", "speaker", "date"]
"""Why a word of the question counts: the text has it, or a near word; or a neighbouring message has it."""

FOUND_KINDS: tuple[FoundKind, ...] = ("recalled", "retrieved", "quoted")
_STANDING = re.compile(r"recalled(?:\.\d+)?:")
_JOINED = re.compile(r"(.*#)(L[\d.-]+(?:\+L[\d.-]+)+)", re.DOTALL)
_LINES = re.compile(r"L(\d+)-(\d+)")


def quote_id(message: str, times: int = 1) -> str:
    """The id of a quote in a log's history, where the quoted message's own id may occur as well.

    `times` counts the quotes of the same thing, since a changed one is quoted again.
    """
    return f"recalled:{message}" if times == 1 else f"recalled.{times}:{message}"


def quoted_message(key: str) -> str:
    """The id that a quote in a log's history quotes; any other id unchanged."""
    found = _STANDING.match(key)
    return key[found.end() :] if found else key


@dataclass(frozen=True, slots=True)
class MatchedWord:
    """One reason for a score: what a word of the question adds to it.

    Attributes:
        word: as it was typed.
        found: the form of the word in the text; empty where it is a neighbour's.
        part: of the score; all parts add up to it.
        stem: by which it was found, for marking it in the text.
    """

    word: str
    found: str
    kind: WordKind
    part: float
    stem: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A message or section that matches a question.

    Attributes:
        id: the message's own id, of one in another chat with that chat's before it; of a section the artifact's key
            with its lines.
        score: how well it fits; the parts of `words` sum up to it, where those are known.
        text: what is quoted; empty for a message of this very chat, which history has.
        speaker: who said it: a role, or a name; for a section what it is called.
        said_utc: when it was said, where that is known.
        chat: the other chat where it was said, by its id; `title` is what that chat, or the artifact, is called.
        place: where in an artifact it stands, in words.
        artifact: the key of what it is a section of; of a followed folder, the path of the file.
        folder: the followed folder that it was found in. after: the sections that come next in its file, by their ids.
        reserved: a cap on history kept room for it, and it is not quoted: so the next round of the turn finds the same.
    """

    id: str
    score: float
    kind: FoundKind = "recalled"
    words: tuple[MatchedWord, ...] = ()
    text: str = ""
    speaker: str = ""
    said_utc: str = ""
    chat: str = ""
    title: str = ""
    place: str = ""
    artifact: str = ""
    reserved: bool = False
    folder: str = ""
    after: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The message's id in the chat where it was said."""
        return self.id.removeprefix(f"{self.chat}/") if self.chat else self.id


def parts_of(key: str) -> tuple[str, ...]:
    """The ids of the sections that a quote is joined from; of any other id only that."""
    found = _JOINED.fullmatch(key)
    return (key,) if found is None else tuple(found[1] + one for one in found[2].split("+"))


def lines_of(key: str) -> tuple[int, int]:
    """The first and the last line of a section, or of a quote that is joined from some, by its id; 0 where unknown."""
    found = [(int(one[1]), int(one[2])) for one in _LINES.finditer(key.rpartition("#")[2])]
    return (found[0][0], found[-1][1]) if found else (0, 0)


def joined(sections: Sequence[Found]) -> Found:
    """Sections that follow one another in a file, as one quote."""
    first, last = sections[0], sections[-1]
    if first is last:
        return first
    key = "+".join((first.id, *(one.id.rpartition("#")[2] for one in sections[1:])))
    best = max(sections, key=lambda one: one.score)
    words = {word.word: word for word in sorted((w for s in sections for w in s.words), key=lambda w: w.part)}
    scale = best.score / (sum(word.part for word in words.values()) or 1.0)
    place = first.place if first.place == last.place else f"{first.place} – {last.place}"
    if not first.speaker and not last.speaker:
        place = "lines {}–{}".format(*lines_of(key))
    return replace(
        first, id=key, score=best.score, place=place, after=last.after,
        text="".join(one.text if one.text.endswith("\n") else f"{one.text}\n" for one in sections),
        words=tuple(replace(word, part=word.part * scale) for word in reversed(words.values())),
    )  # fmt: skip


def found_of(known: Mapping[str, Found], key: str) -> Found | None:
    """What a quote quotes, by its id, joined where it is joined."""
    sections = [known[one] for one in parts_of(key) if one in known]
    return joined(sections) if sections and len(sections) == len(parts_of(key)) else None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A search for what matches a question.

    Attributes:
        chat: the chat it is asked in, with its settings, its history and what is attached.
        times: when each message was said, by id, where known.
        workspace: where the chat is filed; empty for none.
        room: how many tokens messages may cost; section_room: and sections; folder_room: and quotes of folders.
        folders: the followed folders that are searched, by their paths. always: what is quoted from them anyway.
    """

    chat: str
    question: str
    settings: ContextSettings
    history: tuple[Entry, ...] = ()
    attached: tuple[Artifact, ...] = ()
    times: Mapping[str, str] = field(default_factory=dict, compare=False)
    room: int = 0
    section_room: int = 0
    workspace: str = ""
    folders: tuple[str, ...] = ()
    folder_room: int = 0
    always: frozenset[str] = frozenset()
