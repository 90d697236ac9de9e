"""Experiments on demand, as the window asks for them."""

from __future__ import annotations

from typing import Any

from tests.engine.experiment.test_trial import HOSTED, WITHOUT, asked_once, said
from tests.engine.influence.test_asking import PerMillion
from tests.fakes.chat_model import Forever
from tests.fakes.engine import Bench
from tests.fakes.loop import in_loop, until
from tests.fakes.turns import fake_builder
from workbench.domain.answer import TextGrew
from workbench.domain.experiment import Plan
from workbench.domain.record import TurnRecord
from workbench.domain.shown.comparison import ExperimentView
from workbench.domain.variant import parse_variant
from workbench.engine.experiment.running import ExperimentRuns
from workbench.engine.experiment.taking import last_experiment
from workbench.engine.intents import EditDraft, SendMessage
from workbench.engine.program_intents import AskVariants, StopAsking


async def wanted(bench: Bench, turn: TurnRecord, plan: Plan, **how: Any) -> ExperimentView:
    before = len(shown(bench))
    await bench.workbench.dispatch(AskVariants("talk", turn.question or "", turn.reply, plan, **how))
    await until(lambda: len(shown(bench)) > before and shown(bench)[-1].stage != "working")
    return shown(bench)[-1]


def shown(bench: Bench) -> list[ExperimentView]:
    return bench.shows("experiment")


def cells(bench: Bench) -> list[tuple[str, str]]:
    """What the grid shows now."""
    found = shown(bench)[-1].found
    return [] if found is None else [(cell.state, cell.answer) for cell in found.cells]


@in_loop
async def test_the_grid_fills_answer_by_answer_and_is_kept():
    bench, turn = await asked_once(said("Alpha."))
    view = await wanted(bench, turn, Plan((WITHOUT,), repeats=2))
    assert (view.stage, view.requests, view.done, view.problem) == ("done", 4, 4, "")
    grids = [one.found.asked for one in shown(bench) if one.found is not None]
    assert grids[0] == 0
    assert sorted(set(grids)) == [0, 1, 2, 3, 4]
    asking = [
        sum(cell.state == "asking" for cell in one.found.cells)
        for one in shown(bench)
        if one.found is not None
    ]
    assert (max(asking), asking[-1]) == (1, 0)
    assert await last_experiment(turn, bench.world.store) == view.found
    again = await wanted(bench, turn, Plan(), kept=True)
    assert again.found == view.found
    assert isinstance(bench.workbench._program.experiments, ExperimentRuns)


@in_loop
async def test_answers_of_earlier_runs_stay_in_the_grid_and_are_found_again():
    bench, turn = await asked_once(said("Alpha."), said("Beta."), said("Gamma."), said("Delta."))
    await wanted(bench, turn, Plan((WITHOUT,)))
    await wanted(bench, turn, Plan())
    await until(lambda: [one.stage for one in shown(bench)].count("done") == 2)
    view = shown(bench)[-1]
    assert view.found is not None
    assert [cell.variant for cell in view.found.cells] == ["As sent", "Without"]
    await wanted(bench, turn, Plan(), kept=True)
    await until(lambda: [one.stage for one in shown(bench)].count("done") == 3)
    assert shown(bench)[-1].found == view.found


@in_loop
async def test_the_price_is_said_before_and_nothing_is_asked_for_it():
    bench, turn = await asked_once(prices=PerMillion(10.0, 30.0), builder=fake_builder(HOSTED))
    view = await wanted(bench, turn, Plan(repeats=3), offer=True)
    assert (view.stage, view.requests, view.found) == ("offered", 3, None)
    assert view.most_usd is not None
    assert view.expected_usd is not None
    assert 0 < view.expected_usd <= view.most_usd
    assert len(bench.model.requests) == 1


@in_loop
async def test_an_answer_is_shown_as_it_grows_and_a_stop_keeps_those_that_are_there():
    bench, turn = await asked_once(said("Yes."), [TextGrew("Half"), Forever()])
    plan = Plan(repeats=3)
    await bench.workbench.dispatch(AskVariants("talk", turn.question or "", turn.reply, plan))
    await until(lambda: len(bench.model.requests) == 3)
    await until(lambda: ("asking", "Half") in cells(bench))
    await bench.workbench.dispatch(StopAsking())
    await until(lambda: shown(bench)[-1].stage == "done")
    found = shown(bench)[-1].found
    assert found is not None
    assert [one.state for one in found.cells] == ["complete", "waiting", "waiting"]
    assert found.reply == turn.reply
    assert await last_experiment(turn, bench.world.store) == found


@in_loop
async def test_the_next_request_is_asked_as_it_will_be_sent_and_the_chat_stays_as_it_is():
    bench, _ = await asked_once(said("Before."))
    await bench.workbench.dispatch(AskVariants("talk", ""))
    await until(lambda: bool(shown(bench)) and "no question yet" in shown(bench)[-1].problem)
    await bench.workbench.dispatch(EditDraft("talk", "And then?"))
    await until(lambda: drafted(bench) == "And then?")
    await bench.workbench.dispatch(AskVariants("talk", "", plan=Plan((WITHOUT,))))
    await until(lambda: shown(bench)[-1].stage == "done")
    view = shown(bench)[-1]
    assert view.found is not None
    assert [one.variant for one in view.found.cells] == ["Next request", "Without"]
    assert (view.words, view.found.turn, view.found.reply) == ("And then?", 2, "")
    assert len(await bench.world.store.turns("talk")) == 1
    await bench.do(SendMessage("talk", "And then?"))
    sent = [[one.text for one in request.messages] for request in bench.model.requests]
    assert sent[-1] in sent[1:-1]


def drafted(bench: Bench) -> str:
    """The question of the next request."""
    prepared = bench.workbench.state.open["talk"].prepared
    question = None if prepared is None else prepared.built.inputs.question
    return "" if question is None else question.text


@in_loop
async def test_what_cannot_be_asked_is_said():
    bench, turn = await asked_once()
    assert (await wanted(bench, turn, Plan(repeats=500))).problem.startswith("500 requests; at most 200")
    offered = await wanted(bench, turn, Plan((parse_variant("Gone=attach.b.md=out"),)), offer=True)
    assert (offered.stage, offered.requests) == ("offered", 1)
    assert "Gone with word-1 is not asked: b.md: not attached" in offered.problem
    await bench.workbench.dispatch(AskVariants("talk", "gone"))
    await until(lambda: "has no message" in shown(bench)[-1].problem)


@in_loop
async def test_looking_at_another_one_or_at_a_price_does_not_end_the_one_that_is_asked():
    """Whoever opened another turn's page ended what was being paid for."""
    bench, turn = await asked_once(said("Yes."), [TextGrew("Half"), Forever()])
    await bench.workbench.dispatch(AskVariants("talk", turn.question or "", turn.reply, Plan(repeats=3)))
    await until(lambda: len(bench.model.requests) == 3)
    await wanted(bench, turn, Plan(), kept=True)
    await wanted(bench, turn, Plan(), offer=True)
    assert bench.world.tasks.is_at("ask a cell")
    await bench.workbench.dispatch(StopAsking())
    await until(lambda: shown(bench)[-1].stage == "done")
    assert shown(bench)[-1].done == 1
