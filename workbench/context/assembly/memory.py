"""Caches of a builder between builds; they make envelopes faster, never different."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

from workbench.context.assembly.history import History
from workbench.context.assembly.render import longest_segment
from workbench.context.count.measure import segment_cost
from workbench.context.shorten.compact import Shortening, compact_text
from workbench.context.shorten.fair_shares import chars_for
from workbench.context.shorten.fit import fitted_text, least_chars, plan_of, summary_text
from workbench.context.shorten.outline import outlined_text
from workbench.context.shorten.pieces import Plan
from workbench.domain.envelope import WireMessage
from workbench.domain.files.attachment import Artifact
from workbench.domain.memo import Growing
from workbench.domain.message import Entry
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.summary import Summary
from workbench.domain.turn import Tuning
from workbench.ports.counting import TokenCounter

_Key = tuple[object, ...]
_MOST_CHARACTERS = 32_000_000
_MOST_PLANS = 64
_LEAST_WANTED = 64
_EMPTY = History((), (), ())
Seam = Callable[[Entry, Entry], bool]


@dataclass(frozen=True, slots=True)
class _KnownHistory:
    """A normalised history, and its beginning up to the last seam (`settled` entries of it)."""

    entries: tuple[Entry, ...]
    key: _Key
    history: History
    settled: int = 0
    beginning: History = _EMPTY

    def begins_with(self, entries: tuple[Entry, ...], is_seam: Seam) -> bool:
        """Whether this history begins with these entries, and has a seam after them."""
        count = len(entries)
        if count >= len(self.entries) or self.entries[:count] != entries:
            return False
        return not entries or is_seam(entries[-1], self.entries[count])

    def before(self, entries: tuple[Entry, ...], is_seam: Seam) -> tuple[int, History]:
        """How many of these entries, which extend the known ones, are normalised already, and the result."""
        known = len(self.entries)
        if known and is_seam(entries[known - 1], entries[known]):
            return known, self.history
        return self.settled, self.beginning


class CutTexts:
    """Shortened texts by content and length, so that each is computed once.

    Without it a rebuild with three long files takes seven times as long (benchmark `build`): their length is searched
    for. Builds in the loop and beside it share one.
    """

    def __init__(self) -> None:
        self._cut: dict[_Key, str | None] = {}
        self._characters = 0
        self._plans: dict[tuple[str, str], Plan] = {}

    def short(self, artifact: Artifact, how: Shortening) -> str | None:
        """The artifact's compacted text; None where it may not be compacted."""
        if not how.applies_to(artifact):
            return None
        key = ("short", artifact.recover_with, artifact.content_digest, how)
        return self._once(key, lambda: compact_text(artifact, how))

    def outlined(self, artifact: Artifact, how: Shortening) -> str | None:
        """The artifact's outline, for artifacts of which sections are sent by relevance."""
        key = ("outline", artifact.recover_with, artifact.content_digest, how)
        return self._once(key, lambda: outlined_text(artifact, how))

    def fitted(self, artifact: Artifact, chars: int, how: Shortening) -> str | None:
        """The artifact's text cut to a number of characters; None where it may not be cut."""
        if not how.applies_to(artifact):
            return None
        key = ("fitted", artifact.recover_with, artifact.content_digest, chars, how)
        return self._once(key, lambda: fitted_text(artifact, chars, how, self.plan(artifact)))

    def plan(self, artifact: Artifact) -> Plan:
        """The artifact's parsed text, to be cut to any length."""
        return self.plan_text(artifact.name_for_model, artifact.content_digest, artifact.text)

    def plan_text(self, name: str, digest: str, text: str) -> Plan:
        """A parsed text, by its name and digest."""
        plan = self._plans.get((name, digest))
        if plan is None:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            plan = self._plans[name, digest] = plan_of(name, text)
        return plan

    def _once(self, key: _Key, make: Callable[[], str | None]) -> str | None:
        cut = self._cut.get(key)
        if cut is None and key not in self._cut:
            if self._characters >= _MOST_CHARACTERS:
                self._cut.clear()
                self._characters = 0
            cut = self._cut[key] = make()
            self._characters += len(cut or "")
        return cut


