"""Shortens old tool results to previews, the step between whole and placeholder, and caps history.

Trimming is unaffected: boundary and placeholders are the same, there is only less to trim.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from operator import attrgetter

from workbench.context.assembly.history import TRIMMED
from workbench.context.assembly.memory import BuildMemory
from workbench.context.assembly.trim import Trimmed
from workbench.context.count.measure import segment_cost
from workbench.context.shorten.compact import Shortening
from workbench.domain.envelope import Compacted, Fitted, Layer, WireMessage
from workbench.domain.memo import Growing
from workbench.domain.message import ToolCall
from workbench.domain.segment import Segment
from workbench.domain.settings.context_settings import HistorySettings
from workbench.domain.text import repair_text
from workbench.domain.turn import TurnInputs
from workbench.ports.counting import TokenCounter

_SECTIONS = 4
_LONGEST_ARGUMENTS = 240
_RESULTS = ("tool", "environment")

SegmentPlace = tuple[int, int]
Calls = Mapping[str, ToolCall]


class Previews:
    """Shortens the tool results in a history."""

    def __init__(self, messages: tuple[WireMessage, ...], how: Shortening, memory: BuildMemory) -> None:
        self._messages, self._how, self._memory = messages, how, memory
        self._has_shortened = False
        self.chars = _SECTIONS * how.sizes.section_chars

    @cached_property
    def calls(self) -> Calls:
        return calls_in(self._messages)

    def kept(self, cuts: tuple[Fitted, ...]) -> tuple[WireMessage, ...]:
        """The messages with those results shortened that were sent shortened before."""
        messages = self._messages
        if not cuts:
            return messages
        known = {(one.id, one.content_digest): one.chars for one in cuts}
        places = [
            (number, place)
            for number, message in enumerate(messages)
            for place, segment in enumerate(message.segments)
            if (segment.id, segment.content_digest) in known
            and (self._can_shorten(segment) or _is_answer(segment))
        ]
        for where in places:
            segment = messages[where[0]].segments[where[1]]
            chars = known[segment.id, segment.content_digest]
            messages = _put(messages, where, self.short(segment, chars) or segment)
        return messages

    def sent_in(self, history: Trimmed) -> tuple[Fitted, ...]:
        """The cuts of the results that a history sends shortened, to be stored for the next turn."""
        # A cut that is not sent need not make its messages.
        sent = history.sent if self._has_shortened else ()
        short = chain.from_iterable(map(attrgetter("in_preview"), sent))
        return tuple(Fitted(one.id, one.content_digest, self.chars) for one in short)

    def largest(self, messages: tuple[WireMessage, ...], first: int, end: int) -> list[SegmentPlace]:
        """Places of the results that may be shortened within a range of messages, the longest first."""
        within = chain.from_iterable(map(attrgetter("segments"), messages[first:end]))
        if frozenset(map(attrgetter("kind"), within)).isdisjoint(_RESULTS):
            return []  # as nearly always: every cut asks for them
        found = [
            (-len(segment.text), number, place)
            for number in range(first, min(end, len(messages)))
            for place, segment in enumerate(messages[number].segments)
            if segment.kind in _RESULTS and self._can_shorten(segment)
        ]
        return [(number, place) for _, number, place in sorted(found)]

    def with_preview(
        self, messages: tuple[WireMessage, ...], where: SegmentPlace
    ) -> tuple[WireMessage, ...] | None:
        """The messages with one result shortened; None where that would not make it shorter."""
        short = self.short(messages[where[0]].segments[where[1]], self.chars)
        return None if short is None else _put(messages, where, short)

    def with_short_answers(self, message: WireMessage) -> WireMessage | None:
        """A message with its answers shortened; None where that would not make it shorter."""
        segments = tuple(self._short_answer(one) for one in message.segments)
        same = all(new is old for new, old in zip(segments, message.segments, strict=True))
        return None if same else replace(message, segments=segments)

    def _short_answer(self, segment: Segment) -> Segment:
        return (self.short(segment, self.chars) if _is_answer(segment) else None) or segment

    def short(self, segment: Segment, chars: int) -> Segment | None:
        opening, _, closing = (segment.placeholder or "").partition(TRIMMED)
        body = segment.text[len(opening) : len(segment.text) - len(closing)]
        if chars >= len(body):
            return None
        named = _file_of(segment, self.calls)
        cut = self._memory.texts.plan_text(named, segment.content_digest, body).cut(chars)
        note = f"[compacted from {len(body):,} characters; to have it again: {self.again(segment)}]"
        text = f"{opening}{cut}\n{repair_text(note)}{closing}"
        # No text can close its own block, also not a part of it.
        if len(text) >= len(segment.text) or (closing.strip() and closing.strip() in cut):
            return None
        self._has_shortened = True
        return replace(segment, text=text, form="compacted", original=segment.text)

    def again(self, segment: Segment) -> str:
        return how_again(segment, self.calls, self._how.tools)

    def _can_shorten(self, segment: Segment) -> bool:
        return (
            segment.placeholder is not None
            and segment.form == "full"
            and segment.kind in _RESULTS
            and len(segment.text) > self._how.sizes.verbatim_chars
            and _command(segment, self.calls) is not None
        )


def calls_in(messages: Iterable[WireMessage]) -> dict[str, ToolCall]:
    """Every call of a tool, by its id."""
    return {call.id: call for message in messages for one in message.segments for call in one.tool_calls}


def how_again(segment: Segment, calls: Calls, tools: frozenset[str]) -> str:
    """The call that produced a result, as a user would write it; for a removed tool, a request to the user."""
    if segment.kind == "assistant":
        return "ask for the whole answer"
    name, arguments = _command(segment, calls) or ("", "")
    words = f"{name} {arguments}".strip() if len(arguments) <= _LONGEST_ARGUMENTS else f"{name} as before"
    return repair_text(f"call {words}" if name in tools else f"ask for the result of {words}")


def previews_in(
    strip: Layer, messages: Sequence[WireMessage], inputs: TurnInputs, counter: TokenCounter, growing: Growing
) -> tuple[Compacted, ...]:
    """What was shortened in history: tokens before and after, and how the model can get the rest."""
    forms = growing.each("form", strip.segments, attrgetter("form"))
    if "compacted" not in forms:
        return ()
    rows = zip(strip.segments, strip.tokens, strict=True)
    short = [row for row, form in zip(rows, forms, strict=True) if form == "compacted"]
    calls, tools = calls_in(messages), frozenset(tool.name for tool in inputs.settings.tools)
    return tuple(
        Compacted(segment.id, tokens + _saved(segment, counter), tokens, how_again(segment, calls, tools))
        for segment, tokens in short
    )


def _saved(segment: Segment, counter: TokenCounter) -> int:
    whole = replace(segment, text=segment.original or "")
    return counter.total(segment_cost(whole, counter)) - counter.total(segment_cost(segment, counter))


def _put(messages: tuple[WireMessage, ...], where: SegmentPlace, segment: Segment) -> tuple[WireMessage, ...]:
    number, place = where
    segments = list(messages[number].segments)
    segments[place] = segment
    return (*messages[:number], replace(messages[number], segments=tuple(segments)), *messages[number + 1 :])


def _is_answer(segment: Segment) -> bool:
    return segment.kind == "assistant" and segment.placeholder is not None and segment.form == "full"


def _command(segment: Segment, calls: Calls) -> tuple[str, str] | None:
    """The tool and its arguments: from the call, or from the first line of a command's result."""
    call = calls.get(segment.tool_call_id or "")
    if call is not None:
        return call.name, call.arguments
    whole = segment.original or segment.text
    opening = (segment.placeholder or "").partition(TRIMMED)[0]
    name, _, arguments = whole[len(opening) :].partition("\n")[0].partition(" ")
    return (name, arguments) if segment.kind == "environment" and arguments.startswith("{") else None


