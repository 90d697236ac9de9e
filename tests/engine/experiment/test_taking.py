"""An answer of an experiment becomes a branch of its chat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.experiment.test_running import drafted
from tests.engine.experiment.test_trial import WITHOUT, asked_once, ran, said
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop, in_loop, until
from workbench.domain.answer import Finished, TextGrew
from workbench.domain.errors import NotKept
from workbench.domain.experiment import Cell, Plan
from workbench.domain.shown.comparison import ExperimentView
from workbench.domain.variant import Variant
from workbench.engine.experiment.taking import last_experiment, take_answer
from workbench.engine.intents import EditDraft, OpenTurn, SendMessage, StartChat
from workbench.engine.program_intents import AskVariants
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
async def test_the_turn_that_is_looked_at_is_that_of_the_branch_in_view():
    """Its figures stayed those of the answer before, beside columns of the new one."""
    bench, turn = await asked_once(said("Alpha."))
    await bench.workbench.dispatch(OpenTurn("talk", 1))
    opened = bench.workbench.state.open["talk"].opened
    assert opened is not None
    (_, cell) = (await ran(bench, turn, Plan((WITHOUT,)))).cells
    await bench.workbench.dispatch(TakeAnswer("talk", turn.question or "", turn.reply, WITHOUT, cell))
    now = bench.workbench.state.open["talk"].opened
    assert now is not None
    assert now.total_tokens < opened.total_tokens


@in_calm_loop
async def test_what_has_no_answer_cannot_be_taken():
    bench, turn = await asked_once()
    with pytest.raises(NotKept, match="no answer yet"):
        await take_answer(turn, NARROW, Cell("Narrow", "m", 1), bench.world)
    gone = TakeAnswer("talk", "gone", None, NARROW, Cell("Narrow", "m", 1, "complete", "A"))
    with pytest.raises(NotKept):
        await bench.workbench.dispatch(gone)


@in_calm_loop
async def test_an_answer_that_was_cut_off_stays_so():
    """It counted as whole then, also for its influence."""
    bench, turn = await asked_once([TextGrew("Half"), Finished("length")])
    (cell,) = (await ran(bench, turn, Plan())).cells
    reply = await take_answer(turn, Variant("As sent"), cell, bench.world)
    kept = await bench.world.store.turn("talk", turn.question or "", reply)
    assert kept is not None
    assert (kept.usage or {})["finish_reason"] == "length"


@in_calm_loop
async def test_another_model_is_taken_along():
    bench, turn = await asked_once(said("Alpha."))
    found = await ran(bench, turn, Plan((), ("other",)))
    await take_answer(turn, Variant("As sent"), replace(found.cells[0]), bench.world)
    assert (await bench.world.store.chat("talk")).settings.model == "other"


async def asked_before_sending(bench: Bench, words: str, plan: Plan) -> ExperimentView:
    """The answers to words that are written and not sent."""
    await bench.workbench.dispatch(EditDraft("talk", words))
    await until(lambda: drafted(bench) == words)
    await bench.workbench.dispatch(AskVariants("talk", "", plan=plan))
    await until(lambda: bool(bench.shows("experiment")) and bench.shows("experiment")[-1].stage == "done")
    view: ExperimentView = bench.shows("experiment")[-1]
    return view


@in_loop
async def test_a_question_that_was_only_tried_is_sent_with_the_answer_that_is_taken():
    bench, _ = await asked_once(said("Beta."))
    view = await asked_before_sending(bench, "And then?", Plan((NARROW,)))
    assert view.found is not None
    cell = next(one for one in view.found.cells if one.variant == "Narrow")
    asked = bench.model.requests[-1]
    await bench.workbench.dispatch(TakeAnswer("talk", "", None, NARROW, cell, view))
    store = bench.world.store
    path = await store.path("talk")
    assert [one.entry.text for one in path[-2:]] == ["And then?", cell.answer]  # type: ignore[union-attr]
    kept = await store.turn("talk", path[-2].id, path[-1].id)
    assert kept is not None
    assert (kept.number, kept.state, kept.parent) == (2, "complete", path[-3].id)
    told = [one.content for one in kept.built.envelope.messages if one.role != "system"]
    assert told == [one.text for one in asked.messages if one.role != "system"]
    assert (await store.chat("talk")).settings.history.threshold == 0.5
    assert await last_experiment(kept, store) == view.found
    shown = bench.workbench.state.open["talk"]
    assert (shown.draft, [row.number for row in shown.turns]) == ("", [1, 2])
    assert shown.turns[-1].model == shown.turns[0].model != ""
    await bench.do(SendMessage("talk", "And now?"))
    assert [one.text for one in bench.model.requests[-1].messages][-2] == cell.answer


@in_loop
async def test_where_the_request_itself_is_taken_its_answers_stand_under_what_was_sent():
    """They were kept under “Next request”, which no sent turn has a column of."""
    bench, _ = await asked_once(said("Beta."))
    view = await asked_before_sending(bench, "And then?", Plan((NARROW,)))
    assert view.found is not None
    cell = next(one for one in view.found.cells if one.variant == "Next request")
    await bench.workbench.dispatch(TakeAnswer("talk", "", None, Variant("Next request"), cell, view))
    path = await bench.world.store.path("talk")
    kept = await bench.world.store.turn("talk", path[-2].id, path[-1].id)
    assert kept is not None
    found = await last_experiment(kept, bench.world.store)
    assert found is not None
    assert ([one.variant for one in found.cells], found.reply) == (["As sent", "Narrow"], kept.reply)


@in_loop
async def test_an_answer_does_not_fit_where_the_chat_went_on_and_what_was_written_since_stays():
    bench, _ = await asked_once(said("Beta."))
    view = await asked_before_sending(bench, "And then?", Plan((NARROW,)))
    assert view.found is not None
    taken = TakeAnswer("talk", "", None, NARROW, view.found.cells[0], view)
    await bench.workbench.dispatch(EditDraft("talk", "Something else"))
    await bench.workbench.dispatch(taken)
    assert bench.workbench.state.open["talk"].draft == "Something else"
    with pytest.raises(NotKept, match="went on since"):
        await bench.workbench.dispatch(taken)
    assert len(await bench.world.store.path("talk")) == 4


@in_loop
async def test_the_first_question_of_a_new_chat_can_be_tried_and_names_it():
    bench = fake_bench()
    await bench.workbench.begin()
    await bench.workbench.dispatch(StartChat("talk", SETTINGS, unwritten=True))
    view = await asked_before_sending(bench, "Who keeps the lighthouse?", Plan((NARROW,)))
    assert view.found is not None
    await bench.workbench.dispatch(TakeAnswer("talk", "", None, NARROW, view.found.cells[1], view))
    assert [one.title for one in bench.workbench.state.chats] == ["Who keeps the lighthouse?"]
    assert [row.number for row in bench.workbench.state.open["talk"].turns] == [1]
