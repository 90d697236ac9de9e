"""`workbench influence`: measured, printed, kept with the turn."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.fakes.history_access import MemoryAccess
from tests.fakes.influence_stage import InfluenceStage
from tests.fakes.parts import parts_with
from workbench.cli.main import run
from workbench.domain.influence import Influence
from workbench.engine.influence.target import kept_influence

Capture = pytest.CaptureFixture[str]


@dataclass
class Told:
    """A history with one answered question, and the command over it."""

    stage: InfluenceStage
    access: MemoryAccess

    def influence(self, *argv: str) -> int:
        world = self.stage.bench.world
        parts = parts_with(
            history=lambda: self.access, keys=lambda: self.access.keys, world=lambda store, wishes: world
        )
        return run(["influence", *argv], lambda _: parts)

    def kept(self) -> Influence | None:
        return kept_influence(asyncio.run(self.access.store.path("talk"))[-1])


def told(**how: Any) -> Told:
    access = MemoryAccess()
    stage = InfluenceStage(changes={"store": access.store, **how.pop("changes", {})}, **how)
    asyncio.run(access.open(writable=True))
    asyncio.run(stage.begin())
    return Told(stage, access)


def document(capsys: Capture) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_programs_get_the_document_and_the_turn_keeps_the_result(capsys: Capture):
    here = told()
    assert here.influence("talk", "--json") == 0
    found = document(capsys)
    assert (found["method"], found["answer_tokens"], found["drift"]) == ("leave_one_out", 4, 0.0)
    assert found["segments"][0]["id"] == "pilot.md"
    assert found["segments"][0]["nats"] == pytest.approx(19.6)
    assert found["reliability"]["held_out"] == 16
    kept = here.kept()
    assert kept is not None
    assert kept.pieces[0].id == "pilot.md"


def test_people_get_a_table(capsys: Capture):
    assert told().influence("talk") == 0
    shown = capsys.readouterr().out
    assert "pilot.md" in shown
    assert "4.90" in shown


def test_a_chat_that_is_not_there_is_said(capsys: Capture):
    assert told().influence("gone") == 1
    assert "no chat" in capsys.readouterr().err
