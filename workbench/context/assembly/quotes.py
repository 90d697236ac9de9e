"""Recall: quotes trimmed messages and sections that match the question, in this turn's message.

Quotes come after the attachments and before the question, never in the prefix: so they break no cache, and another
question changes nothing before them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from workbench.context.assembly.history import bare_text
from workbench.context.assembly.select import Admission
from workbench.context.count.measure import segment_cost
from workbench.context.text.fence import escape_attribute, wrap
from workbench.domain.envelope import Budget, Envelope, WireMessage, beyond_history
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.recall import FOUND_KINDS, Found, FoundKind, joined, parts_of, quote_id, quoted_message
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import digest_text, repair_text
from workbench.domain.turn import TurnInputs
from workbench.ports.counting import TokenCounter

_HEADINGS: dict[FoundKind, str] = {
    "recalled": "Quoted from earlier, because it may matter for the question below:\n",
    "retrieved": "Sections of what is attached, because they may matter for the question below:\n",
    "quoted": "Sections of files in a followed folder, because they may matter for the question below:\n",
}
_MOST_TOKENS, _LEAST_PART = 1_000, 8
_MOST_SECTIONS, _SECTIONS_PART = 4_000, 4
_SHARE_OF_REST = 3
_MOST_MISSES = 64
"""How many consecutive candidates that do not fit are skipped before the search for a smaller one ends."""
_LEAST_LEFT = 40
"""Characters: less of a section says nothing by itself."""
_MOST_LINE = 2_000
_LINE_ENDS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_LINES = re.compile(r"#L(\d+)-\d+(?:\.(\d+))?$")


def recall_room(settings: ContextSettings, budget: Budget) -> int:
    """The most tokens quotes may cost, where no cap on history decides that."""
    wished = settings.history.recall_tokens
    if wished is not None:
        return wished
    return min(_MOST_TOKENS, _limit(budget) // _LEAST_PART)


def growing_room(most_tokens: int, said_tokens: int) -> int:
    """The most tokens quotes may add to a log that grows under a cap on history.

    Part of the free room is left for the next turns: a log filled completely would have to be rebuilt in the next one.
    """
    return max(0, most_tokens - said_tokens) // _SHARE_OF_REST


def section_room(settings: ContextSettings, budget: Budget) -> int:
    """The most tokens that sections of attached texts may cost, besides what is sent of these anyway."""
    wished = settings.sections.tokens
    return min(_MOST_SECTIONS, _limit(budget) // _SECTIONS_PART) if wished is None else wished


def folder_room(settings: ContextSettings, budget: Budget) -> int:
    """The most tokens that quotes from followed folders may cost."""
    return int(_limit(budget) * settings.sections.folder_share)


def _limit(budget: Budget) -> int:
    return budget.window_tokens if budget.threshold_tokens is None else budget.threshold_tokens


def with_unique_quote_ids(messages: Sequence[WireMessage]) -> tuple[WireMessage, ...]:
    """The messages of a log with unique ids for the quotes of earlier turns."""
    times: Counter[str] = Counter()

    def named(segment: Segment) -> Segment:
        if segment.kind not in FOUND_KINDS or segment.layer != "L4_STRIP":
            return segment
        key = quoted_message(segment.id)
        times[key] += 1
        wanted = quote_id(key, times[key])
        return segment if segment.id == wanted else replace(segment, id=wanted)

    apart = list(messages)
    for place, message in beyond_history(messages):
        segments = tuple(map(named, message.segments))
        if not all(a is b for a, b in zip(segments, message.segments, strict=True)):
            apart[place] = replace(message, segments=segments)
    return tuple(apart)


def standing_quotes(segments: Iterable[Segment]) -> dict[str, Segment]:
    """The quotes that a log's history holds, by the id of what they quote; the newest of several."""
    return {
        key: one for one in segments if one.kind in FOUND_KINDS for key in parts_of(quoted_message(one.id))
    }


def quoted_sections(envelope: Envelope) -> Iterator[tuple[str, Segment]]:
    """The sections that a request quotes, in this turn or earlier, each with its artifact's key."""
    for _, message in envelope.beside:
        for one in message.segments:
            if one.kind == "retrieved":
                yield quoted_message(one.id).rpartition("#")[0], one


def section_body(segment: Segment) -> str:
    """The quoted text of a section, without the tags around it."""
    return segment.text.partition("\n")[2].rpartition("\n</section ")[0]


