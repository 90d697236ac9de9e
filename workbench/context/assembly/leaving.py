"""Exchanges that leave: a chat that is full goes on without its oldest turns, and one line tells the model so.

A question and what answers it leave together, so that the rest reads as it was said.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, count, repeat
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


def says_something(message: WireMessage) -> bool:
    """Whether anything of a message is sent."""
    return bool(message.segments)


def spans_of(roles: Sequence[Role]) -> list[Span]:
    """Where each exchange begins and ends: a user's message and all that follows it."""
    starts = [*compress(count(), map("user".__eq__, roles))]
    if not starts or starts[0] > 0:
        starts.insert(0, 0)
    return list(zip(starts, (*starts[1:], len(roles)), strict=True)) if roles else []


class RemainingHistory:
    """Messages while their exchanges leave, with what the request costs."""

    def __init__(
        self,
        messages: tuple[WireMessage, ...],
        leaving: Leaving,
        other_raw: int,
        counter: TokenCounter,
        growing: Growing,
    ) -> None:
        self._whole_messages, self._growing = messages, growing
        self._messages = list(messages)
        self._leaving, self._counter, self._other = leaving, counter, other_raw
        self._said = growing.each("said", messages, says_something)
        self._costs = message_costs(messages, self._said, counter)
        self._raw = sum(self._costs)
        # What left, exchanges that follow each other together: of a long chat nearly all of it, in one run.
        self._runs: list[Span] = []
        self._line = segment_cost(_line(1, 1), counter) + _DIGITS
        self.gone: list[Span] = []
        roles = growing.each("role", messages, attrgetter("role"))
        spans = spans_of(roles)
        self._whole = all(self._said) and not leaving.kept and "system" not in roles
        self.spans = spans if self._whole else [span for span in spans if self._may_leave(span)]

    def _may_leave(self, span: Span) -> bool:
        kept = self._leaving.kept
        run = self._messages[slice(*span)]
        said = [segment.id for message in run for segment in message.segments]
        return bool(said) and kept.isdisjoint(said) and all(message.role != "system" for message in run)

    def tokens(self) -> int:
        """What the request costs by now, with the line about what left."""
        line = self._line if self.gone else 0
        return self._counter.total(self._other + self._raw + line)

    def leave(self, span: Span) -> None:
        self.gone.append(span)
        self._leave_run(span)

    def leave_before(self, boundary: int) -> None:
        """Every exchange leaves that ends before the boundary."""
        gone = self.spans[: bisect_right(self.spans, boundary, key=itemgetter(1))]
        self.gone += gone
        for run in [(gone[0][0], gone[-1][1])] if gone and self._whole else gone:
            self._leave_run(run)

    def _leave_run(self, run: Span) -> None:
        self._raw -= sum(self._costs[slice(*run)])
        if self._runs and self._runs[-1][1] == run[0]:
            run = (self._runs.pop()[0], run[1])
        self._runs.append(run)

    @property
    def gone_ids(self) -> tuple[str, ...]:
        """The ids of all that left, in their order."""
        said = self._growing.each("ids", self._before_rest, _ids_in)
        return tuple(chain.from_iterable(chain.from_iterable(said[slice(*run)] for run in self._runs)))

    @property
    def _before_rest(self) -> tuple[WireMessage, ...]:
        """The messages up to the last one that left."""
        return self._whole_messages[: self._runs[-1][1] if self._runs else 0]

    def shorten_answers(self, start: int, end: int, target: int) -> None:
        """Put answers in short, the longest first, until the request is within its target."""
        answers = [place for place in range(start, end) if self._messages[place].role == "assistant"]
        for place in sorted(answers, key=lambda one: -len(self._messages[one].content)):
            if self.tokens() <= target:
                return
            whole = self._messages[place]
            short = self._leaving.shortened(whole)
            if short is not None:
                self._messages[place] = short
                cost = raw_cost([short], self._counter)
                self._raw += cost - self._costs[place]
                self._costs[place] = cost

    def sent(self) -> tuple[tuple[WireMessage, ...], tuple[WireMessage, ...], Segment | None]:
        """All messages, without a word where they left; those that are sent; the line, where none carries it."""
        messages, there = list(self._messages), list(self._said)
        if not self.gone:
            return tuple(messages), tuple(compress(messages, there)), None
        tokens = self._counter.total(sum(sum(self._costs[start:end]) for start, end in self._runs))
        line = _line(len(self.gone), tokens)
        emptied = self._growing.each("emptied", self._before_rest, attrgetter("emptied"))
        for run in self._runs:
            messages[slice(*run)] = emptied[slice(*run)]
            there[slice(*run)] = repeat(False, run[1] - run[0])
        if True not in there:
            return tuple(messages), (), line
        first = there.index(True)
        messages[first] = with_line(messages[first], line)
        return tuple(messages), tuple(compress(messages, there)), None


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