def _file_of(segment: Segment, calls: Calls) -> str:
    """The file that a tool result comes from, where its call names one; its name tells the text's shape."""
    command = _command(segment, calls)
    try:
        given = json.loads(command[1]) if command is not None else None
    except ValueError:
        return ""
    path = given.get("path") if isinstance(given, dict) else None
    return path if isinstance(path, str) else ""


# Last-N and the token cap on earlier messages: what is beyond them is left out, in place.
#
# The caps count messages as they were said, not the runs that they are merged to. A call is never sent without its
# results: of those that have no room a placeholder stays.


Quoting = Callable[[set[str], int], Mapping[str, int]]
"""What would be quoted within a number of tokens besides the messages sent anyway, and the cost of each quote."""


@dataclass(frozen=True, slots=True)
class Capping:
    """What the history caps depend on: settings, pinned messages, the counter, and the tokens of everything else."""

    settings: HistorySettings
    pinned: frozenset[str]
    counter: TokenCounter
    quoting: Quoting | None = None


def cap_history(messages: tuple[WireMessage, ...], capping: Capping) -> tuple[WireMessage, ...]:
    """Empty the messages that exceed the caps; the list keeps its length, so that trim boundaries stay valid."""
    settings = capping.settings
    if settings.last_n_messages is None and settings.max_tokens is None:
        return messages
    held = _uncapped_ids(messages, capping.pinned)
    kept = _with_partners(messages, held | _last_n(messages, settings.last_n_messages))
    capped = _only(messages, kept)
    if settings.max_tokens is None:
        return capped
    return _CapBudget(capped, held, capping).spent(settings.max_tokens)


