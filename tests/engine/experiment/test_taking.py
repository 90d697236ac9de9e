"""An answer of an experiment becomes a branch of its chat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.experiment.test_trial import WITHOUT, asked_once, ran, said
from tests.fakes.loop import in_calm_loop
from workbench.domain.errors import NotKept
from workbench.domain.experiment import Cell, Plan
from workbench.domain.variant import Variant
from workbench.engine.experiment.taking import take_answer
from workbench.engine.intents import SendMessage
from workbench.engine.tuning_intents import TakeAnswer

NARROW = Variant("Narrow", {"history.threshold": 0.5})


@in_calm_loop
async def test_it_stands_beside_the_other_answers_with_its_request_and_its_settings():
    bench, turn = await asked_once(said("Alpha.", 90, 3))
    found = await ran(bench, turn, Plan((WITHOUT, NARROW)))
    cell = next(one for one in found.cells if one.variant == "Narrow")
    taken = TakeAnswer("talk", turn.question or "", turn.reply, NARROW, cell)
    await bench.workbench.dispatch(taken)
    store = bench.world.store
    path = await store.path("talk")
    assert [one.entry.text for one in path] == ["Which one?", "Alpha."]  # type: ignore[union-attr]
    assert len(await store.siblings("talk", path[-1].id)) == 2
    assert (await store.chat("talk")).settings.history.threshold == 0.5
    kept = await store.turn("talk", turn.question or "", path[-1].id)
    assert kept is not None
    assert (kept.state, kept.usage["prompt_tokens"]) == ("complete", 90)  # type: ignore[index]
    assert kept.built.inputs.settings.history.threshold == 0.5
    shown = bench.workbench.state.open["talk"]
    assert [record.id for record in shown.records] == [one.id for one in path]
    await bench.do(SendMessage("talk", "And now?"))
    sent = bench.model.requests[-1].messages
    assert [one.text for one in sent if one.role == "assistant"] == ["Alpha."]


@in_calm_loop
async def test_what_has_no_answer_cannot_be_taken():
    bench, turn = await asked_once()
    with pytest.raises(NotKept, match="no answer yet"):
        await take_answer(turn, NARROW, Cell("Narrow", "m", 1), bench.world)
    gone = TakeAnswer("talk", "gone", None, NARROW, Cell("Narrow", "m", 1, "complete", "A"))
    with pytest.raises(NotKept):
        await bench.workbench.dispatch(gone)


@in_calm_loop
async def test_another_model_is_taken_along():
    bench, turn = await asked_once(said("Alpha."))
    found = await ran(bench, turn, Plan((), ("other",)))
    await take_answer(turn, Variant("As sent"), replace(found.cells[0]), bench.world)
    assert (await bench.world.store.chat("talk")).settings.model == "other"
