"""The next request is shown on every change, byte for byte as it would be sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.meter import SERVED_MODEL, FakeMeter
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact, fake_builder, user
from workbench.domain.answer import Failure
from workbench.domain.preferences import ContextSettings
from workbench.engine.events import EnvelopeBuilt
from workbench.engine.intents import (
    AttachArtifact,
    ChangeSettings,
    CloseChat,
    EditDraft,
    OpenChat,
    SendMessage,
)
from workbench.engine.prepare import Ask, Prepared, prepare_turn

SERVED = ContextSettings(model="served-1", system_prompt="Be kind.")


def shown(bench: Bench) -> Prepared:
    prepared = bench.workbench.state.open["talk"].prepared
    assert prepared is not None
    return prepared


async def served(meter: FakeMeter) -> Bench:
    model = FakeModel([words("Hi.")], counts=meter)
    bench = fake_bench(models=FakeModels(model), builder=fake_builder(SERVED_MODEL))
    await bench.start(settings=SERVED)
    return bench


@in_calm_loop
async def test_every_keystroke_shows_what_would_be_sent():
    bench = fake_bench(words("One."), words("Two."))
    await bench.start()
    await bench.do(SendMessage("talk", "First?"))
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Alpha.")))
    for draft in ("S", "Se", "Second?", "Second? " + "word " * 50):
        await bench.workbench.dispatch(EditDraft("talk", draft))
        state = bench.workbench.state.open["talk"]
        ask = Ask(SETTINGS, user("draft", draft))
        whole = prepare_turn(state.conversation, ask, fake_builder())
        expected = replace(whole, build_ms=shown(bench).build_ms).report
        assert shown(bench).report == expected
    await bench.workbench.dispatch(EditDraft("talk", "Second?"))
    seen = [(m["role"], m["content"]) for m in shown(bench).report["messages"]]
    await bench.do(SendMessage("talk", "Second?"))
    assert [(m.role, m.text) for m in bench.model.requests[-1].messages] == seen


@in_calm_loop
async def test_an_empty_draft_shows_the_request_around_a_question_to_come():
    bench = fake_bench()
    await bench.start()
    assert [m["content"] for m in shown(bench).report["messages"]] == ["Be kind."]


@in_calm_loop
async def test_a_change_of_settings_is_shown_at_once():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(ChangeSettings("talk", replace(SETTINGS, system_prompt="Be brief.")))
    assert [m["content"] for m in shown(bench).report["messages"]] == ["Be brief."]


@pytest.mark.parametrize("able", [True, False])
def test_tools_that_the_model_cannot_be_told_of_are_not_shown_either(able: bool):
    @in_calm_loop
    async def look() -> None:
        card = replace(SERVED_MODEL, tools=able)
        bench = fake_bench(builder=fake_builder(card), models=FakeModels(FakeModel([words("x")])))
        box = FakeToolbox()
        await bench.start(settings=replace(SERVED, tools=(box.tools[0].definition,)))
        assert len(shown(bench).built.inputs.settings.tools) == able

    look()


@in_calm_loop
async def test_what_was_estimated_is_counted_right_after():
    bench = await served(FakeMeter())
    assert not shown(bench).built.envelope.exact
    await until(lambda: shown(bench).built.envelope.exact)
    assert shown(bench).built.envelope.total_tokens == 4 + 1
    await bench.workbench.dispatch(EditDraft("talk", "three more words"))
    await until(lambda: shown(bench).built.envelope.exact)
    assert shown(bench).built.envelope.total_tokens == 4 + 5 + 1


@in_calm_loop
async def test_a_server_that_does_not_answer_is_asked_once_a_change_and_not_for_ever():
    meter = FakeMeter(fails=Failure("network", "Nobody answers."))
    bench = await served(meter)
    for draft in ("a", "ab"):
        await bench.workbench.dispatch(EditDraft("talk", draft))
    await bench.workbench.close()
    assert len(bench.told(EnvelopeBuilt)) < 10
    assert not shown(bench).built.envelope.exact


@in_calm_loop
async def test_a_name_that_names_no_model_is_estimated():
    bench = fake_bench(builder=fake_builder(replace(SERVED_MODEL, name="nonsense:")))
    await bench.start(settings=replace(SERVED, model="nonsense:"))
    await bench.workbench.close()
    assert not shown(bench).built.envelope.exact


@in_calm_loop
async def test_what_the_server_knows_of_its_model_changes_the_preview():
    known = FakeModel([words("x")], refine=lambda card: replace(card, context_window_tokens=77))
    bench = fake_bench(models=FakeModels(known), builder=fake_builder(SERVED_MODEL))
    await bench.start(settings=SERVED)
    await until(lambda: shown(bench).built.envelope.budget.context_window_tokens == 77)


@in_calm_loop
async def test_counts_are_known_again_when_a_chat_is_opened_later():
    meter = FakeMeter()
    bench = await served(meter)
    await until(lambda: shown(bench).built.envelope.exact)
    await bench.workbench.close()
    again = fake_bench(
        models=FakeModels(FakeModel([words("x")], counts=FakeMeter())),
        builder=fake_builder(SERVED_MODEL),
        store=bench.world.store,
    )
    await again.workbench.dispatch(OpenChat("talk"))
    await until(lambda: shown(again).built.envelope.exact)
    counts = again.world.models.model.counts.counted  # type: ignore[attr-defined]
    assert counts == []


@in_calm_loop
async def test_a_chat_out_of_view_is_not_built():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(CloseChat("talk"))
    before = len(bench.told(EnvelopeBuilt))
    await bench.workbench.dispatch(EditDraft("talk", "typed"))
    assert len(bench.told(EnvelopeBuilt)) == before
    await bench.workbench.close()
    assert await bench.world.store.draft("talk") == "typed"
