"""`workbench inspect`: requests as they were sent."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.engine import Bench, fake_world
from tests.fakes.history_access import MemoryAccess
from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.engine.intents import SendMessage

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def access() -> MemoryAccess:
    """A history with one chat of two turns."""
    found = MemoryAccess()

    async def talk() -> None:
        bench = Bench(fake_world(store=found.store))
        await bench.start()
        await bench.do(SendMessage("talk", "One?"))
        await bench.do(SendMessage("talk", "Two?"))

    asyncio.run(talk())
    return found


def inspect(access: MemoryAccess, *argv: str) -> int:
    return run(["inspect", *argv], lambda _: parts_with(history=lambda: access))


def document(capsys: Capture) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_last_request_is_the_report_of_its_turn(access: MemoryAccess, capsys: Capture):
    assert inspect(access, "talk", "--json") == 0
    report = document(capsys)
    assert (report["turn"], report["prefix"]["change"], report["violations"]) == (2, "extended", [])
    assert [message["content"] for message in report["messages"]][-1] == "Two?"


def test_an_earlier_request_is_compared_with_the_one_before_it(access: MemoryAccess, capsys: Capture):
    assert inspect(access, "talk", "--turn", "1", "--json") == 0
    assert document(capsys)["prefix"]["change"] == "first"


def test_people_get_a_table(access: MemoryAccess, capsys: Capture):
    assert inspect(access, "talk") == 0
    shown = capsys.readouterr().out
    assert "turn 2  complete" in shown
    assert "prefix: extended" in shown


def test_two_requests_can_be_compared(access: MemoryAccess, capsys: Capture):
    assert inspect(access, "talk", "--turn", "2", "--diff", "1", "--json") == 0
    found = document(capsys)
    assert (found["from_turn"], found["to_turn"], found["change"]) == (1, 2, "extended")
    assert {row["what"] for row in found["segments"]} == {"added", "removed"}
    assert inspect(access, "talk", "--diff", "1") == 0
    assert "turn 1 → turn 2: extended" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "code", "complaint"),
    [
        (("gone",), 1, "no chat"),
        (("talk", "--turn", "9"), 1, "no turn 9"),
        (("talk", "--diff", "0"), 2, "counted from 1"),
        (("talk", "--diff", "1", "--case", "x.json"), 2, "leave one out"),
    ],
)
def test_what_is_not_there_is_said(
    access: MemoryAccess, argv: tuple[str, ...], code: int, complaint: str, capsys: Capture
):
    assert inspect(access, *argv) == code
    assert complaint in capsys.readouterr().err


def test_people_are_told_how_far_forecasts_and_counts_of_the_model_can_be_trusted(
    access: MemoryAccess, capsys: Capture
):
    notes = {
        "request": {"model": "word-1", "total_tokens": 1_000, "counted_as": "fake/word-1", "ratio": 1.0},
        "prompt_tokens": 1_200, "cache": {"predicted_read_tokens": 500, "reported_read_tokens": 500},
    }  # fmt: skip

    async def recent_notes(number: int, before: int | None = None) -> tuple[tuple[int, Any], ...]:
        return ((3, notes), (2, notes), (1, notes))

    access.store.recent_notes = recent_notes  # type: ignore[method-assign]
    assert inspect(access, "talk") == 0
    shown = capsys.readouterr().out
    assert "forecasts of this model: 3 of 3 within 1 %" in shown
    assert "counts of this model: estimated ± 1 %, learnt from 3 turns" in shown


@pytest.mark.parametrize("odd", [10**400, float("nan"), "many", -1, [1], True], ids=lambda odd: str(odd)[:5])
def test_odd_figures_in_what_was_noted_are_left_out(access: MemoryAccess, odd: object, capsys: Capture):
    """A chat from elsewhere may say anything about what was reported."""
    notes: dict[str, Any] = {
        "request": {"model": "word-1", "total_tokens": 1_000, "counted_as": "fake/word-1", "ratio": 1.0},
        "prompt_tokens": odd, "cached_tokens": odd,
        "cache": {"predicted_read_tokens": odd, "reported_read_tokens": odd, "price_usd": odd, "warm_s": odd},
    }  # fmt: skip
    archive = asyncio.run(access.store.archive("talk"))
    turns = tuple(replace(turn, usage=notes) for turn in archive.turns)
    other = MemoryAccess()
    asyncio.run(other.store.adopt(replace(archive, turns=turns)))
    assert inspect(other, "talk") == 0
    assert "reported:" not in capsys.readouterr().out
    assert inspect(other, "talk", "--json") == 0
    assert document(capsys)["cache"] is None
