"""An experiment: one question asked under variants, of models, again and again; and what came of it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from workbench.domain.errors import InvalidInput

CheckKind = Literal["contains", "lacks", "matches", "json"]
CellState = Literal["waiting", "complete", "failed"]


@dataclass(frozen=True, slots=True)
class Check:
    """What an answer has to be: with these words or without them, of this pattern, or JSON."""

    kind: CheckKind
    wanted: str = ""

    @property
    def words(self) -> str:
        return "is JSON" if self.kind == "json" else f"{self.kind} {self.wanted}"

    def holds(self, answer: str) -> bool:
        match self.kind:
            case "contains":
                return self.wanted in answer
            case "lacks":
                return self.wanted not in answer
            case "matches":
                return re.search(self.wanted, answer) is not None
            case "json":
                return _is_json(answer)


def parse_check(text: str) -> Check:
    """A check as it is written: contains:WORDS, lacks:WORDS, matches:PATTERN, or json."""
    kind, _, wanted = text.partition(":")
    if kind == "json" and not wanted:
        return Check("json")
    if kind == "matches" and wanted:
        try:
            re.compile(wanted)
        except re.error as problem:
            raise InvalidInput("--expect", f"{wanted!r} is not a pattern: {problem}") from None
        return Check("matches", wanted)
    if kind in ("contains", "lacks") and wanted:
        return Check("contains" if kind == "contains" else "lacks", wanted)
    raise InvalidInput(
        "--expect", f"expected contains:, lacks: or matches: with words, or json; got {text!r}"
    )


@dataclass(frozen=True, slots=True)
class Cell:
    """One question, asked once.

    Attributes:
        variant, model, repeat: which; repeats are counted from 1.
        prompt_tokens, cached_tokens, completion_tokens: as the provider reported them.
        first_ms, total_ms: until the first word, and to the end. usd: what it cost; None where no price is known.
        checks: each in words, and whether the answer passes it.
        problem: why there is no answer.
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

    @property
    def passed(self) -> bool:
        return self.state == "complete" and all(holds for _, holds in self.checks)


@dataclass(frozen=True, slots=True)
class Experiment:
    """A grid of cells, in the order of variants and models.

    Attributes:
        expected_usd: what it was expected to cost, what a cache serves counted in; most_usd: what it could cost.
        notes: why it ended before all cells were asked.
    """

    chat: str
    turn: int
    cells: tuple[Cell, ...]
    expected_usd: float | None = None
    most_usd: float | None = None
    spent_usd: float | None = None
    notes: tuple[str, ...] = ()
    made_utc: str = ""

    @property
    def asked(self) -> int:
        return sum(cell.state != "waiting" for cell in self.cells)


def _is_json(answer: str) -> bool:
    try:
        json.loads(answer)
    except ValueError:
        return False
    return True
