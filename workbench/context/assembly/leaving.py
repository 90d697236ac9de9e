"""Removes the oldest exchanges from a full chat, with one line that tells the model so.

A question and its answer are removed together, so that the rest stays a coherent conversation.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise
from operator import itemgetter

from workbench.context.count.measure import segment_cost
from workbench.domain.envelope import WireMessage
from workbench.domain.memo import Growing
from workbench.domain.segment import Segment
from workbench.domain.text import digest_text
from workbench.ports.counting import TokenCounter

LEFT = "left"
"""Id and kind of the line about what left."""
_DIGITS = 8
"""What the line may get longer by while exchanges leave, in tokens: its figures do."""

_JOINED = 2
"""What a line costs more where it opens a message, in tokens."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Leaving:
    """The rules by which exchanges leave.

    Attributes:
        kept: messages that nothing takes out; their whole exchanges stay.
        basis: digest of the limits and the model: when it changes, the boundary is found again.
        gives_back: whether free room after a cut restores messages, rather than being left as headroom.
        told: up to where exchanges had left before, and what the line said of them: while the same have left, corrected
            counts do not change it.
        shortened: a message with its answers in short; None where that is no shorter.
    """

    kept: frozenset[str]
    basis: str
    shortened: Callable[[WireMessage], WireMessage | None]
    gives_back: bool = False
    told: tuple[int, tuple[int, int]] = (0, (0, 0))
    found: list[RemainingHistory] = field(default_factory=list, repr=False, compare=False)
    """What was left the last time: while a request is cut, it is asked for again and again."""


def says_something(message: WireMessage) -> bool:
    """Whether anything of a message is sent."""
    return bool(message.segments)


def spans_of(messages: Sequence[WireMessage], first: int = 0) -> list[Span]:
    """The span of each exchange: a user message and all that follows it; `first` is the first index."""
    starts = [place for place, one in enumerate(messages, first) if one.role == "user"]
    if not starts or starts[0] > first:
        starts.insert(0, first)
    return list(zip(starts, (*starts[1:], first + len(messages)), strict=True)) if messages else []