def _uncapped_ids(messages: Sequence[WireMessage], pinned: frozenset[str]) -> set[str]:
    """Ids that no cap removes: system records, pinned messages, and calls of pinned results with all their results."""
    held = {
        s.id for message in messages for s in message.segments if message.role == "system" or s.id in pinned
    }
    for call, results in pairwise(messages):
        answered = {segment.tool_call_id for segment in results.segments if segment.id in pinned}
        held |= {s.id for s in call.segments if any(c.id in answered for c in s.tool_calls)}
        held |= _answers(call, results, held)
    return held


def _last_n(messages: Sequence[WireMessage], last_n: int | None) -> set[str]:
    ids = [segment.id for segment in _segments(messages)]
    return set(ids if last_n is None else ids[len(ids) - min(last_n, len(ids)) :])


class _CapBudget:
    """Spends the token cap on messages from the newest: the newest exchange, then quotes, then whatever still fits."""

    def __init__(self, messages: tuple[WireMessage, ...], held: set[str], capping: Capping) -> None:
        self._messages = list(messages)
        self._sent = list(_only(messages, held))
        self._uncapped_ids, self._counter, self._quoting = held, capping.counter, capping.quoting
        self._raw = sum(self._cost(message) for message in self._sent)
        self._quotes: Mapping[str, int] = {}

    def spent(self, most_tokens: int) -> tuple[WireMessage, ...]:
        units = list(_units(self._messages))
        if self._quoting is None:
            self._include_units(reversed(units), most_tokens)
            return tuple(self._sent)
        asked = self._newest_question()
        late = [unit for unit in units if unit[0] > asked]
        if not (
            self._include_units(reversed(late), most_tokens) and self._include_question(asked, most_tokens)
        ):
            return tuple(self._sent)
        there = {segment.id for segment in _segments(self._sent)}
        room = most_tokens - self._counter.total(self._raw)
        self._quotes = self._quoting(there, room) if room > 0 else {}
        self._raw += sum(self._quotes.values())
        self._include_units(reversed(units[: len(units) - len(late)]), most_tokens)
        return tuple(self._sent)

    def _newest_question(self) -> int:
        asked = (place for place, one in enumerate(self._messages) if one.role == "user" and one.segments)
        return max(asked, default=-1)

    def _include_question(self, place: int, most_tokens: int) -> bool:
        """Include the newest question, whatever was said just before it."""
        if place < 0:
            return True
        run = self._messages[place]
        question = _reduced(run, self._uncapped_ids | {run.segments[-1].id})
        return self._put((place,), [question], self._raw - self._cost(self._sent[place]), most_tokens)

    def _include_units(self, units: Iterable[Sequence[int]], most_tokens: int) -> bool:
        """Include units until one does not fit whole, and of that one what fits; returns whether all fitted."""
        return all(self._take(unit, most_tokens) for unit in units)

    def _take(self, unit: Sequence[int], most: int) -> bool:
        """Include a message with the results of its calls; returns whether it fits whole."""
        messages = [self._messages[place] for place in unit]
        if not any(message.segments for message in messages):
            return True
        before = self._raw - sum(self._cost(self._sent[place]) for place in unit)
        # What is sent as it is needs no quote.
        before -= sum(self._quotes.get(segment.id, 0) for segment in _segments(messages))
        if self._put(unit, messages, before, most):
            return True
        if len(unit) == 1:
            self._take_newest(unit, before, most)
        else:
            self._take_shortened(unit, before, most)
        return False

    def _take_newest(self, unit: Sequence[int], before: int, most: int) -> None:
        """Include the newest messages of a run that fit."""
        run = self._messages[unit[0]]
        ids = [segment.id for segment in run.segments]
        # The more of them the dearer: the first number from the end on that is too many.
        tries = range(1, len(ids) + 1)
        least = bisect_left(tries, True, key=lambda number: not self._fits(run, ids[-number:], before, most))
        if least:
            self._put(unit, [_reduced(run, self._uncapped_ids | set(ids[-least:]))], before, most)

    def _fits(self, run: WireMessage, ids: Sequence[str], before: int, most: int) -> bool:
        return self._counter.total(before + self._cost(_reduced(run, self._uncapped_ids | set(ids)))) <= most

    def _take_shortened(self, unit: Sequence[int], before: int, most: int) -> None:
        """Include a call with its results, with placeholders for those that do not fit, the oldest first."""
        calls, results = (self._messages[place] for place in unit)
        for number in range(1, len(results.segments) + 1):
            short = (*map(_placeholder, results.segments[:number]), *results.segments[number:])
            if self._put(unit, [calls, replace(results, segments=short)], before, most):
                return
        # What was said before the calls can go; they cannot, nor can what answers them.
        calling = {segment.id for segment in calls.segments if segment.tool_calls}
        self._put(
            unit,
            [
                _reduced(calls, calling | self._uncapped_ids),
                replace(results, segments=tuple(map(_placeholder, results.segments))),
            ],
            before,
            most,
        )

    def _put(self, unit: Sequence[int], messages: Sequence[WireMessage], before: int, most: int) -> bool:
        raw = before + sum(map(self._cost, messages))
        if self._counter.total(raw) > most:
            return False
        self._raw = raw
        for place, message in zip(unit, messages, strict=True):
            self._sent[place] = message
        return True

    def _cost(self, message: WireMessage) -> int:
        return sum(self._counter.costs(message)) if message.segments else 0


