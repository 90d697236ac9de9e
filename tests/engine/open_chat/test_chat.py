"""The next request is shown on every change, byte for byte as it would be sent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, Forever, calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.meter import SERVED_MODEL, FakeMeter
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact, fake_builder, user
from tests.fakes.views import check_sums
from workbench.domain.answer import Failure, TextGrew
from workbench.domain.errors import WorkbenchError
from workbench.domain.record import Chat
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.envelope_view import NO_REASON, EnvelopeView, Reason
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Ask, Prepared, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.events import AnswerGrew, ChatLoaded, ChatShown, EnvelopeBuilt, NoticeGiven
from workbench.engine.intents import (
    AttachArtifact,
    ChangeSettings,
    CloseChat,
    EditDraft,
    OpenChat,
    SendMessage,
    TrySettings,
)
from workbench.engine.state import ChatState

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
    assert len(bench.shows("view")) < 10
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
async def test_settings_are_the_same_object_until_something_changes():
    """Whoever builds at every keystroke knows them again at a glance."""
    bench = fake_bench()
    await bench.start()
    asking = bench.workbench._open.at("talk").asking
    first = asking.ask(state(bench), state(bench).chat.settings).settings
    await bench.workbench.dispatch(EditDraft("talk", "typed"))
    assert asking.ask(state(bench), state(bench).chat.settings).settings is first


@in_calm_loop
async def test_a_chat_out_of_view_is_not_built():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(CloseChat("talk"))
    before = len(bench.shows("view"))
    await bench.workbench.dispatch(EditDraft("talk", "typed"))
    assert len(bench.shows("view")) == before
    await bench.workbench.close()
    assert await bench.world.store.draft("talk") == "typed"


def state(bench: Bench) -> ChatState:
    return bench.workbench.state.open["talk"]


def view(bench: Bench) -> EnvelopeView:
    shown = state(bench).view
    assert shown is not None
    return shown


@in_calm_loop
async def test_every_request_is_drawn_together_with_being_built_or_right_after_it_is_sent():
    bench = fake_bench(words("One."))
    await bench.start()
    await bench.do(SendMessage("talk", "First?"))
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Alpha.")))
    await bench.workbench.dispatch(EditDraft("talk", "Second?"))
    built = [number for number, event in enumerate(bench.events) if isinstance(event, EnvelopeBuilt)]
    assert len(built) == 1
    after = bench.events[built[0] + 1]
    assert isinstance(after, ChatShown)
    assert "in_flight" in after.fields
    assert len(bench.shows("view")) == len(bench.shows("prepared"))
    check_sums(view(bench))
    assert view(bench).total_tokens == shown(bench).built.envelope.total_tokens
    assert [row.key for row in state(bench).attachments] == ["a.md"]
    assert [row.key.id for row in view(bench).layers[4].rows] == ["draft"]


@in_calm_loop
async def test_an_artifact_is_promoted_from_the_turn_it_was_attached_in():
    bench = fake_bench(words("One."), words("Two."))
    await bench.start()
    await bench.do(SendMessage("talk", "First?"))
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Alpha.")))
    await bench.do(SendMessage("talk", "Second?"))
    (row,) = view(bench).layers[1].rows
    assert row.reason == Reason("promoted", "a.md", 2)


@in_calm_loop
async def test_what_became_of_a_file_is_drawn_when_it_is_refreshed():
    bench = fake_bench()
    await bench.start()
    states, preview = bench.workbench._states, bench.workbench._open
    artifacts = (artifact("a.md", "Alpha."),)
    conversation = Conversation("talk", attached=artifacts)
    states.emit(ChatLoaded(Chat("talk", "", settings=SETTINGS), conversation, (), ""))
    preview.refresh("talk")
    before = states.state.open["talk"]
    states.emit(ChatShown("talk", {"disk": {"a.md": ("changed", "2026-01-01T14:02:00Z")}}))
    preview.refresh("talk")
    after = states.state.open["talk"]
    assert after.prepared is before.prepared
    assert [(row.disk, row.state) for row in after.attachments] == [("changed", "stale")]
    assert after.view is not None
    assert before.view is not None
    assert after.view.layers[0] is before.view.layers[0]


@in_calm_loop
async def test_a_request_that_goes_out_is_drawn_until_its_turn_has_ended():
    bench = fake_bench([TextGrew("So "), Forever()])
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "Well?"))
    await until(lambda: AnswerGrew("talk", "So ") in bench.events)
    flying = state(bench).in_flight
    assert flying is not None
    assert (flying.standing, flying.turn, bool(flying.sent_utc)) == ("in_flight", 1, True)
    sent = next(event.prepared for event in bench.told(EnvelopeBuilt))
    assert flying.total_tokens == sent.built.envelope.total_tokens
    assert [row.reason for row in flying.layers[4].rows] == [NO_REASON]
    await bench.workbench.dispatch(EditDraft("talk", "Next?"))
    assert state(bench).in_flight is flying
    assert view(bench).standing == "next"
    bench.workbench.stop("talk")
    await bench.workbench.until_ended("talk")
    assert state(bench).in_flight is None


@in_calm_loop
async def test_of_several_requests_of_a_turn_the_latest_is_in_flight():
    box = FakeToolbox()
    bench = fake_bench(calls(("look", "{}")), words("Done."), toolbox=box)
    await bench.start(settings=replace(SETTINGS, tools=(box.tools[0].definition,)))
    await bench.do(SendMessage("talk", "Look."))
    first, second = bench.shows("in_flight")
    assert second.total_tokens > first.total_tokens
    assert [row.reason.code for row in second.layers[3].rows] == ["tool_call", "tool_result"]


@in_calm_loop
async def test_a_request_that_does_not_fit_does_not_go_out():
    bench = fake_bench()
    await bench.start(settings=replace(SETTINGS, context_window=8, reserved_output_tokens=0))
    await bench.do(SendMessage("talk", "Too many words for this."))
    assert bench.shows("in_flight") == []


@in_calm_loop
async def test_a_turn_out_of_view_draws_nothing():
    bench = fake_bench([TextGrew("So "), 0.02, *words("it is.")])
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "Well?"))
    await bench.workbench.dispatch(CloseChat("talk"))
    await bench.workbench.until_ended("talk")
    assert bench.shows("in_flight") == []


BRIEF = replace(SETTINGS, system_prompt="Be brief and say nothing else.")


@in_calm_loop
async def test_trying_settings_out_shows_what_setting_them_gives():
    bench = fake_bench(words("One."))
    await bench.start()
    await bench.do(SendMessage("talk", "First?"))
    await bench.workbench.dispatch(EditDraft("talk", "Second?"))
    before = view(bench)
    await bench.workbench.dispatch(TrySettings("talk", BRIEF))
    trial = state(bench).trial
    assert trial is not None
    assert (trial.settings, view(bench)) == (BRIEF, before)
    await bench.workbench.dispatch(ChangeSettings("talk", BRIEF))
    assert (view(bench), view(bench).digest) == (trial.view, trial.view.digest)


@in_calm_loop
async def test_a_trial_goes_on_with_what_is_typed_and_ends_when_it_is_over():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(EditDraft("talk", "one"))
    await bench.workbench.dispatch(TrySettings("talk", BRIEF))
    first = state(bench).trial
    await bench.workbench.dispatch(EditDraft("talk", "three more words"))
    second = state(bench).trial
    assert first is not None
    assert second is not None
    assert second.view.total_tokens > first.view.total_tokens
    assert second.view.layers[0] is first.view.layers[0]
    await bench.workbench.dispatch(TrySettings("talk", None))
    assert state(bench).trial is None
    await bench.workbench.dispatch(EditDraft("talk", "and more"))
    assert state(bench).trial is None


@in_calm_loop
async def test_what_a_trial_would_drop_is_named():
    bench = fake_bench(words("One."), words("Two."))
    await bench.start()
    for question in ("First?", "Second?"):
        await bench.do(SendMessage("talk", question))
    last = replace(SETTINGS, history=replace(SETTINGS.history, last_n_messages=2))
    await bench.workbench.dispatch(TrySettings("talk", last))
    trial = state(bench).trial
    assert trial is not None
    assert [(key.layer, view(bench).row(key)) for key in trial.falls] == [
        ("L4_STRIP", view(bench).layers[2].rows[0])
    ]


@in_calm_loop
async def test_a_chat_out_of_view_is_not_tried():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(CloseChat("talk"))
    await bench.workbench.dispatch(TrySettings("talk", BRIEF))
    assert bench.shows("trial") == []


LONG = "ten words are in this line, and no more of\n" * 2_000
WIDE = replace(SETTINGS, context_window=10**6)


@in_calm_loop
async def test_much_that_is_attached_is_counted_beside_the_loop_and_the_old_request_stays():
    bench = fake_bench()
    await bench.start(settings=WIDE)
    old = view(bench)
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", LONG)))
    assert view(bench) is old
    await until(lambda: view(bench) is not old)
    whole = prepare_turn(state(bench).conversation, Ask(WIDE), fake_builder())
    assert replace(shown(bench), build_ms={}).report == replace(whole, build_ms={}).report
    before = len(bench.shows("view"))
    await bench.workbench.dispatch(EditDraft("talk", "Well"))
    await until(lambda: len(bench.shows("view")) > before)
    await bench.workbench.dispatch(EditDraft("talk", "Well?"))
    assert view(bench).total_tokens == shown(bench).built.envelope.total_tokens
    assert shown(bench).built.inputs.question == user("draft", "Well?")


class Counted(WordTokenizer):
    """Notes how much long text it was asked to count."""

    long_chars = 0

    def count(self, text: str) -> int:
        self.long_chars += len(text) if len(text) > 10_000 else 0
        return super().count(text)


@in_calm_loop
async def test_what_is_typed_while_much_is_counted_is_shown_when_it_is_done():
    """And it is counted once, however often somebody types meanwhile."""
    tokenizer = Counted()
    bench = fake_bench(builder=replace(fake_builder(), counters=Counters(lambda name: tokenizer)))
    await bench.start(settings=WIDE)
    await bench.workbench.dispatch(EditDraft("talk", "W"))
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", LONG)))
    for text in ("We", "Wel", "Well"):
        await bench.workbench.dispatch(EditDraft("talk", text))
    await until(lambda: shown(bench).built.inputs.question == user("draft", "Well"))
    assert [one.key for one in shown(bench).built.inputs.attached] == ["a.md"]
    assert tokenizer.long_chars < 1.1 * len(LONG)
    check_sums(view(bench))


@in_calm_loop
async def test_a_trial_of_much_is_shown_when_it_is_counted():
    bench = fake_bench()
    await bench.start(settings=WIDE)
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", LONG)))
    await until(lambda: bool(state(bench).attachments))
    tried = replace(WIDE, counter="chars4")
    before = len(bench.shows("view"))
    await bench.workbench.dispatch(TrySettings("talk", tried))
    assert state(bench).trial is None
    await until(lambda: state(bench).trial is not None)
    assert len(bench.shows("view")) == before
    await bench.workbench.dispatch(ChangeSettings("talk", tried))
    trial = state(bench).trial
    assert trial is not None
    await until(lambda: view(bench) == trial.view)


@in_calm_loop
async def test_a_turn_with_much_attached_is_built_beside_the_loop_too():
    bench = fake_bench()
    await bench.start(settings=WIDE)
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", LONG)))
    end = await bench.do(SendMessage("talk", "Well?"))
    assert end.outcome.state == "complete"
    sent = next(event.prepared for event in bench.told(EnvelopeBuilt))
    assert [(m.role, m.text) for m in bench.model.requests[-1].messages] == [
        (m["role"], m["content"]) for m in sent.report["messages"]
    ]
    await bench.workbench.close()


@in_calm_loop
async def test_what_cannot_be_counted_beside_the_loop_is_said():
    class Broken(WordTokenizer):
        def count(self, text: str) -> int:
            if len(text) > 10_000:
                raise WorkbenchError("The token ranks are damaged.")
            return super().count(text)

    builder = replace(fake_builder(), counters=Counters(lambda name: Broken()))
    bench = fake_bench(builder=builder)
    await bench.start(settings=WIDE)
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", LONG)))
    await until(lambda: bool(bench.told(NoticeGiven)))
    assert bench.told(NoticeGiven)[-1] == NoticeGiven("talk", "The token ranks are damaged.")


@in_calm_loop
async def test_another_model_chosen_while_the_first_is_counted_is_counted_too():
    """Or its request would stay an estimate until the next keystroke."""
    slow = FakeModel([words("x")], card_s=0.02)
    served_2 = replace(SERVED_MODEL, name="served-2", tokenizer="server:served-2")
    other = FakeModel([words("x")], counts=FakeMeter())
    models = FakeModels(slow, {"served-2": other})
    bench = fake_bench(models=models, builder=fake_builder(SERVED_MODEL, served_2))
    await bench.start(settings=SERVED)
    await bench.workbench.dispatch(ChangeSettings("talk", replace(SERVED, model="served-2")))
    assert not shown(bench).built.envelope.exact
    await until(lambda: shown(bench).built.envelope.exact)
