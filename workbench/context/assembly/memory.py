"""What a builder remembers from one build to the next; it makes envelopes faster, never different."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import NamedTuple

from workbench.context.assembly.history import History
from workbench.context.assembly.render import longest_segment
from workbench.context.count.measure import segment_cost
from workbench.context.shorten.compact import Shortening, compact_text
from workbench.context.shorten.fair_shares import chars_for
from workbench.context.shorten.fit import fitted_text, least_chars, plan_of, summary_text
from workbench.context.shorten.outline import outlined_text
from workbench.context.shorten.pieces import Plan
from workbench.domain.change import Built
from workbench.domain.envelope import WireMessage
from workbench.domain.files.attachment import Artifact
from workbench.domain.memo import Growing
from workbench.domain.message import Entry
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.summary import Summary
from workbench.domain.turn import LibraryEntry, Tuning
from workbench.ports.counting import TokenCounter

Shorts = dict[tuple[str, str, Shortening], str | None]
Plans = dict[tuple[str, str], Plan]
_Fits = dict[tuple[str, str, int, Shortening], str | None]
_Key = tuple[object, ...]
_SHORT_TEXTS = 2000
_FITTED_TEXTS, _FITTED_CHARACTERS = 4000, 32_000_000
_PLANNED_TEXTS = 64
_LEAST_WANTED = 64
_EMPTY = History((), (), ())
Seam = Callable[[Entry, Entry], bool]


@dataclass(frozen=True, slots=True)
class _Remembered:
    """A history, and its beginning up to the last place where it could be cut in two (`settled` entries of it)."""

    entries: tuple[Entry, ...]
    key: _Key
    history: History
    settled: int = 0
    beginning: History = _EMPTY

    def begins_with(self, entries: tuple[Entry, ...], is_seam: Seam) -> bool:
        """Whether this history begins with these entries, and could be cut in two after them."""
        count = len(entries)
        if count >= len(self.entries) or self.entries[:count] != entries:
            return False
        return not entries or is_seam(entries[-1], self.entries[count])

    def before(self, entries: tuple[Entry, ...], is_seam: Seam) -> tuple[int, History]:
        """How many of these entries, which begin with the ones known, need no more work, and what they became."""
        known = len(self.entries)
        if known and is_seam(entries[known - 1], entries[known]):
            return known, self.history
        return self.settled, self.beginning


class SecretCopy(NamedTuple):
    """A copy of an artifact in a log that holds keys or passwords, and these."""

    key: str
    content_digest: str
    values: tuple[str, ...]


class LookedThrough(NamedTuple):
    """What was found in the request that a log goes on from: itself as it may be sent now, and what speaks against it.

    `unfit` says that it holds what must not be sent any more; `secrets` are copies that may stay while they are
    current.
    """

    built: Built
    unfit: bool
    secrets: tuple[SecretCopy, ...]


class BuildMemory:
    """Remembers compacted texts, and the last normalised history: the same while someone types, longer a turn later.

    A history that only grew is worked out from its last seam on, so that a long conversation's turns cost what is
    new in them, and its older messages stay the same objects, by which their counts are known.
    """

    def __init__(self) -> None:
        self._last: _Remembered | None = None
        self._places: tuple[History, dict[str, int], dict[str, int]] | None = None
        self._short: Shorts = {}
        self._fitted: _Fits = {}
        self._fitted_characters = 0
        self._plans: Plans = {}
        self._cuts: dict[tuple[str, str, int], str] = {}
        self._previewed: (
            tuple[tuple[WireMessage, ...], tuple[object, ...], tuple[WireMessage, ...]] | None
        ) = None
        self._wanted: dict[tuple[Artifact, str, Shortening], tuple[TokenCounter, str | None]] = {}
        self._before: tuple[Built, tuple[object, ...], LookedThrough] | None = None
        self._shelf: tuple[tuple[object, ...], tuple[LibraryEntry, ...]] | None = None
        self.growing = Growing()

    def apart(self) -> BuildMemory:
        """One that knows the same, and from now on remembers for itself."""
        other = copy(self)
        other._short, other._fitted, other._plans = dict(self._short), dict(self._fitted), dict(self._plans)
        other._cuts, other._wanted = dict(self._cuts), dict(self._wanted)
        other.growing = self.growing.apart()
        return other

    def history(
        self,
        entries: tuple[Entry, ...],
        key: _Key,
        normalise: Callable[[tuple[Entry, ...]], History],
        is_seam: Seam = lambda before, after: False,
    ) -> History:
        """The history for these very entries; worked out only when they, or what else it depends on, changed.

        `is_seam` says that what stands before and after it can be normalised apart.
        """
        last = self._last
        if last is not None and last.entries is entries and last.key == key:
            return last.history
        if last is not None and last.key == key and last.begins_with(entries, is_seam):
            return self._beginning(last, len(entries))
        settled, beginning = 0, _EMPTY
        if last is not None and last.key == key and _grew(last.entries, entries):
            settled, beginning = last.before(entries, is_seam)
        whole = _joined(beginning, normalise(entries[settled:]))
        self._last = _Remembered(entries, key, whole, settled, beginning)
        return whole

    def _beginning(self, known: _Remembered, count: int) -> History:
        """What the first entries of a history became; they end at a seam. The whole of it stays known."""
        if not count:
            return _EMPTY
        history, after = known.history, known.entries[count].id
        if self._places is None or self._places[0] is not history:
            messages = {one.id: place for place, one in enumerate(history.messages)}
            said = {one.id: place for place, one in enumerate(history.said)}
            self._places = history, messages, said
        _, messages, said = self._places
        told = history.said[: said[after]]
        ids = {one.id for one in told} if history.repairs else ()
        repairs = tuple(one for one in history.repairs if one.id in ids)
        return History(history.messages[: messages[after]], told, repairs)

    def said(self) -> dict[str, WireMessage]:
        """The messages of the last history on the wire, by the id of what they begin with."""
        return {} if self._last is None else {one.id: one for one in self._last.history.messages}

    def looked_at(
        self, before: Built, rules: tuple[object, ...], look: Callable[[], LookedThrough]
    ) -> LookedThrough:
        """What was found in the request that a log goes on from; looked through once for it and its rules."""
        known = self._before
        if known is None or known[0] is not before or known[1] != rules:
            known = self._before = (before, rules, look())
        return known[2]

    def shelf(
        self, about: tuple[object, ...], make: Callable[[], tuple[LibraryEntry, ...]]
    ) -> tuple[LibraryEntry, ...]:
        """The library as it may be sent, made once for the very things that it depends on."""
        known = self._shelf
        if known is None or any(one is not other for one, other in zip(known[0], about, strict=True)):
            known = self._shelf = (about, make())
        return known[1]

    def shorts(self) -> Shorts:
        return dict(self._short)

    def plans(self) -> Plans:
        return dict(self._plans)

    def learn(self, shorts: Shorts, plans: Plans) -> None:
        """Know texts that were compacted, and others that were looked through, elsewhere."""
        if len(self._short) + len(shorts) <= _SHORT_TEXTS:
            self._short.update(shorts)
        if len(self._plans) + len(plans) <= 2 * _PLANNED_TEXTS:
            self._plans.update(plans)

    def short(self, artifact: Artifact, how: Shortening) -> str | None:
        """The artifact's compacted text, worked out once for a content."""
        if not how.applies_to(artifact):
            return None
        key = (artifact.recover_with, artifact.content_digest, how)
        if key not in self._short:
            if len(self._short) >= _SHORT_TEXTS:
                self._short.clear()
            self._short[key] = compact_text(artifact, how)
        return self._short[key]

    def fitted(self, artifact: Artifact, chars: int, how: Shortening) -> str | None:
        """The artifact's text cut to so many characters, worked out once while it is needed."""
        if not how.applies_to(artifact):
            return None
        key = (artifact.recover_with, artifact.content_digest, chars, how)
        if key not in self._fitted:
            if len(self._fitted) >= _FITTED_TEXTS or self._fitted_characters >= _FITTED_CHARACTERS:
                self._fitted.clear()
                self._fitted_characters = 0
            short = self._fitted[key] = fitted_text(artifact, chars, how, self.plan(artifact))
            self._fitted_characters += len(short or "")
        return self._fitted[key]

    def wanted(self, artifact: Artifact, shortener: Shortener, counter: TokenCounter) -> str | None:
        """As much of an artifact as its own limit allows; searched for once while its counts stay as they are."""
        key = (replace(artifact, text=""), artifact.content_digest, shortener.how)
        known = self._wanted.get(key)
        if known is not None and known[0] is counter:
            return known[1]
        text = wanted_text(artifact, shortener.fitted, counter)
        if counter.settled:
            if len(self._wanted) >= _PLANNED_TEXTS:
                self._wanted.clear()
            self._wanted[key] = (counter, text)
        return text

    def outlined(self, artifact: Artifact, how: Shortening) -> str | None:
        key = (f"outline of {artifact.recover_with}", artifact.content_digest, how)
        if key not in self._short:
            if len(self._short) >= _SHORT_TEXTS:
                self._short.clear()
            self._short[key] = outlined_text(artifact, how)
        return self._short[key]

    def plan(self, artifact: Artifact) -> Plan:
        """The artifact's text looked through, once while it is cut to one length after the other."""
        return self.plan_text(artifact.told, artifact.content_digest, artifact.text)

    def previewed(
        self,
        messages: tuple[WireMessage, ...],
        about: tuple[object, ...],
        make: Callable[[], tuple[WireMessage, ...]],
    ) -> tuple[WireMessage, ...]:
        """A history with old results in short, made once for these very messages and what else it depends on."""
        known = self._previewed
        if known is None or known[0] is not messages or known[1] != about:
            known = self._previewed = (messages, about, make())
        return known[2]

    def cut_text(self, name: str, digest: str, text: str, chars: int) -> str:
        """A text cut to so many characters by its shape, worked out once while it is needed."""
        key = (name, digest, chars)
        if key not in self._cuts:
            if len(self._cuts) >= _SHORT_TEXTS:
                self._cuts.clear()
            self._cuts[key] = self.plan_text(name, digest, text).cut(chars)
        return self._cuts[key]

    def plan_text(self, name: str, digest: str, text: str) -> Plan:
        """A text looked through, once for its name and its digest."""
        key = (name, digest)
        if key not in self._plans:
            while len(self._plans) >= _PLANNED_TEXTS:
                self._plans.pop(next(iter(self._plans)))
            self._plans[key] = plan_of(name, text)
        return self._plans[key]


