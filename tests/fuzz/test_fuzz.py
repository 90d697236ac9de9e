"""Damaged inputs, whatever reads them, are read or refused: no other exception, no hang, no memory without end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.effort import tries
from tests.fuzz.targets import TARGETS, Target
from tests.fuzz.trying import finds, problem_with

CASES = Path(__file__).parent / "cases"
BY_NAME = {one.name: one for one in TARGETS}


@pytest.mark.parametrize("target", TARGETS, ids=lambda one: one.name)
def test_damaged_inputs_are_read_or_refused(target: Target) -> None:
    assert list(finds(target, tries(600), seed=1)) == []


@pytest.mark.parametrize("case", sorted(CASES.glob("*/*")), ids=lambda one: f"{one.parent.name}/{one.name}")
def test_what_was_found_once_is_read_or_refused(case: Path) -> None:
    """Each case lies in a folder that is called as its reader, with - for spaces."""
    assert problem_with(BY_NAME[case.parent.name.replace("-", " ")], case.read_bytes()) is None


def _broken(how: str) -> Target:
    """A reader that does something wrong with every input but the good one."""

    def read(content: bytes) -> None:
        if content == b"good":
            return
        if how == "raises":
            raise KeyError(content)
        if how == "hangs":
            while True:
                pass
        bytearray(500_000_000)[::4096] = b"x" * 122_071

    return Target(how, read, lambda: [b"good"])


def _hold_much() -> None:
    """As another test of the same process may have done: that peak must not hide what a reader takes."""
    bytearray(700_000_000)[::4096] = b"x" * 170_899


@pytest.mark.parametrize(
    ("how", "said"), [("raises", "KeyError"), ("hangs", "over 1 s"), ("grows", "MB more")]
)
def test_a_reader_that_does_wrong_is_found(how: str, said: str) -> None:
    _hold_much()
    found = list(finds(_broken(how), 2, seed=1))
    assert found
    assert said in found[0].what