@lru_cache(maxsize=128)  # while a question is typed, the same sections are looked for at every key
def still_in(whole: str, section: str) -> str:
    """The part of a section that a text still contains: all of it, or whole lines of its start or end, if longer.

    So a quote sends nothing that the text itself would not send, such as a masked key that spans several sections.
    """
    if section in whole:
        return section
    lines = section.splitlines(keepends=True)
    count = range(len(lines))
    begins = "".join(
        lines[: -bisect_left(count, True, key=lambda n: "".join(lines[: len(lines) - n]) in whole)]
    )
    ends = "".join(lines[bisect_left(count, True, key=lambda n: "".join(lines[n:]) in whole) :])
    left = max(begins, ends, key=len)
    return left if len(left.strip()) >= _LEAST_LEFT else ""


def one_line(text: str) -> bool:
    """Whether a text is a single line, so that it cannot imitate another quote."""
    return len(text) <= _MOST_LINE and not _LINE_ENDS.intersection(text)


@dataclass(frozen=True, slots=True)
class QuoteBudget:
    """The room for quotes: how many tokens they may add, how their cost is counted, and what is sent anyway."""

    room: int
    cost: Callable[[tuple[Segment, ...]], int]
    there: Callable[[Found], bool]


@dataclass(frozen=True)
class Quotes:
    """Chooses what one request quotes, except what is sent anyway."""

    inputs: TurnInputs
    counter: TokenCounter
    _made: dict[str, Segment] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _admission(self) -> Admission:
        return Admission(self.inputs.settings.filters, self.inputs.tuning.excluded)

    @cached_property
    def _entries_by_id(self) -> Mapping[str, tuple[int, int, Entry]]:
        """Every entry of history with its index and its turn, by id."""
        turns = turn_numbers(self.inputs)
        return {one.id: (place, turns[one.id], one) for place, one in enumerate(self.inputs.history)}

    @cached_property
    def candidates(self) -> tuple[Found, ...]:
        """What may be quoted: what the user always wants recalled first, then by relevance."""
        wanted = self.inputs.always_recalled | self.ticked
        known = {
            one.id: replace(one, reserved=False) if one.id in self.ticked else one
            for one in self.inputs.found
        }
        always = [
            known.get(key) or Found(key, 0.0)
            for key in sorted(wanted, key=self._place)
            if key in self._entries_by_id or key in known
        ]
        rest = (one for one in self.inputs.found if one.id not in wanted)
        return tuple(one for found in (*always, *rest) if (one := self._permitted_part(found)) is not None)

    @cached_property
    def ticked(self) -> frozenset[str]:
        """The sections of followed folders that the user wants quoted, beside their share."""
        recalled = self.inputs.tuning.recalled
        return frozenset(one.id for one in self.inputs.found if one.kind == "quoted" and one.id in recalled)

    @cached_property
    def ticked_cost(self) -> int:
        """The tokens of the sections that were ticked, with their heading."""
        cost = sum(
            segment_cost(self._quote(one), self.counter) for one in self.candidates if one.id in self.ticked
        )
        return self.counter.total(cost + self._heading_cost("quoted")) if cost else 0

    def _place(self, key: str) -> tuple[int, str]:
        return (self._entries_by_id[key][0] if key in self._entries_by_id else len(self._entries_by_id), key)

    def _permitted_part(self, found: Found) -> Found | None:
        """The part of it that may be sent; None where nothing may."""
        tuning = self.inputs.tuning
        if found.id in tuning.unrecalled or found.id in tuning.excluded:
            return None
        if found.kind == "quoted":
            return found
        if found.kind == "retrieved":
            return self._section(found)
        if found.text:
            return found if self._admission.admits_quote(found.id, found.speaker) else None
        known = self._entries_by_id.get(found.id)
        return found if known is not None and self._admission.admits(known[2]) else None

    @cached_property
    def _attached(self) -> Mapping[str, Artifact]:
        return {one.key: one for one in self.inputs.attached if self._admission.admits_artifact(one)}

    def _section(self, found: Found) -> Found | None:
        """A section limited to what its artifact may send; None where that is not attached."""
        artifact = self._attached.get(found.artifact)
        text = "" if artifact is None else still_in(artifact.text, found.text)
        if text == found.text:
            return found if text else None
        return replace(found, text=text) if text else None

    def costs(self, there: set[str], room: int) -> dict[str, int]:
        """The messages that would be quoted within `room` tokens, with raw costs; the heading counts with the first."""
        chosen = self._chosen("recalled", lambda found: found.id in there, room)
        found = {one.id: segment_cost(self._quote(one), self.counter) for one in chosen}
        if chosen:
            found[chosen[0].id] += self._heading_cost("recalled")
        return found

    def cost(self, found: Found) -> int:
        return self.counter.total(segment_cost(self._quote(found), self.counter))

    def choose(self, kind: FoundKind, space: QuoteBudget) -> tuple[Segment, ...]:
        """The quotes of one kind that fit, in the order they were said."""
        chosen = self._chosen(kind, lambda found: found.reserved or space.there(found), space.room)
        while chosen:
            quoted = self._in_order(chosen, kind)
            if space.cost(quoted) <= space.room:
                return quoted
            chosen = chosen[:-1]
        return ()

    def _chosen(self, kind: FoundKind, there: Callable[[Found], bool], room: int) -> list[Found]:
        left_out, spent, chosen = 0, self._heading_cost(kind), []
        for found in self.candidates:
            if found.kind != kind or there(found):
                continue
            cost = segment_cost(self._quote(found), self.counter)
            if self.counter.total(spent + cost) <= room:
                chosen.append(found)
                spent, left_out = spent + cost, 0
                continue
            left_out += 1
            if left_out > _MOST_MISSES:
                break
        return chosen

    def _heading_cost(self, kind: FoundKind) -> int:
        """The heading's cost, with the framing of a message, which the first quote may have to pay for."""
        heading = Segment("heading", "L3_TURN", kind, _HEADINGS[kind], "")
        return sum(self.counter.costs(WireMessage("heading", "user", (heading,))))

    def _in_order(self, chosen: Sequence[Found], kind: FoundKind) -> tuple[Segment, ...]:
        """The quotes in chronological order, those from other chats before those from this one."""
        ordered = joined_neighbours(sorted(chosen, key=self._order))
        segments: list[Segment] = []
        day = ""
        for found in ordered:
            said_on = found.said_utc[:10]
            lead = f"On {escape_attribute(said_on)}:\n" if said_on and said_on != day else ""
            day = said_on or day
            heading = "" if segments else _HEADINGS[kind]
            segments.append(replace(self._quote(found), lead=heading + lead))
        return tuple(segments)

    def _order(self, found: Found) -> tuple[bool, str, str, int, int, str]:
        place, own = self._place(found.id)[0], not found.chat
        if found.artifact:
            return own, *in_file_order(found)
        return own, found.chat, "" if own else found.said_utc, place, 0, "" if own else found.id

    def _quote(self, found: Found) -> Segment:
        if found.id not in self._made:
            self._made[found.id] = self._make(found)
        return self._made[found.id]

    def _make(self, found: Found) -> Segment:
        known = None if found.text else self._entries_by_id.get(found.id)
        text, speaker = found.text, found.speaker
        if known is not None:
            text, speaker = _words(known[2])
        text = repair_text(text)
        told = self._source_line(found, speaker, 0 if known is None else known[1])
        if found.kind != "recalled":
            # By its name: a path says where somebody's files lie.
            about = (("of", repair_text(found.title)), ("part", repair_text(found.place)))
            body = wrap("section", about, text).text
        elif one_line(text):
            body = f"> {told}: {text}\n"
        else:
            body = wrap("recalled", (("said", told),), text).text
        return Segment(
            id=found.id, layer="L3_TURN", kind=found.kind, text=body, content_digest=digest_text(text),
            priority=5, essential=False,
        )  # fmt: skip

    def _source_line(self, found: Found, speaker: str, turn: int) -> str:
        """Who said it and where, on one line."""
        who = escape_attribute(repair_text(speaker)) or "somebody"
        if found.chat:
            return f"{who}, in the chat {escape_attribute(repair_text(found.title or found.chat))}"
        return f"{who}, turn {turn}" if turn else who


