from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, calls, words
from tests.fakes.influence_stage import InfluenceStage
from tests.fakes.loop import in_loop
from workbench.domain.answer import Failure, Finished, TextGrew
from workbench.domain.influence import Influence
from workbench.engine.influence.target import (
    NothingToMeasure,
    find_target,
    is_stale,
    keep,
    kept_influence,
    request_digest,
)


def answering(stage: InfluenceStage, *answers: list) -> None:  # type: ignore[type-arg]
    models = stage.bench.world.models
    assert isinstance(models, FakeModels)
    models.model = FakeModel(answers, counts=stage.meter)


@in_loop
async def test_a_result_is_kept_with_the_answer_and_read_again():
    stage = InfluenceStage()
    await stage.begin()
    target, found = await stage.target(), await stage.measure()
    await stage.bench.world.store.annotate("talk", target.record.id, lambda noted: {**noted, "mine": 1})
    await keep(found, target, stage.bench.world)
    record = (await stage.bench.world.store.path("talk"))[-1]
    assert record.metadata["mine"] == 1
    assert kept_influence(record) == found
    assert not is_stale(found, target.turn.built)


@in_loop
async def test_what_was_stopped_does_not_take_the_place_of_a_whole_result():
    stage = InfluenceStage()
    await stage.begin()
    target, world = await stage.target(), stage.bench.world

    async def kept() -> Influence | None:
        return kept_influence((await world.store.path("talk"))[-1])

    nothing, some, whole = [await stage.measure(stop_after=after) for after in (0, 3, None)]
    await keep(nothing, target, world)
    assert await kept() is None
    await keep(some, target, world)
    assert await kept() == some
    assert await keep(whole, target, world) == whole
    assert await keep(some, target, world) == whole  # what was shown before is shown again
    assert await kept() == whole
    assert (await stage.measure(stop_after=3)).notes[-1].endswith("the whole measurement from before stays.")


@in_loop
async def test_a_result_about_another_request_is_stale():
    stage = InfluenceStage(answers=("One.", "Two."))
    await stage.begin()
    found = await stage.measure()
    await stage.ask("And now?")
    newer = (await stage.target()).turn.built
    assert is_stale(found, newer)
    assert request_digest(newer) != found.digest


@in_loop
@pytest.mark.parametrize("noted", ["text", {"model": 1}, [], {"type": "Influence"}, None])
async def test_what_is_no_result_is_none(noted: object):
    stage = InfluenceStage()
    await stage.begin()
    record = replace((await stage.target()).record, metadata={"influence": noted})
    assert kept_influence(record) is None


@in_loop
async def test_an_answer_that_was_cut_is_scored_and_says_so():
    stage = InfluenceStage()
    answering(stage, [TextGrew("A compass ne"), Finished("length")])
    await stage.begin()
    target = await stage.target()
    assert target.answer == "A compass ne"
    assert target.notes == ("The answer was cut off; what there is of it was scored.",)


@in_loop
async def test_an_answer_without_words_cannot_be_scored():
    stage = InfluenceStage()
    answering(stage, [TextGrew("  \n"), Finished("stop")])
    await stage.begin()
    with pytest.raises(NothingToMeasure, match="no words"):
        await stage.target()


@in_loop
async def test_a_turn_without_an_answer_cannot_be_scored():
    stage = InfluenceStage()
    answering(stage, [Failure("auth", "No key.")])
    await stage.begin()
    store = stage.bench.world.store
    turn = await store.last_turn("talk")
    assert turn is not None
    with pytest.raises(NothingToMeasure, match="has no answer"):
        await find_target(turn, store)
    with pytest.raises(NothingToMeasure, match="is being answered"):
        await find_target(replace(turn, state="running"), store)


@in_loop
async def test_an_answer_made_with_tools_is_scored_from_its_last_request():
    stage = InfluenceStage()
    answering(stage, calls(("read", "{}")), words("A compass near Tromsø."))
    await stage.begin()
    target = await stage.target()
    assert target.answer == "A compass near Tromsø."
    found = await stage.measure()
    assert found.pieces[0].id == "pilot.md"
    assert any("made with tools" in note for note in found.notes)
