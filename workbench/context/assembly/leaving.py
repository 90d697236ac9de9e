"""Exchanges that leave: a chat that is full goes on without its oldest turns, and one line tells the model so.

A question and what answers it leave together, so that the rest reads as it was said.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import chain, compress, count, pairwise
from operator import attrgetter, itemgetter

from workbench.context.count.measure import message_costs, raw_cost, segment_cost
from workbench.domain.envelope import WireMessage
from workbench.domain.memo import Growing
from workbench.domain.message import Role
from workbench.domain.segment import Segment
from workbench.domain.text import digest_text
from workbench.ports.counting import TokenCounter

LEFT = "left"
"""Id and kind of the line about what left."""
_DIGITS = 8
"""What the line may get longer by while exchanges leave, in tokens: its figures do."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Leaving:
    """How exchanges leave.

    Attributes:
        kept: messages that nothing takes out; their whole exchanges stay.
        basis: what the boundary was found by, besides what was said: with another, it is found anew.
        shortened: a message with its answers in short; None where that is no shorter.
    """

    kept: frozenset[str]
    basis: str
    shortened: Callable[[WireMessage], WireMessage | None]
    found: list[RemainingHistory] = field(default_factory=list, repr=False, compare=False)
    """What was left the last time: while a request is cut, it is asked for again and again."""


def says_something(message: WireMessage) -> bool:
    """Whether anything of a message is sent."""
    return bool(message.segments)


def spans_of(roles: Sequence[Role], first: int = 0) -> list[Span]:
    """Where each exchange begins and ends: a user's message and all that follows it; `first` is the first place."""
    starts = [*compress(count(first), map("user".__eq__, roles))]
    if not starts or starts[0] > first:
        starts.insert(0, first)
    return list(zip(starts, (*starts[1:], first + len(roles)), strict=True)) if roles else []


@dataclass
class RemainingHistory:
    """Messages while their exchanges leave, with what the request costs; those that end before a boundary have left.

    Of a long chat nearly all left: that is told and priced as one, and not looked at turn by turn.
    """

    messages: tuple[WireMessage, ...]
    leaving: Leaving
    other_raw: int
    counter: TokenCounter
    growing: Growing
    boundary: int = 0

    def __post_init__(self) -> None:
        messages, counter, growing, boundary = self.messages, self.counter, self.growing, self.boundary
        self._said = growing.each("said", messages, says_something)
        self._costs = message_costs(messages, self._said, counter)
        self._raw = sum(self._costs)
        self._line = growing.each("line", (_LINE,), lambda one: segment_cost(one, counter), counter)[0]
        self._short: dict[int, WireMessage] = {}
        # What left, exchanges that follow each other together.
        self._runs: list[Span] = []
        self._turns = self._gone_raw = 0
        roles = growing.each("role", messages, attrgetter("role"))
        if all(self._said) and not self.leaving.kept and "system" not in roles:
            begin = _exchange_before(roles, boundary)
            self._leave_run((0, begin), _exchanges_in(roles[:begin]))
            self.spans = spans_of(roles[begin:], begin)
        else:
            self.spans = [span for span in spans_of(roles) if self._may_leave(span)]
            for span in self.spans[: bisect_right(self.spans, boundary, key=itemgetter(1))]:
                self.leave(span)

    def again(self, other_raw: int) -> RemainingHistory:
        """The same by itself, beside something else."""
        other = copy(self)
        other.other_raw, other._costs, other._runs = other_raw, [*self._costs], [*self._runs]
        other._short = dict(self._short)
        return other

    def _may_leave(self, span: Span) -> bool:
        kept = self.leaving.kept
        run = self.messages[slice(*span)]
        said = [segment.id for message in run for segment in message.segments]
        return bool(said) and kept.isdisjoint(said) and all(message.role != "system" for message in run)

    def tokens(self) -> int:
        """What the request costs by now, with the line about what left."""
        line = self._line + _DIGITS if self._runs else 0
        return self.counter.total(self.other_raw + self._raw + line)

    @property
    def end(self) -> int:
        """Where the last that left ended."""
        return self._runs[-1][1] if self._runs else 0

    def leave(self, span: Span) -> None:
        self._leave_run(span, 1)

    def _leave_run(self, run: Span, turns: int) -> None:
        if not turns:
            return
        raw = sum(self._costs[slice(*run)])
        self._raw, self._gone_raw, self._turns = self._raw - raw, self._gone_raw + raw, self._turns + turns
        if self._runs and self._runs[-1][1] == run[0]:
            run = (self._runs.pop()[0], run[1])
        self._runs.append(run)

    @property
    def gone_ids(self) -> tuple[str, ...]:
        """The ids of all that left, in their order."""
        said = self.growing.each("ids", self.messages[: self.end], _ids_in)
        return tuple(chain.from_iterable(chain.from_iterable(said[slice(*run)] for run in self._runs)))

    def shorten_answers(self, start: int, end: int, target: int) -> None:
        """Put answers in short, the longest first, until the request is within its target."""
        answers = [place for place in range(start, end) if self.messages[place].role == "assistant"]
        for place in sorted(answers, key=lambda one: -len(self.messages[one].content)):
            if self.tokens() <= target:
                return
            short = self.leaving.shortened(self.messages[place])
            if short is not None:
                self._short[place] = short
                cost = raw_cost([short], self.counter)
                self._raw += cost - self._costs[place]
                self._costs[place] = cost

    def sent(self) -> tuple[tuple[WireMessage, ...], int, Segment | None]:
        """The messages that are sent and their raw cost; the line about what left, where none of them carries it."""
        rest = self._rest()
        if not self._runs:
            return rest, self._raw, None
        line = _line(self._turns, self.counter.total(self._gone_raw))
        if not rest:
            return (), 0, line
        first = with_line(rest[0], line)
        added = sum(self.counter.costs(first)) - sum(self.counter.costs(rest[0]))
        return (first, *rest[1:]), self._raw + added, None

    def _rest(self) -> tuple[WireMessage, ...]:
        """The messages that stay, as far as they say something."""
        messages: Sequence[WireMessage] = self.messages
        if self._short:
            messages = [self._short.get(place, one) for place, one in enumerate(messages)]
        between = pairwise((0, *chain.from_iterable(self._runs), len(messages)))
        stays = [slice(*gap) for place, gap in enumerate(between) if place % 2 == 0]
        return tuple(chain.from_iterable(compress(messages[gap], self._said[gap]) for gap in stays))


def _exchange_before(roles: Sequence[Role], place: int) -> int:
    """Where the exchange begins that a place is in."""
    while 0 < place < len(roles) and roles[place] != "user":
        place -= 1
    return min(place, len(roles))


def _exchanges_in(roles: Sequence[Role]) -> int:
    return roles.count("user") + (bool(roles) and roles[0] != "user")


def with_line(message: WireMessage, line: Segment) -> WireMessage:
    """A message that says first what is no longer before it."""
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


_LINE = _line(1, 1)
