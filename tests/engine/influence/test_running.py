from __future__ import annotations

from typing import Any

import pytest

from tests.engine.influence.test_asking import PerMillion, hosted
from tests.fakes.engine import Bench
from tests.fakes.influence_stage import InfluenceStage
from tests.fakes.loop import in_loop, until
from tests.fakes.meter import FakeMeter
from workbench.domain.answer import Failure
from workbench.domain.errors import WorkbenchError
from workbench.domain.influence import InfluenceWish
from workbench.domain.shown.influence_view import InfluenceView
from workbench.engine.influence.asking import InfluenceByAsking
from workbench.engine.influence.measuring import Measuring
from workbench.engine.influence.running import measuring_for
from workbench.engine.influence.target import kept_influence
from workbench.engine.program_intents import MeasureInfluence, StopInfluence


async def wanted(stage: InfluenceStage, **how: Any) -> InfluenceView:
    """Ask the workbench for it and wait for its end."""
    turn = (await stage.target()).turn
    bench = stage.bench
    await bench.workbench.dispatch(MeasureInfluence("talk", turn.question or "", turn.reply, **how))
    await until(lambda: bool(shown(stage)) and shown(stage)[-1].stage != "working")
    return shown(stage)[-1]


def shown(stage: InfluenceStage) -> list[InfluenceView]:
    return stage.bench.shows("influence")


@in_loop
async def test_progress_is_shown_by_request_and_the_result_is_kept_with_the_answer():
    stage = InfluenceStage()
    await stage.begin()
    view = await wanted(stage)
    assert (view.stage, view.done, view.problem) == ("done", view.planned, "")
    assert view.result is not None
    assert view.result.pieces[0].id == "pilot.md"
    assert stage.bench.workbench.state.influence is view
    moved = [one.done for one in shown(stage)[1:-1]]
    assert moved == list(range(view.planned + 1))
    assert all(one.left_s is not None for one in shown(stage)[2:-1])
    record = (await stage.bench.world.store.path("talk"))[-1]
    assert kept_influence(record) == view.result


@in_loop
async def test_the_ranking_is_shown_before_it_is_known_how_far_to_trust_it():
    stage = InfluenceStage()
    await stage.begin()
    last = await wanted(stage)
    assert last.result is not None
    early = [one for one in shown(stage) if one.stage == "working" and one.result is not None]
    assert len(early) == last.planned - 1 - len(last.result.pieces) - 1
    assert all(one.result is not None and one.result.pieces == last.result.pieces for one in early)
    assert {one.result.reliability.held_out for one in early if one.result is not None} == {0}
    assert last.result.reliability.held_out == 16


def stop_at_the_third(bench: Bench) -> None:
    """Whoever watches presses Stop when three requests are answered."""
    bench.workbench.subscribe(
        lambda event, state: (
            bench.workbench._program.influence.do(StopInfluence())
            if state.influence is not None and state.influence.done == 3
            else None
        )
    )


@in_loop
async def test_a_stop_keeps_what_there_is():
    stage = InfluenceStage()
    await stage.begin()
    turn = (await stage.target()).turn
    bench = stage.bench
    stop_at_the_third(bench)
    await bench.workbench.dispatch(MeasureInfluence("talk", turn.question or "", turn.reply))
    await until(lambda: bool(shown(stage)) and shown(stage)[-1].stage != "working")
    view = shown(stage)[-1]
    assert (view.stage, view.done) == ("done", 3)
    assert view.result is not None
    assert not view.result.complete
    assert kept_influence((await bench.world.store.path("talk"))[-1]) == view.result
    await bench.workbench.dispatch(StopInfluence())  # nothing is left to stop


@in_loop
async def test_a_second_look_that_is_stopped_shows_the_whole_result_again():
    """The first pieces of it took the place of a whole result, which was kept all the same."""
    stage = InfluenceStage()
    await stage.begin()
    whole = (await wanted(stage)).result
    bench = stage.bench
    stop_at_the_third(bench)
    await wanted(stage)
    await until(lambda: [one.stage for one in shown(stage)].count("done") == 2)
    assert (shown(stage)[-1].done, shown(stage)[-1].result) == (3, whole)


@in_loop
async def test_the_price_is_said_before_and_nothing_is_asked_for_it():
    stage, model = hosted(PerMillion(10.0, 30.0))
    await stage.begin()
    view = await wanted(stage, offer=True)
    assert (view.stage, view.planned) == ("offered", 7)
    assert view.cost_usd is not None
    assert view.cost_usd > 0
    assert len(model.requests) == 1


@in_loop
async def test_scoring_costs_nothing_and_says_how_many_requests_it_takes():
    stage = InfluenceStage()
    await stage.begin()
    view = await wanted(stage, offer=True)
    assert (view.stage, view.planned, view.cost_usd) == ("offered", 1 + 6 + 16 + 1, 0.0)


@in_loop
async def test_why_it_cannot_be_measured_is_shown():
    stage = InfluenceStage(meter=FakeMeter(scores=0))
    await stage.begin()
    view = await wanted(stage)
    assert (view.stage, view.problem) == ("failed", "The server is gone.")


@in_loop
async def test_a_model_that_is_gone_is_said():
    stage = InfluenceStage()
    await stage.begin()
    stage.bench.model.unready = Failure("unavailable", "There is no file model.gguf.")
    with pytest.raises(WorkbenchError, match="There is no file"):
        await stage.measure()


@in_loop
async def test_a_server_that_scores_is_not_asked_unless_somebody_wants_that():
    stage = InfluenceStage()
    await stage.begin()
    target, world = await stage.target(), stage.bench.world
    assert isinstance(await measuring_for(target, InfluenceWish(), world), Measuring)
    assert isinstance(await measuring_for(target, InfluenceWish(asking=True), world), InfluenceByAsking)
