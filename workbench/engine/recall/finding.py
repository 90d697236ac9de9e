"""Finds messages of a chat that match a question, best first, with the matching words."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from workbench.context.assembly.history import bare_text
from workbench.context.assembly.quotes import folder_room, recall_room, section_room
from workbench.context.recall.index import Passage, PassageIndex
from workbench.context.recall.near_words import NearWords
from workbench.context.recall.rank import Match, Ranking, Reasons, ranking, reasons_for, run_to_end
from workbench.context.recall.terms import terms
from workbench.context.shorten.outline import TextSection, sections_of
from workbench.domain.envelope import budget_for
from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.model import ModelCard
from workbench.domain.recall import Found, Wanted
from workbench.domain.settings.context_settings import ContextSettings
from workbench.engine.conversation import Conversation

_SLICE_CHARS = 12_000
"""How much is taken in in one slice: about two milliseconds on a slow core."""
_MOST_CHARS = 40_000
"""Of a longer message only its beginning is looked at: it would hardly find room, and would hold up everyone."""
_LABEL = re.compile(r"([A-Z][^\W\d_][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}): ")
_LEAST_LABELS, _LABELS_PART = 3, 10
_LOOKED_AT = 1_000
_LONGEST_QUESTION = 1_000
"""Characters; nobody asks the same again in so many words."""

Slices = Generator[None, None, None]


class SaidIndex:
    """Search index of one history, extended as it grows; another branch is indexed anew from where it differs.

    Attributes:
        index: what has been taken in.
    """

    def __init__(self) -> None:
        self.index = PassageIndex()
        self._entries: tuple[Entry, ...] = ()
        self._labels: frozenset[str] = frozenset()

    def follow(self, entries: tuple[Entry, ...], times: Mapping[str, str]) -> Slices:
        """Index what is new, in time slices; other histories may be indexed in between."""
        if entries is self._entries:
            return
        mine = None
        labels = yield from _labels(entries)
        while self._entries is not entries:
            if self._entries is not mine:
                self._resume(entries, labels)
            place, chars = len(self._entries), 0
            while place < len(entries) and chars < _SLICE_CHARS:
                self._add_entry(entries[place], times.get(entries[place].id, ""))
                chars += 200 + _size(entries[place])
                place += 1
            self._entries = mine = entries[:place] if place < len(entries) else entries
            if mine is not entries:
                yield

    def _resume(self, entries: tuple[Entry, ...], labels: frozenset[str]) -> None:
        """Continue the index if it covers the beginning of this history, else start a new one."""
        known = self._entries
        same = zip(known, entries, strict=False)
        if len(entries) < len(known) or labels != self._labels or any(a is not b and a != b for a, b in same):
            self.index, self._entries, self._labels = PassageIndex(), (), labels

    def says_only(self, key: str, asked: frozenset[str]) -> bool:
        """Whether a message contains no word besides these."""
        place = self.index.place(key)
        passage = None if place is None else self.index.passages[place]
        if passage is None or len(passage.text) > _LONGEST_QUESTION:
            return False
        return all(not asked.isdisjoint(term.stems) for term in terms(passage.text))

    def _add_entry(self, entry: Entry, when_utc: str) -> None:
        text, speaker = words_of(entry, self._labels)
        if text.strip():
            self.index.add(Passage(entry.id, text[:_MOST_CHARS], speaker, when_utc))


def words_of(entry: Entry, labels: frozenset[str] = frozenset()) -> tuple[str, str]:
    """Text and speaker of an entry: a role, or one of the name labels that messages begin with."""
    if not isinstance(entry, Message):
        return entry.body, entry.kind
    text = bare_text(entry)
    found = _LABEL.match(text) if labels else None
    if found is not None and found[1] in labels:
        return text[found.end() :], found[1]
    return text, entry.role


def _labels(entries: Sequence[Entry]) -> Generator[None, None, frozenset[str]]:
    """Speaker labels that many messages begin with, as in a transcript of several people."""
    found: Counter[str] = Counter()
    for number, entry in enumerate(entries, 1):
        if number % _LOOKED_AT == 0:
            yield
        label = _LABEL.match(entry.texts[0]) if isinstance(entry, Message) and entry.texts else None
        if label is not None:
            found[label[1]] += 1
    least = max(_LEAST_LABELS, len(entries) // _LABELS_PART)
    return frozenset(label for label, number in found.items() if number >= least)


def _size(entry: Entry) -> int:
    return sum(map(len, entry.texts)) if isinstance(entry, Message) else len(entry.body)


Finding = Generator[None, None, tuple[Found, ...]]

_MOST_CHATS = 4
_LEAST_TOKENS = 8
"""What a quote costs at least: so many can be in a room at most."""
_MOST_FOUND, _LEAST_FOUND = 5_000, 128
_EXPLAINED = 64
_MOST_QUESTION = 1_500
_LEAST_SHARE, _LEAST_BESIDE = 0.3, 0.5


def wanted_of(
    conversation: Conversation, question: str, settings: ContextSettings, card: ModelCard
) -> Wanted:
    """The recall query of a question in its conversation."""
    most, budget = settings.history.max_tokens, budget_for(settings, card.context_window_tokens)
    return Wanted(
        conversation.id,
        asked_words(question),
        settings,
        conversation.said,
        conversation.attached,
        conversation.times,
        recall_room(settings, budget) if most is None else most,
        section_room(settings, budget),
        folders=conversation.folders,
        folder_room=folder_room(settings, budget),
        always=conversation.tuning.recalled if conversation.folders else frozenset(),
    )


def asked_words(question: str) -> str:
    """The part of a question that is searched for: of a very long one its ends, around what was pasted."""
    if len(question) <= _MOST_QUESTION:
        return question
    return f"{question[: _MOST_QUESTION // 3]}\n{question[-2 * _MOST_QUESTION // 3 :]}"


def wants_past(wanted: Wanted) -> bool:
    """Whether anything is searched for at all."""
    recall = wanted.settings.history.recall
    return bool(wanted.question.strip()) and (recall or not wants_messages_only(wanted))


def wants_messages_only(wanted: Wanted) -> bool:
    """Whether neither sections of attachments nor followed folders are searched."""
    if wanted.folders:
        return False
    sections = wanted.settings.sections.by_relevance
    return not (sections or any(one.by_relevance for one in wanted.attached))


def most_of(room: int) -> int:
    """Number of quotes that could be useful in that many tokens."""
    return max(_LEAST_FOUND, min(_MOST_FOUND, room // _LEAST_TOKENS))


class Placed(NamedTuple):
    """A message with its matching words, its rank among the matches (1 is best), and how many messages there are."""

    match: Match
    place: int
    messages: int


class Recall:
    """Finds what was said; remembers the words of the chats that were asked last.

    Not for two threads at once. `load` reads the table of near words when it is first needed.

    Attributes:
        sections: of what is attached to those chats.
    """

    def __init__(self, load: Callable[[], NearWords | None] = lambda: None) -> None:
        self._load = load
        self._said: OrderedDict[str, SaidIndex] = OrderedDict()
        self.sections: OrderedDict[str, SectionIndex] = OrderedDict()

    @cached_property
    def near(self) -> NearWords | None:
        """Table of near-synonyms; None if it is missing or damaged."""
        try:
            return self._load()
        except WorkbenchError:
            return None  # exact words find most of it

    def found(self, wanted: Wanted) -> tuple[Found, ...]:
        return run_to_end(self.finding(wanted))

    def finding(self, wanted: Wanted) -> Finding:
        """The same, in time slices of a few milliseconds."""
        if not wanted.settings.history.recall or not wanted.question.strip() or not wanted.history:
            return ()
        said = self._index(wanted.chat)
        yield from said.follow(wanted.history, wanted.times)
        ranked = yield from ranking(said.index, wanted.question, self.near)
        return (yield from self._as_found(said, ranked, wanted))

    def placing(self, wanted: Wanted, key: str) -> Generator[None, None, Placed]:
        """Rank of a message among all of the chat, and why, in time slices; not cached."""
        said = self._index(wanted.chat)
        yield from said.follow(wanted.history, wanted.times)
        ranked = yield from ranking(said.index, wanted.question, self.near)
        place = next((number for number, one in enumerate(ranked, 1) if one.key == key), 0)
        reasons = yield from reasons_for(said.index, wanted.question, self.near)
        return Placed(reasons.of(key), place, len(said.index))

    def forget(self, chat: str) -> None:
        self._said.pop(chat, None)
        self.sections.pop(chat, None)

    def _as_found(self, said: SaidIndex, ranked: Ranking, wanted: Wanted) -> Finding:
        times, rules = wanted.times, wanted.settings.history
        # Whoever gives it no room of its own does not want it filled with what hardly fits.
        modest = rules.max_tokens is None and rules.recall_tokens is None
        reasons = yield from reasons_for(said.index, wanted.question, self.near)
        asked = frozenset(stem for term in terms(wanted.question) for stem in term.stems)
        best = ranked[0].score if modest and ranked else 0.0
        found = []
        for one in (yield from worth_sending(ranked[: most_of(wanted.room)], best, reasons)):
            yield
            if said.says_only(one.key, asked):
                continue  # the same question, asked before: what was answered stands beside it
            found.append(Found(one.key, one.score, words=one.words, said_utc=times.get(one.key, "")))
        return tuple(found)

    def _index(self, chat: str) -> SaidIndex:
        if chat not in self._said:
            self._said[chat] = SaidIndex()
            while len(self._said) > _MOST_CHATS:
                self._said.popitem(last=False)
        self._said.move_to_end(chat)
        return self._said[chat]


def worth_sending(
    matches: Iterable[Match], best: float, reasons: Reasons
) -> Generator[None, None, list[Match]]:
    """Matches that score well enough against the best one, each with its words, best first.

    One that does not fit ends nothing: after what only stands beside a match comes what has words of its own.
    """
    found = []
    for number, match in enumerate(matches):
        if match.score < best * _LEAST_SHARE:
            break  # all that follow fit less
        words = reasons.of(match.key).words if number < _EXPLAINED else ()
        own = any(one.kind in ("exact", "near") for one in words)
        if match.score >= best * (_LEAST_SHARE if own else _LEAST_BESIDE):
            found.append(replace(match, words=words))
        yield
    return found


@dataclass(slots=True)
class SectionIndex:
    """Search index over sections of texts; `texts` are those indexed, by key and digest.

    `named`: what a text is called counts as its words, too.
    """

    index: PassageIndex = field(default_factory=PassageIndex)
    texts: tuple[tuple[str, str], ...] = ()
    sections: dict[str, tuple[Artifact, TextSection]] = field(default_factory=dict)
    named: bool = False

    def follow(self, artifacts: tuple[Artifact, ...]) -> Generator[None, None, None]:
        """Index new texts; if one was removed or changed, start anew."""
        wanted = tuple((one.key, one.content_digest) for one in artifacts)
        if wanted[: len(self.texts)] != self.texts:
            self.index, self.texts, self.sections = PassageIndex(), (), {}
        for place, artifact in enumerate(artifacts):
            if place < len(self.texts):
                continue
            index, sections = self.index, self.sections
            pieces: Counter[str] = Counter()
            for section in sections_of(artifact.name_for_model, artifact.text):
                pieces[section.anchor] += 1
                key = _section_key(artifact, section, pieces[section.anchor])
                text = artifact.text[section.start : section.end]
                if text.strip() and key not in sections:
                    sections[key] = (artifact, section)
                    title = (
                        f"{artifact.name_for_model}\n{section.title}"
                        if self.named and not section.start
                        else section.title
                    )
                    index.add(Passage(key, f"{title}\n{text}", group=artifact.key))
                yield
                if self.index is not index:
                    return  # somebody else reads other texts by now
            if place == len(self.texts):  # else somebody else has read it meanwhile, too
                self.texts = (*self.texts, (artifact.key, artifact.content_digest))


def _section_key(artifact: Artifact, section: TextSection, piece: int) -> str:
    """Key of a section; the pieces of one long line are numbered from the second on."""
    return f"{artifact.key}#{section.anchor}" + (f".{piece}" if piece > 1 else "")