@dataclass(frozen=True, slots=True)
class Shortener:
    """Shortens the texts of one request; what it made before, for this request or another, is remembered."""

    memory: BuildMemory
    how: Shortening
    counter: TokenCounter | None = None
    summaries: tuple[Summary, ...] = ()
    by_relevance: bool = False

    def short(self, artifact: Artifact) -> str | None:
        """How an artifact stands in the library when it is no longer attached; None where that is in full."""
        if self.by_relevance or artifact.by_relevance:
            return self.memory.outlined(artifact, self.how)
        cut = self.memory.short(artifact, self.how)
        return cut if cut is None else self.summarised(artifact) or cut

    def fitted(self, artifact: Artifact, chars: int) -> str | None:
        """An attached text cut to so many characters; None where it goes out whole or not at all.

        By relevance it is an outline of any length: its sections come by themselves.
        """
        if chars < len(artifact.text) and (self.by_relevance or artifact.by_relevance):
            return self.memory.outlined(artifact, self.how)
        summary = self.summarised(artifact)
        if summary is not None and len(summary) <= chars < len(artifact.text):
            return summary
        return self.memory.fitted(artifact, chars, self.how)

    def summarised(self, artifact: Artifact) -> str | None:
        """The summary of this very content, with how to have it whole; None where there is none that may stand."""
        found = (one for one in self.summaries if artifact.key in one.replaces)
        summary = next((one for one in found if one.content_digest == artifact.content_digest), None)
        if summary is None or not self.how.may_summarise(artifact):
            return None
        return summary_text(artifact, summary.text, self.how)

    def wanted(self, artifact: Artifact) -> str | None:
        """As much of an attached text as somebody wants to be sent; None where that is all of it."""
        if artifact.by_relevance:
            return self.memory.outlined(artifact, self.how)
        preferred = any(one.preferred and artifact.key in one.replaces for one in self.summaries)
        if preferred and artifact.most_tokens is None:
            return self.summarised(artifact)
        if artifact.most_tokens is None or self.counter is None or not self.how.applies_to(artifact):
            return None
        return self.memory.wanted(artifact, self, self.counter)

    def least(self, artifact: Artifact) -> str | None:
        return self.fitted(artifact, self.least_chars(artifact))

    def least_chars(self, artifact: Artifact) -> int:
        return least_chars(artifact, self.how)


