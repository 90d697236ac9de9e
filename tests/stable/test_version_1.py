"""What people built on version 1 goes on working: no name of its formats leaves, and no value becomes of another type.

A name that is new is recorded with `python -m tests.stable.recorded`; it is part of what stays from then on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.stable.recorded import now, recorded

PARTS = ("formats", "store", "trajectory", "settings", "outputs")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What the program has now, as it would be recorded."""
    made: dict[str, Any] = json.loads(json.dumps(now()))
    return made


@pytest.mark.parametrize("part", PARTS)
def test_version_1_stays(found: dict[str, Any], part: str):
    kept, of_now = facts(recorded()[part]), facts(found[part])
    assert kept - of_now == set(), "they left, or are of another type"
    assert of_now - kept == set(), "they are new: `python -m tests.stable.recorded` records them"


def test_every_part_is_compared(found: dict[str, Any]):
    assert tuple(found) == PARTS
    assert all(facts(part) for part in found.values())


def test_a_name_that_leaves_is_noticed():
    before = {"spend": ["rows: list", "rows[].tokens: int"]}
    assert facts(before) - facts({"spend": ["rows: list"]}) == {"spend rows[].tokens: int"}
    assert facts(before) - facts({"spend": ["rows: list", "rows[].tokens: str"]}) == {
        "spend rows[].tokens: int"
    }


def facts(part: Any) -> set[str]:
    """What was recorded, a line for each name."""
    return set(_lines(part, ""))


def _lines(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, below in value.items():
            yield from _lines(below, f"{place} {name}".lstrip())
    elif isinstance(value, list) and all(isinstance(one, str) for one in value):
        yield from (f"{place} {one}" for one in value)
    else:
        yield f"{place} = {json.dumps(value, ensure_ascii=False)}"
