"""Whether an answer is what somebody wanted it to be."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import assert_never

from workbench.context.json_schema import Json, Schema, problem_in, read_schema
from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Cell, Check

Matches = Callable[[Sequence[tuple[str, str]]], Sequence[bool]]
"""Whether each pattern is found in its text. They are somebody's own, and may take for ever."""


def search_here(pairs: Sequence[tuple[str, str]]) -> Sequence[bool]:
    """Whether each pattern is found in its text; nothing ends one that takes for ever."""
    return [re.search(pattern, text) is not None for pattern, text in pairs]


def holds(check: Check, answer: str, matches: Matches) -> bool | None:
    """Whether an answer passes a check; None where a model has to judge it."""
    match check.kind:
        case "contains":
            return check.wanted in answer
        case "lacks":
            return check.wanted not in answer
        case "matches":
            return matches(((check.wanted, answer),))[0]
        case "json":
            return _value(answer) is not None
        case "schema":
            value = _value(answer)
            return value is not None and _fits(value[0], read_schema(check.wanted), matches)
        case "judged":
            return None
        case _:
            assert_never(check.kind)


def refuse_unusable(check: Check) -> None:
    """`InvalidInput` where a check can never be made."""
    if check.kind != "schema":
        return
    try:
        read_schema(check.wanted)
    except InvalidInput as problem:
        raise InvalidInput(check.name or problem.path, problem.reason) from None


def shared_words(cells: Sequence[Cell]) -> float | None:
    """How much of their words the repeats of one request share, on the average of all pairs; None below two."""
    answers = [cell.answer for cell in cells if cell.state == "complete"]
    pairs = [alike(one, other) for one, other in combinations(answers, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def alike(one: str, other: str) -> float:
    """How much of the words two answers share, from 0 to 1, counted as often as they occur."""
    ours, theirs = Counter(_words(one)), Counter(_words(other))
    whole = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / whole if whole else 1.0


def _fits(value: Json, schema: Schema, matches: Matches) -> bool:
    """Patterns are looked for many at a time, as far as a look that takes the others for found would ask for them."""
    known: dict[tuple[str, str], bool] = {}
    while True:
        unknown: dict[tuple[str, str], bool] = {}

        def found(pattern: str, text: str, unknown: dict[tuple[str, str], bool] = unknown) -> bool:
            pair = (pattern, text)
            return known[pair] if pair in known else unknown.setdefault(pair, True)

        problem = problem_in(value, schema, found)
        if not unknown:
            return not problem
        known.update(zip(unknown, matches(tuple(unknown)), strict=True))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _value(answer: str) -> tuple[object] | None:
    """The value of an answer in JSON; models often put it into a fenced block."""
    text = answer.strip()
    fenced = re.fullmatch(r"```(?:json)?[^\S\n]*\n(.*?)\n?```", text, re.DOTALL)
    try:
        return (json.loads(fenced.group(1) if fenced else text),)
    except (ValueError, RecursionError):
        return None