@dataclass
class RemainingHistory:
    """Messages while their exchanges are removed, with the request's cost; exchanges before a boundary are gone.

    In a long chat nearly all are gone: these are priced as one run, not turn by turn.
    """

    messages: tuple[WireMessage, ...]
    leaving: Leaving
    other_raw: int
    counter: TokenCounter
    growing: Growing
    boundary: int = 0

    def __post_init__(self) -> None:
        messages, counter = self.messages, self.counter
        states = self.growing.scan("leaving", messages, _NOTHING, partial(_with, counter), counter)
        self._states = states
        self._raw = states[len(messages)][0]
        self._line = sum(counter.costs(_LINE_ALONE)) - sum(counter.costs(_NO_LINE))
        self._short: dict[int, WireMessage] = {}
        # What left, exchanges that follow each other together.
        self._runs: list[Span] = []
        self._turns = self._gone_raw = 0
        self._all_free = states[len(messages)][2] == 0
        if self._all_free and not self.leaving.kept:
            begin = _exchange_before(messages, self.boundary)
            opened = begin > 0 and messages[0].role != "user"
            self._leave_run((0, begin), states[begin][1] + opened)
            self.spans = spans_of(messages[begin:], begin)
        else:
            self.spans = [span for span in spans_of(messages) if self._may_leave(span)]
            for span in self.spans[: bisect_right(self.spans, self.boundary, key=itemgetter(1))]:
                self.leave(span)

    def again(self, other_raw: int) -> RemainingHistory:
        """A copy beside another raw cost of the rest of the request."""
        other = copy(self)
        other.other_raw, other._runs, other._short = other_raw, [*self._runs], dict(self._short)
        return other

    def _raw_before(self, place: int) -> int:
        """Raw cost of all messages before an index, uncut."""
        return self._states[place][0]

    def _may_leave(self, span: Span) -> bool:
        kept = self.leaving.kept
        run = self.messages[slice(*span)]
        said = [segment.id for message in run for segment in message.segments]
        return bool(said) and kept.isdisjoint(said) and all(message.role != "system" for message in run)

    def tokens(self) -> int:
        """Tokens of the request now, with the line about what left."""
        line = self._line + _DIGITS if self._runs else 0
        return self.counter.total(self.other_raw + self._raw + line)

    @property
    def end(self) -> int:
        """End of the last exchange that left."""
        return self._runs[-1][1] if self._runs else 0

    @property
    def left(self) -> tuple[int, int]:
        """The figures in the line about what left: turns and tokens."""
        end, told = self.leaving.told
        return (
            told
            if (end, told[0]) == (self.end, self._turns)
            else (self._turns, self.counter.total(self._gone_raw))
        )

    def leave(self, span: Span) -> None:
        self._leave_run(span, 1)

    def leave_until(self, target: int, spans: Sequence[Span]) -> None:
        """Remove the oldest of some exchanges, as many as needed to reach a target."""
        if not spans or self.tokens() <= target:
            return
        if not self._all_free or self.leaving.kept or self._short:
            for span in spans:
                if self.tokens() <= target:
                    break
                self.leave(span)
            return
        # They follow each other: the fewest are found without taking them out one by one.
        least = self._raw_before(spans[0][0])
        fixed = self.other_raw + self._raw + self._line + _DIGITS + least
        places = range(1, len(spans) + 1)
        enough = bisect_left(
            places,
            True,
            key=lambda n: self.counter.total(fixed - self._raw_before(spans[n - 1][1])) <= target,
        )
        count = min(enough + 1, len(spans))
        self._leave_run((spans[0][0], spans[count - 1][1]), count)

    def _leave_run(self, run: Span, turns: int) -> None:
        if not turns:
            return
        raw = self._raw_before(run[1]) - self._raw_before(run[0])
        raw += sum(self._shortening_cost(place) for place in self._short if run[0] <= place < run[1])
        self._raw, self._gone_raw, self._turns = self._raw - raw, self._gone_raw + raw, self._turns + turns
        if self._runs and self._runs[-1][1] == run[0]:
            run = (self._runs.pop()[0], run[1])
        self._runs.append(run)

    @property
    def gone_ids(self) -> tuple[str, ...]:
        """The ids of all that left, in order."""
        said = self.growing.each("ids", self.messages[: self.end], _ids_in)
        return tuple(chain.from_iterable(chain.from_iterable(said[slice(*run)] for run in self._runs)))

    def shorten_answers(self, start: int, end: int, target: int) -> None:
        """Shorten answers, the longest first, until the request reaches its target."""
        answers = [place for place in range(start, end) if self.messages[place].role == "assistant"]
        for place in sorted(answers, key=lambda one: -len(self.messages[one].content)):
            if self.tokens() <= target:
                return
            short = self.leaving.shortened(self.messages[place])
            if short is not None:
                self._short[place] = short
                self._raw += self._shortening_cost(place)

    def give_back(self, most: int) -> None:
        """Restore what fits again: shortened answers, the newest first, then the newest exchanges that left."""
        for place in sorted(self._short, reverse=True):
            if any(start <= place < end for start, end in self._runs):
                continue  # it left with its exchange, and comes back with that
            less = self._shortening_cost(place)
            self._raw -= less
            if self.tokens() <= most:
                del self._short[place]
            else:
                self._raw += less
        while self._runs:
            start, end = self._runs[-1]
            begin = max(start, _exchange_before(self.messages, end - 1))
            raw = self._raw_before(end) - self._raw_before(begin)
            if self.counter.total(self.other_raw + self._raw + raw + self._line + _DIGITS) > most:
                return
            # It comes back whole, also where its answer was in short when it left and was counted so.
            short = [place for place in self._short if begin <= place < end]
            gone_raw = raw + sum(map(self._shortening_cost, short))
            for place in short:
                del self._short[place]
            self._runs[-1:] = [(start, begin)] if start < begin else []
            self._raw, self._gone_raw, self._turns = (
                self._raw + raw,
                self._gone_raw - gone_raw,
                self._turns - 1,
            )

    def _shortening_cost(self, place: int) -> int:
        """Change of a message's cost when shortened; negative."""
        return self.counter.raw_cost([self._short[place]]) - self.counter.raw_cost([self.messages[place]])

    def sent(self) -> tuple[WireMessage, ...]:
        """The messages to send."""
        before, after = self._rest()
        if not (self._runs and after):
            return before + after
        # Where turns that stay stand before those that left, the line stands in the gap.
        return (*before, self._told(after[0]), *after[1:])

    def priced(self) -> tuple[int, Segment | None]:
        """The raw cost of the messages to send, and the line about what left where none of them carries it."""
        if not self._runs:
            return self._raw, None
        first = self._first_after()
        if first is None:
            line = _line(*self.left)
            return self._raw + segment_cost(line, self.counter) + _JOINED, line
        return self._raw + sum(self.counter.costs(self._told(first))) - sum(self.counter.costs(first)), None

    def _told(self, message: WireMessage) -> WireMessage:
        """The message that carries the line about what left: the same one while that is the same."""
        left = self.left
        # Without it each cut counts the line of the one before again: 1,000 turns take 48 ms, not 46 (`variants`).
        (told,) = self.growing.each("told", (message,), lambda one: with_line(one, _line(*left)), left)
        return told

    def _first_after(self) -> WireMessage | None:
        """The message after the last exchange that left; None where nothing stayed there."""
        if self._short or not self._all_free:
            return next(iter(self._rest()[1]), None)
        return self.messages[self.end] if self.end < len(self.messages) else None

    def _rest(self) -> tuple[tuple[WireMessage, ...], tuple[WireMessage, ...]]:
        """The remaining messages that are not empty: those before the last exchange that left, and those after it."""
        messages: Sequence[WireMessage] = self.messages
        if self._short:
            messages = [self._short.get(place, one) for place, one in enumerate(messages)]
        between = pairwise((0, *chain.from_iterable(self._runs), len(messages)))
        stays = [messages[slice(*gap)] for place, gap in enumerate(between) if place % 2 == 0]
        *before, after = stays if self._all_free else [tuple(_nonempty(some)) for some in stays]
        return tuple(chain.from_iterable(before)), tuple(after)