def in_file_order(found: Found) -> tuple[str, str, int, int, str]:
    """The key that sorts sections by their files, and as they stand there."""
    line = _LINES.search(found.id)
    first, piece = (int(line[1]), int(line[2] or 1)) if line else (0, 0)
    return found.artifact, "", first, piece, found.id


def joined_neighbours(ordered: Sequence[Found]) -> list[Found]:
    """Sections of a followed folder in the order of their files; those that follow one another are one quote."""
    runs: list[list[Found]] = []
    for one in ordered:
        if runs and one.id in runs[-1][-1].after[:1]:
            runs[-1].append(one)
        else:
            runs.append([one])
    return list(map(joined, runs))


def _words(entry: Entry) -> tuple[str, str]:
    if isinstance(entry, Message):
        return bare_text(entry), entry.role
    return entry.body, entry.kind


def turn_numbers(inputs: TurnInputs) -> dict[str, int]:
    """The turn of every entry, as numbered in the history's rows."""
    numbers = list(_turns(inputs.history))
    first = max(1, inputs.turn - (numbers[-1] if numbers else 0))
    return {entry.id: first + number - 1 for entry, number in zip(inputs.history, numbers, strict=True)}


def _turns(entries: Iterable[Entry]) -> Iterator[int]:
    """The number of the exchange that each entry belongs to, from 1 on."""
    turn, asked = 1, False
    for entry in entries:
        if isinstance(entry, Message) and entry.role == "user":
            turn += asked
            asked = True
        yield turn
