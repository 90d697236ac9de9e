"""`workbench influence`: measured, printed, kept with the turn."""

from __future__ import annotations

import asyncio
import json
import signal
from dataclasses import dataclass, replace
from typing import Any, get_args

import pytest

from tests.engine.influence.test_asking import PerMillion, hosted
from tests.fakes.engine import Bench
from tests.fakes.history_access import MemoryAccess
from tests.fakes.influence_stage import NOTES, InfluenceStage
from tests.fakes.meter import FakeMeter
from tests.fakes.parts import parts_with
from tests.fakes.schemas import problems, schema
from workbench.cli.main import run
from workbench.domain.codec import encode
from workbench.domain.influence import AnswerScore, AnswerTokens, Influence, InfluenceMethod, PieceKind, Trust
from workbench.domain.request import ModelRequest
from workbench.domain.segment import LayerName
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


def test_what_was_measured_is_shown_again_without_asking(capsys: Capture):
    here = told()
    assert here.influence("talk", "--kept") == 1
    assert "No influence was measured for turn 1 yet" in capsys.readouterr().err
    assert here.influence("talk", "--json") == 0
    first = document(capsys)
    assert here.stage.meter is not None
    scored = len(here.stage.meter.scored)
    assert here.influence("talk", "--kept", "--json") == 0
    assert document(capsys) == first
    assert (first["stale"], first["changed"]) == (False, [])
    assert len(here.stage.meter.scored) == scored


def test_a_result_about_another_request_says_so(capsys: Capture):
    here = told()
    assert here.influence("talk") == 0
    kept = here.kept()
    assert kept is not None
    record = asyncio.run(here.access.store.path("talk"))[-1]
    other = {"influence": encode(replace(kept, digest="another"))}
    asyncio.run(here.access.store.annotate("talk", record.id, lambda _: other))
    capsys.readouterr()
    assert here.influence("talk", "--kept") == 0
    assert "The request has changed" in capsys.readouterr().err


def test_a_file_that_was_changed_since_is_named(capsys: Capture):
    here = told()
    assert here.influence("talk") == 0
    store = here.access.store
    held = asyncio.run(store.attached("talk"))
    newer = [replace(one, text="other words") if one.key == "pilot.md" else one for one in held]
    asyncio.run(store.save_attached("talk", newer))
    capsys.readouterr()
    assert here.influence("talk", "--kept", "--json") == 0
    assert document(capsys)["changed"] == ["pilot.md"]
    assert here.influence("talk", "--kept") == 0
    assert "Changed since it was sent: pilot.md." in capsys.readouterr().err


def test_people_get_a_table(capsys: Capture):
    assert told().influence("talk") == 0
    shown = capsys.readouterr().out
    assert "pilot.md" in shown
    assert "4.90" in shown


@pytest.mark.parametrize("argv", [(), ("--masks", "8"), ("--sentences",), ("--pieces", "3"), ("--asking",)])
def test_every_document_fits_its_schema(argv: tuple[str, ...], capsys: Capture):
    assert told().influence("talk", "--json", *argv) == 0
    found = document(capsys)
    assert problems("influence", found) == []
    assert found["segments"]


def test_words_to_choose_from_are_the_program_s():
    own, parts = schema("influence")["properties"], schema("influence")["$defs"]
    assert own["method"]["enum"] == list(get_args(InfluenceMethod))
    assert parts["segment"]["properties"]["kind"]["enum"] == list(get_args(PieceKind))
    assert parts["segment"]["properties"]["layer"]["enum"] == list(get_args(LayerName))
    assert parts["reliability"]["properties"]["trust"]["enum"] == list(get_args(Trust))


def test_progress_goes_to_a_terminal_only(capsys: Capture):
    assert told().influence("talk", "--json") == 0
    assert "request" not in capsys.readouterr().err


def test_sentences_and_words_stand_in_the_table(capsys: Capture):
    notes = {**NOTES, "pilot.md": "The pilot likes maps.\nA compass lay near Tromsø. It was blue."}
    assert told(notes=notes).influence("talk", "--sentences") == 0
    shown = capsys.readouterr().out
    assert "line 2" in shown
    assert "“A compass lay near Tromsø.”" in shown
    assert "2 more sentences" in shown
    assert "reliable (ρ" in shown


def test_what_carried_nothing_is_said_before_the_table(capsys: Capture):
    assert told(answers=("Hm.",), notes={}).influence("talk") == 0
    assert "Nothing here carried the answer" in capsys.readouterr().out


@pytest.mark.parametrize(("scores", "shown"), [(3, "Nothing measured so far carried the answer"), (1, "")])
def test_a_server_that_dies_halfway_is_a_failure_and_no_verdict(scores: int, shown: str, capsys: Capture):
    """What was not looked at may have carried it, and a pipeline is to know."""
    here = told(
        answers=("Hm.",), notes={f"{n}.md": f"Note {n}." for n in range(5)}, meter=FakeMeter(scores=scores)
    )
    assert here.influence("talk") == 1
    said = capsys.readouterr()
    assert "The server is gone." in said.err
    assert "Nothing here" not in said.out
    assert shown in said.out


def test_groups_say_what_the_finer_look_takes(capsys: Capture):
    assert told().influence("talk", "--pieces", "3") == 0
    assert "6 pieces in 3 groups; each alone takes 24 requests" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "code", "complaint"),
    [
        (("gone",), 1, "no chat"),
        (("talk", "--turn", "9"), 1, "no turn 9"),
        (("talk", "--masks", "-1"), 2, "--masks: expected 0 or more"),
        (("talk", "--pieces", "0"), 2, "--pieces: expected 1 or more"),
        (("talk", "--asking", "--cap-usd", "-1"), 2, "--cap-usd: expected dollars"),
    ],
)
def test_what_cannot_be_done_is_said(argv: tuple[str, ...], code: int, complaint: str, capsys: Capture):
    assert told().influence(*argv) == code
    assert complaint in capsys.readouterr().err


def test_a_price_is_said_first_and_nobody_is_asked_without_a_yes(capsys: Capture):
    stage, model = hosted(PerMillion(10.0, 30.0))
    access = MemoryAccess()
    asyncio.run(access.open(writable=True))
    stage.bench.world = replace(stage.bench.world, store=access.store)
    stage.bench = Bench(stage.bench.world)
    asyncio.run(stage.begin())
    here = Told(stage, access)
    assert here.influence("talk") == 1
    told = capsys.readouterr().err
    assert "Asking again: 7 requests" in told
    assert "use --cap-usd" in told
    assert len(model.requests) == 1
    assert here.influence("talk", "--cap-usd", "1", "--json") == 0
    found = document(capsys)
    assert (found["method"], found["segments"][0]["id"]) == ("asking", "pilot.md")
    assert found["cost_usd"] > 0
    assert here.influence("talk", "--cap-usd", "0") == 1
    assert "A cap of $0 allows no request" in capsys.readouterr().err


@dataclass
class Impatient(FakeMeter):
    """Somebody presses Ctrl-C while the fourth request is scored."""

    async def score(self, request: ModelRequest, answer: AnswerTokens) -> AnswerScore:
        if len(self.scored) == 3:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()
        return await super().score(request, answer)


def test_ctrl_c_ends_it_with_what_there_is(capsys: Capture):
    here = told(meter=Impatient())
    assert here.influence("talk", "--json") == 130
    found = document(capsys)
    assert (found["requests"], len(found["segments"])) == (3, 1)
    assert found["notes"] == ["Stopped. 3 of 24 requests were run; what they gave is kept."]
    kept = here.kept()
    assert kept is not None
    assert kept.requests == 3
