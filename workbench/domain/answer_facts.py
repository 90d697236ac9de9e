"""The facts of an answer, each with whether and where it stands in the request that the answer was made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.domain.memo import made_once
from workbench.domain.segment import LayerName

FactState = Literal["found", "question", "earlier_answer", "computed", "absent"]
"""Where a fact stands, the first that holds: in a source; only in a person's words; only in earlier answers; nowhere,
but it follows from others; nowhere."""
STATES: tuple[FactState, ...] = get_args(FactState)

AnswerFactKind = Literal["number", "date", "time", "name", "code", "path", "url", "email", "quotation"]
MOST_PLACES = 5
MOST_CHARS = 100_000
"""How much of an answer is looked through; nobody reads more, and it would take seconds."""


@dataclass(frozen=True, slots=True)
class FactPlace:
    """A line of the request that has a fact.

    Attributes:
        key: the id of the segment; segment: what it is called.
        line: counted from 1 in the file or message itself, as it was before any cut; 0 in what frames it.
        text: the whole line, or of a very long one the part around the fact; `start` and `end` are the fact in it.
        before, after: the lines around it, for reading.
        turn: of a message, the turn in which it was said.
    """

    key: str
    segment: str
    layer: LayerName
    line: int
    text: str
    start: int = 0
    end: int = 0
    before: str = ""
    after: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class AnswerFact:
    """One fact; `spans` are all its places in the answer.

    Attributes:
        where: where the request has it, the nearest layer first.
        how: of a computed number, from what.
        cut: of an absent one, where it stood in something that was cut or left out of this request.
    """

    text: str
    kind: AnswerFactKind
    spans: tuple[tuple[int, int], ...]
    state: FactState = "absent"
    where: tuple[FactPlace, ...] = ()
    how: str = ""
    cut: FactPlace | None = None


@dataclass(frozen=True)
class AnswerFacts:
    """All facts of an answer, in its order.

    Attributes:
        message: the one that holds the answer; question: the one it answers.
        answer: the words that were checked; one that was continued or edited since has others.
        notes: what was not looked through, in words.
        problem: why the answer cannot be checked, in words.
    """

    facts: tuple[AnswerFact, ...] = ()
    message: str = ""
    question: str = ""
    notes: tuple[str, ...] = ()
    answer: str = ""
    problem: str = ""

    @made_once
    def counts(self) -> Mapping[FactState, int]:
        return {state: sum(fact.state == state for fact in self.facts) for state in STATES}

    @property
    def absent(self) -> tuple[AnswerFact, ...]:
        return tuple(fact for fact in self.facts if fact.state == "absent")