class BuildMemory:
    """Caches the last normalised history, what became of its messages, and shortened texts.

    A history that only grew is worked out from its last seam on, so that a long conversation's turns cost what is
    new in them, and its older messages stay the same objects, by which their counts are known. Without it a turn of a
    chat with 1,000 takes five times as long; without `growing` up to 1.9 times, where something is cut.

    Attributes:
        texts: texts that were cut. growing: what became of each message of the last history.
    """

    def __init__(self) -> None:
        self._last: _KnownHistory | None = None
        self._place: tuple[History, int, int, int] | None = None
        self.texts = CutTexts()
        self.growing = Growing()

    def copy(self) -> BuildMemory:
        """A copy with the same contents; histories are cached independently from then on."""
        other = copy(self)
        other.growing = self.growing.copy()
        return other

    def history(
        self,
        entries: tuple[Entry, ...],
        key: _Key,
        normalise: Callable[[tuple[Entry, ...]], History],
        is_seam: Seam = lambda before, after: False,
    ) -> History:
        """The normalised history of these entries; recomputed only when they, or what else it depends on, changed.

        `is_seam` tells whether the entries before and after a place can be normalised separately.
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
        self._last = _KnownHistory(entries, key, whole, settled, beginning)
        return whole

    def _beginning(self, known: _KnownHistory, count: int) -> History:
        """The normalised first entries of a history, up to a seam; the whole history stays cached."""
        if not count:
            return _EMPTY
        history, after = known.history, known.entries[count].id
        # Turns that are played again ask for one after the other: the place is looked for from the last one on.
        before = self._place if self._place is not None and self._place[0] is history else (history, 0, 0, 0)
        back = count < before[1]
        message = _place_of(after, history.messages, before[2], back)
        told = _place_of(after, history.said, before[3], back)
        self._place = history, count, message, told
        said = history.said[:told]
        ids = {one.id for one in said} if history.repairs else ()
        repairs = tuple(one for one in history.repairs if one.id in ids)
        return History(history.messages[:message], said, repairs)

    def said(self) -> dict[str, WireMessage]:
        """The wire messages of the last history, by the id of their first entry."""
        return {} if self._last is None else {one.id: one for one in self._last.history.messages}


@dataclass(frozen=True, slots=True)
class Shortener:
    """Shortens the texts of one request, using the cache."""

    memory: BuildMemory
    how: Shortening
    counter: TokenCounter | None = None
    summaries: tuple[Summary, ...] = ()
    by_relevance: bool = False

    def short(self, artifact: Artifact) -> str | None:
        """An artifact's form in the library after it was detached; None where that is in full."""
        if self.by_relevance or artifact.by_relevance:
            return self.memory.texts.outlined(artifact, self.how)
        cut = self.memory.texts.short(artifact, self.how)
        return cut if cut is None else self.summarised(artifact) or cut

    def fitted(self, artifact: Artifact, chars: int) -> str | None:
        """An attached text cut to a number of characters; None where it is sent whole or not at all.

        Sent by relevance, it is an outline of any length: its sections are quoted apart.
        """
        if chars < len(artifact.text) and (self.by_relevance or artifact.by_relevance):
            return self.memory.texts.outlined(artifact, self.how)
        summary = self.summarised(artifact)
        if summary is not None and len(summary) <= chars < len(artifact.text):
            return summary
        return self.memory.texts.fitted(artifact, chars, self.how)

    def summarised(self, artifact: Artifact) -> str | None:
        """The summary of this content, with how to get the whole; None where there is none that may replace it."""
        found = (one for one in self.summaries if artifact.key in one.replaces)
        summary = next((one for one in found if one.content_digest == artifact.content_digest), None)
        if summary is None or not self.how.may_summarise(artifact):
            return None
        return summary_text(artifact, summary.text, self.how)

    def wanted(self, artifact: Artifact) -> str | None:
        """An attached text at the length that the user chose; None where that is all of it."""
        if artifact.by_relevance:
            return self.memory.texts.outlined(artifact, self.how)
        preferred = any(one.preferred and artifact.key in one.replaces for one in self.summaries)
        if preferred and artifact.most_tokens is None:
            return self.summarised(artifact)
        if artifact.most_tokens is None or self.counter is None or not self.how.applies_to(artifact):
            return None
        return wanted_text(artifact, self.fitted, self.counter)

    def least(self, artifact: Artifact) -> str | None:
        return self.fitted(artifact, self.least_chars(artifact))

    def least_chars(self, artifact: Artifact) -> int:
        return least_chars(artifact, self.how)


def shortener_for(
    settings: ContextSettings, memory: BuildMemory, counter: TokenCounter, tuning: Tuning | None = None
) -> Shortener:
    """A shortener for the settings, the model's tools, and the existing summaries."""
    tools = frozenset(tool.name for tool in settings.tools)
    summaries = () if tuning is None else tuple(one for one in tuning.summaries if one.of_artifact)
    how = Shortening(settings.compaction, tools)
    return Shortener(memory, how, counter, summaries, settings.sections.by_relevance)


def wanted_text(
    artifact: Artifact, fitted: Callable[[Artifact, int], str | None], counter: TokenCounter
) -> str | None:
    """The longest cut of a text within its own token limit, tags included; None where it fits whole."""
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


def _place_of(key: str, items: Sequence[WireMessage | Segment], start: int, back: bool) -> int:
    """Index of an item by its id, looked for from an index on, or back from there."""
    places = range(start, -1, -1) if back else range(start, len(items))
    return next(place for place in places if items[place].id == key)


def _grew(before: tuple[Entry, ...], after: tuple[Entry, ...]) -> bool:
    return len(before) < len(after) and after[: len(before)] == before


def _joined(first: History, second: History) -> History:
    if not first.said:
        return second
    return History(first.messages + second.messages, first.said + second.said, first.repairs + second.repairs)