def _units(messages: Sequence[WireMessage]) -> Iterator[tuple[int, ...]]:
    """Indices of messages that are kept or cut together: a message, or one with the results of its calls."""
    place = 0
    while place < len(messages):
        answered = place + 1 < len(messages) and messages[place + 1].role == "tool"
        yield (place, place + 1) if answered else (place,)
        place += 2 if answered else 1


def _placeholder(segment: Segment) -> Segment:
    if segment.placeholder is None or segment.form not in ("full", "compacted"):
        return segment
    whole = segment.text if segment.original is None else segment.original
    if len(segment.placeholder) >= len(segment.text):
        return segment
    return replace(segment, text=segment.placeholder, form="trimmed", original=whole)


def _with_partners(messages: Sequence[WireMessage], kept: set[str]) -> set[str]:
    """Ids with calls and results made consistent: a result is kept exactly where its call is."""
    whole = set(kept)
    for call, results in pairwise(messages):
        if results.role == "tool":
            whole -= {segment.id for segment in results.segments}
            whole |= _answers(call, results, kept)
    return whole


def _answers(call: WireMessage, results: WireMessage, kept: set[str]) -> set[str]:
    asked = {c.id for segment in call.segments if segment.id in kept for c in segment.tool_calls}
    return {segment.id for segment in results.segments if segment.tool_call_id in asked}


def _only(messages: Sequence[WireMessage], ids: set[str]) -> tuple[WireMessage, ...]:
    return tuple(_reduced(message, ids) for message in messages)


def _reduced(message: WireMessage, ids: set[str]) -> WireMessage:
    segments = tuple(segment for segment in message.segments if segment.id in ids)
    if len(segments) == len(message.segments) or not segments:
        return message if segments else replace(message, segments=())
    first, *others = segments
    return replace(message, id=first.id, segments=(replace(first, lead=""), *others), merged=bool(others))


def _segments(messages: Iterable[WireMessage]) -> Iterator[Segment]:
    return (segment for message in messages for segment in message.segments)
