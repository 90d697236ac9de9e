"""Old results of tools in short: the step between whole and placeholder, with how to have them again.

Trimming itself is unchanged: boundary and placeholders are the same, there is only less to trim.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, compress
from operator import attrgetter

from workbench.context.assembly.history import TRIMMED
from workbench.context.assembly.memory import BuildMemory
from workbench.context.count.measure import segment_cost
from workbench.context.shorten.compact import Shortening
from workbench.domain.envelope import Compacted, Fitted, Layer, WireMessage
from workbench.domain.memo import Growing
from workbench.domain.message import ToolCall
from workbench.domain.segment import Segment
from workbench.domain.text import repair_text
from workbench.domain.turn import TurnInputs
from workbench.ports.counting import TokenCounter

_SECTIONS = 4
_LONGEST_ARGUMENTS = 240
_RESULTS = ("tool", "environment")

SegmentPlace = tuple[int, int]
Calls = Mapping[str, ToolCall]


class Previews:
    """Shortens results of tools in a history."""

    def __init__(self, messages: tuple[WireMessage, ...], how: Shortening, memory: BuildMemory) -> None:
        self._messages, self._how, self._memory = messages, how, memory
        self.chars = _SECTIONS * how.sizes.section_chars

    @cached_property
    def calls(self) -> Calls:
        return calls_in(self._messages)

    def kept(self, cuts: tuple[Fitted, ...]) -> tuple[WireMessage, ...]:
        """The messages with the results shortened that were sent so."""
        if not cuts:
            return self._messages
        return self._memory.previewed(self._messages, (cuts, self._how), lambda: self._kept(cuts))

    def _kept(self, cuts: tuple[Fitted, ...]) -> tuple[WireMessage, ...]:
        messages = self._messages
        known = {(one.id, one.content_digest): one.chars for one in cuts}
        places = [
            (number, place)
            for number, message in enumerate(messages)
            for place, segment in enumerate(message.segments)
            if (segment.id, segment.content_digest) in known
            and (self._may_be(segment) or _is_answer(segment))
        ]
        for where in places:
            segment = messages[where[0]].segments[where[1]]
            chars = known[segment.id, segment.content_digest]
            messages = _put(messages, where, self.short(segment, chars) or segment)
        return messages

    def sent_in(self, messages: tuple[WireMessage, ...]) -> tuple[Fitted, ...]:
        """The results that are sent in short, to be sent so again."""
        short = chain.from_iterable(map(attrgetter("in_preview"), messages))
        return tuple(Fitted(one.id, one.content_digest, self.chars) for one in short)

    def largest(self, messages: tuple[WireMessage, ...], first: int, end: int) -> list[SegmentPlace]:
        """Where results stand that may be shortened, between two places, the longest first."""
        there = self._memory.growing.each("results", messages, _has_results)
        found = [
            (-len(segment.text), number, place)
            for number in compress(range(first, min(end, len(messages))), there[first:])
            for place, segment in enumerate(messages[number].segments)
            if self._may_be(segment)
        ]
        return [(number, place) for _, number, place in sorted(found)]

    def with_preview(
        self, messages: tuple[WireMessage, ...], where: SegmentPlace
    ) -> tuple[WireMessage, ...] | None:
        """The messages with one result shortened; None where that would not make it shorter."""
        short = self.short(messages[where[0]].segments[where[1]], self.chars)
        return None if short is None else _put(messages, where, short)

    def with_short_answers(self, message: WireMessage) -> WireMessage | None:
        """A message with its answers in short; None where that would not make it shorter."""
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
        cut = self._memory.cut_text(named, segment.content_digest, body, chars)
        note = f"[compacted from {len(body):,} characters; to have it again: {self.again(segment)}]"
        text = f"{opening}{cut}\n{repair_text(note)}{closing}"
        # No text can close its own block, also not a part of it.
        if len(text) >= len(segment.text) or (closing.strip() and closing.strip() in cut):
            return None
        return replace(segment, text=text, form="compacted", original=segment.text)

    def again(self, segment: Segment) -> str:
        return how_again(segment, self.calls, self._how.tools)

    def _may_be(self, segment: Segment) -> bool:
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
    """The call that a result came from, as somebody would write it; a tool that is gone has to be asked for."""
    if segment.kind == "assistant":
        return "ask for the whole answer"
    name, arguments = _command(segment, calls) or ("", "")
    words = f"{name} {arguments}".strip() if len(arguments) <= _LONGEST_ARGUMENTS else f"{name} as before"
    return repair_text(f"call {words}" if name in tools else f"ask for the result of {words}")


def previews_in(
    strip: Layer, messages: Sequence[WireMessage], inputs: TurnInputs, counter: TokenCounter, growing: Growing
) -> tuple[Compacted, ...]:
    """What of history was shortened, from how much to how much, and how to have it again."""
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


def _has_results(message: WireMessage) -> bool:
    return any(one.kind in _RESULTS for one in message.segments)


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
    """The tool and its arguments: from the call, or from the first line of what a command gave back."""
    call = calls.get(segment.tool_call_id or "")
    if call is not None:
        return call.name, call.arguments
    whole = segment.original or segment.text
    opening = (segment.placeholder or "").partition(TRIMMED)[0]
    name, _, arguments = whole[len(opening) :].partition("\n")[0].partition(" ")
    return (name, arguments) if segment.kind == "environment" and arguments.startswith("{") else None


def _file_of(segment: Segment, calls: Calls) -> str:
    """The file that a result is of, where its call names one: that says what shape it has."""
    command = _command(segment, calls)
    try:
        given = json.loads(command[1]) if command is not None else None
    except ValueError:
        return ""
    path = given.get("path") if isinstance(given, dict) else None
    return path if isinstance(path, str) else ""