def shortener_for(
    settings: ContextSettings, memory: BuildMemory, counter: TokenCounter, tuning: Tuning | None = None
) -> Shortener:
    """Shortens as the settings say, with the tools in mind that the model has, and the summaries there are."""
    tools = frozenset(tool.name for tool in settings.tools)
    summaries = () if tuning is None else tuple(one for one in tuning.summaries if one.of_artifact)
    how = Shortening(settings.compaction, tools)
    return Shortener(memory, how, counter, summaries, settings.sections.by_relevance)


def wanted_text(
    artifact: Artifact, fitted: Callable[[Artifact, int], str | None], counter: TokenCounter
) -> str | None:
    """The longest cut of a text that its own limit pays for, tags and all; None where all of it does."""
    most = artifact.most_tokens or 0

    def cost(text: str) -> int:
        return counter.total(segment_cost(longest_segment(artifact, text), counter))

    def price(chars: int) -> int | None:
        short = fitted(artifact, chars)
        return None if short is None else cost(short)

    whole = cost(artifact.text)
    if whole <= most:
        return None
    chars = chars_for(most, price, len(artifact.text), whole)
    # Where even the words about the cut cost more than that, they are all that is sent.
    return fitted(artifact, _LEAST_WANTED if chars is None else chars)


def _grew(before: tuple[Entry, ...], after: tuple[Entry, ...]) -> bool:
    return len(before) < len(after) and after[: len(before)] == before


def _joined(first: History, second: History) -> History:
    if not first.said:
        return second
    return History(first.messages + second.messages, first.said + second.said, first.repairs + second.repairs)
