"""An experiment: one question asked under several variants and models, repeatedly, and the results."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from workbench.domain.answer import FinishReason
from workbench.domain.errors import InvalidInput
from workbench.domain.translation import tr
from workbench.domain.variant import AS_SENT, MOST_VARIANTS, Variant

CheckKind = Literal["contains", "lacks", "matches", "json", "schema", "judged", "grounded"]
CellState = Literal["waiting", "asking", "complete", "failed"]
LONGEST_ANSWER = 2_048
"""Tokens of an answer reserved under a cost cap where nothing else limits it."""


@dataclass(frozen=True, slots=True)
class Check:
    """A requirement for an answer.

    Attributes:
        wanted: the words or the pattern; a schema's own text; what a model is to judge it by; of `grounded`, how many
            facts may be missing in the request.
        name: what a schema is called.
    """

    kind: CheckKind
    wanted: str = ""
    name: str = ""

    @property
    def words(self) -> str:
        match self.kind:
            case "json":
                return "is JSON"
            case "schema":
                return f"fits {self.name or 'the schema'}"
            case "judged":
                return tr("judged: {wanted}", wanted=self.wanted)
            case "grounded":
                return f"grounded:{self.wanted}" if self.wanted else "grounded"
            case _:
                return f"{self.kind} {self.wanted}"


def parse_check(text: str) -> Check:
    """Parse a check: contains:WORDS, lacks:WORDS, matches:PATTERN, json, judged:BY WHAT, grounded or grounded:N."""
    kind, _, wanted = text.partition(":")
    if kind == "json" and not wanted:
        return Check("json")
    if kind == "grounded":
        if wanted and not (wanted.isdecimal() and len(wanted) < 7):
            raise InvalidInput(
                "--expect",
                tr("grounded:{wanted} names no number of facts; try grounded or grounded:2", wanted=wanted),
            )
        return Check("grounded", wanted)
    if kind == "matches" and wanted:
        if problem := pattern_problem(wanted):
            raise InvalidInput(
                "--expect", tr("{wanted!r} is not a pattern: {problem}", wanted=wanted, problem=problem)
            )
        return Check("matches", wanted)
    simple: dict[str, CheckKind] = {"contains": "contains", "lacks": "lacks", "judged": "judged"}
    if kind in simple and wanted:
        return Check(simple[kind], wanted)
    raise InvalidInput(
        "--expect",
        tr(
            "expected contains:, lacks:, matches:, schema: or judged: with words, "
            "json or grounded; got {text!r}",
            text=text,
        ),
    )


def pattern_problem(pattern: str) -> str:
    """Why a text is not a valid regular expression; empty where it is."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError) as problem:
        return str(problem)
    except RecursionError:
        return tr("it is nested too deeply")
    return ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an experiment tries.

    Attributes:
        models: none: each variant's own. cap_usd: what all of it may cost; None: no end.
        judge: the model that judges answers; empty: the one of the turn.
        longest_answer: tokens an answer may have.
    """

    variants: tuple[Variant, ...] = ()
    models: tuple[str, ...] = ()
    repeats: int = 1
    cap_usd: float | None = None
    checks: tuple[Check, ...] = ()
    longest_answer: int = LONGEST_ANSWER
    judge: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One answer: one variant, model and repeat.

    Attributes:
        variant, model, repeat: which; repeats are counted from 1.
        prompt_tokens, cached_tokens, completion_tokens: as the provider reported them.
        first_ms, total_ms: until the first word, and to the end. usd: what it cost; None where no price is known.
        checks: each in words, and whether the answer passes it. judge_usd: what judging it cost; None where it was not.
        finish_reason: why the answer ended, as the provider said it.
        facts: of the answer; absent: those that its request does not have, None where they were not looked for.
        problem: why there is no answer or none is asked for, or what it lacks.
    """

    variant: str
    model: str
    repeat: int
    state: CellState = "waiting"
    answer: str = ""
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    first_ms: float | None = None
    total_ms: float | None = None
    usd: float | None = None
    checks: tuple[tuple[str, bool], ...] = ()
    problem: str = ""
    judge_usd: float | None = None
    finish_reason: FinishReason | None = None
    facts: tuple[str, ...] = ()
    absent: tuple[str, ...] | None = None

    @property
    def place(self) -> tuple[str, str, int]:
        """The request it answers, and which repeat it is."""
        return self.variant, self.model, self.repeat

    @property
    def passed(self) -> bool:
        return self.state == "complete" and all(holds for _, holds in self.checks)


@dataclass(frozen=True, slots=True)
class Experiment:
    """A grid of cells, in the order of variants and models.

    Attributes:
        expected_usd: what it was expected to cost, what a cache serves counted in; most_usd: what it could cost.
        notes: why it ended before all cells were asked.
        variants: what was asked under, so that an answer is taken over with the settings it was given under; none
            where it was kept before those were.
        reply: the answer of the turn that was asked again, by which its branch is known; empty where it had none.
    """

    chat: str
    turn: int
    cells: tuple[Cell, ...]
    expected_usd: float | None = None
    most_usd: float | None = None
    spent_usd: float | None = None
    notes: tuple[str, ...] = ()
    made_utc: str = ""
    variants: tuple[Variant, ...] = ()
    reply: str = ""

    @property
    def asked(self) -> int:
        return sum(cell.state in ("complete", "failed") for cell in self.cells)

    def of(self, variant: str, model: str) -> tuple[Cell, ...]:
        """The repeats of one request."""
        return tuple(cell for cell in self.cells if (cell.variant, cell.model) == (variant, model))

    def beside(self, earlier: Experiment | None) -> Experiment:
        """This experiment with earlier answers of the same turn to other requests; the newer counts for equal ones."""
        if earlier is None or earlier.reply != self.reply:
            return self
        own, before = ({one.name: one for one in some.variants} for some in (self, earlier))
        others = [name for name in before if name not in own][: MOST_VARIANTS - len(own)]
        # Of a variant that is another one by now, answers would stand under the wrong settings.
        fits = {AS_SENT, *others, *(name for name in before if before[name] == own.get(name))}
        places = {cell.place for cell in self.cells}
        more = (cell for cell in earlier.cells if cell.variant in fits and cell.place not in places)
        known = self.spent_usd is not None and earlier.spent_usd is not None
        return replace(
            self,
            cells=(*self.cells, *(cell for cell in more if cell.state in ("complete", "failed"))),
            variants=(*self.variants, *(before[name] for name in others)),
            spent_usd=(self.spent_usd or 0.0) + (earlier.spent_usd or 0.0) if known else None,
        )