_State = tuple[int, int, int]
"""What a history comes to: its raw cost, how many questions it has, how many messages that do not just leave."""
_NOTHING: _State = (0, 0, 0)


def _with(counter: TokenCounter, before: _State, message: WireMessage) -> _State:
    raw, questions, bound = before
    role = message.role
    if not message.segments:
        return raw, questions + (role == "user"), bound + 1
    return raw + sum(counter.costs(message)), questions + (role == "user"), bound + (role == "system")


def _exchange_before(messages: Sequence[WireMessage], place: int) -> int:
    """Index at which the exchange around a place begins."""
    while 0 < place < len(messages) and messages[place].role != "user":
        place -= 1
    return min(place, len(messages))


def _nonempty(messages: Iterable[WireMessage]) -> Iterator[WireMessage]:
    return filter(says_something, messages)


def with_line(message: WireMessage, line: Segment) -> WireMessage:
    """A message that begins with the line about what left."""
    if not message.segments:
        return message
    first, *others = message.segments
    return replace(message, segments=(line, replace(first, lead="\n\n" + first.lead), *others))


def _ids_in(message: WireMessage) -> tuple[str, ...]:
    return tuple(one.id for one in message.segments)


def _line(turns: int, tokens: int) -> Segment:
    earlier = "The turn before this one" if turns == 1 else f"{turns:,} turns before this one"
    text = f"[{earlier}, {tokens:,} tokens, {'is' if turns == 1 else 'are'} not in this request.]"
    return Segment(
        id=LEFT, layer="L4_STRIP", kind=LEFT, text=text, content_digest=digest_text(text), priority=5
    )


# Always the same messages: a counter knows what they cost.
_LINE_ALONE, _NO_LINE = (
    WireMessage(LEFT, "user", (one,)) for one in (_line(1, 1), replace(_line(1, 1), text=""))
)
