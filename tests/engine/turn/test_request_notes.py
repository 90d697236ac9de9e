"""What is noted with a turn about its request."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import Forever, words
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.turns import artifact, fake_builder, user
from workbench.domain.answer import Failure
from workbench.domain.parameters import ParameterRules, Parameters, Unsent
from workbench.engine.assembly.prepare import Ask, Prepared, prepare_turn
from workbench.engine.conversation import Conversation
from workbench.engine.events import TurnBegan
from workbench.engine.intents import SendMessage, StartChat
from workbench.engine.turn.outcome import request_note

ASK = SendMessage("talk", "Well?")


def prepared(talk: Conversation | None = None, **changes: object) -> Prepared:
    settings = replace(SETTINGS, **changes)  # type: ignore[arg-type]
    return prepare_turn(talk or Conversation("talk"), Ask(settings, user("q", "Why?")), fake_builder())


def test_a_note_has_what_a_list_shows():
    request = prepared(Conversation("talk", attached=(artifact("a.md", "Alpha."),)))
    note = request_note(request, {})
    envelope = request.built.envelope
    assert sum(note["layers"].values()) == note["total_tokens"] == envelope.total_tokens
    assert (note["model"], note["local"], note["change"], note["causes"]) == ("word-1", False, "first", [])
    assert "parameters" not in note


def test_a_note_says_where_the_segments_stood_and_why_a_log_was_begun_anew():
    note = request_note(prepared(layout="append_only"), {})
    assert (note["layout"], note["rebuilt"]) == ("append_only", "first")


def test_what_changed_is_noted_with_its_causes():
    before = prepared()
    talk = Conversation("talk", turn=1, previous=before.built)
    settings = replace(SETTINGS, system_prompt="Be brief.")
    after = prepare_turn(talk, Ask(settings, user("q2", "Why?")), fake_builder())
    assert request_note(after, {"top_p": 1}) | {"layers": {}} == {
        "model": "word-1", "local": False, "total_tokens": after.built.envelope.total_tokens, "layers": {},
        "layout": "layered", "rebuilt": None, "change": "diverged",
        "causes": [["settings", "system"], ["history_edited", "q"]],
        "trimmed_up_to": 0, "threshold_tokens": 600, "parameters": {"top_p": 1},
    }  # fmt: skip


def test_a_model_on_this_computer_is_noted_as_such():
    builder = fake_builder(replace(WORD_MODEL, provider="builtin"))
    request = prepare_turn(Conversation("talk"), Ask(SETTINGS, user("q")), builder)
    assert request_note(request, {})["local"] is True


@in_calm_loop
async def test_a_turn_that_never_ended_has_its_note_already():
    """After a crash its row would say nothing."""
    bench = fake_bench([Forever()])
    await bench.workbench.dispatch(StartChat("talk", SETTINGS, parameters={"temperature": 0.1}))
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(TurnBegan)))
    (line,) = await bench.world.store.turn_lines("talk")
    assert line.state == "running"
    request = (line.usage or {})["request"]
    assert (request["model"], request["parameters"]) == ("word-1", {"temperature": 0.1})
    bench.workbench.stop("talk")
    await bench.workbench.until_ended("talk")


@in_calm_loop
async def test_a_turn_whose_model_did_not_start_keeps_the_note_without_digests():
    bench = fake_bench()
    bench.model.unready = Failure("unavailable", "not there")
    await bench.start()
    await bench.do(ASK)
    (line,) = await bench.world.store.turn_lines("talk")
    request = (line.usage or {})["request"]
    assert line.state == "failed"
    assert request["total_tokens"] > 0
    assert not {"shown_digest", "sent_digest"} & set(request)


@in_calm_loop
async def test_what_was_chosen_and_what_stayed_out_is_noted_and_sent_over_the_free_parameters():
    rules = ParameterRules((("seed", "it has none"),))
    bench = fake_bench(words("Yes."), builder=fake_builder(replace(WORD_MODEL, parameters=rules)))
    chosen = replace(SETTINGS, parameters=Parameters(temperature=0.0, seed=7))
    await bench.workbench.dispatch(StartChat("talk", chosen, parameters={"temperature": 0.1, "top_k": 3}))
    view = bench.workbench.state.open["talk"].view
    assert view is not None
    assert view.unsent == (Unsent("seed", "it has none"),)
    await bench.workbench.dispatch(ASK)
    await bench.workbench.until_ended("talk")
    (line,) = await bench.world.store.turn_lines("talk")
    request = (line.usage or {})["request"]
    assert request["parameters"] == {"temperature": 0.1, "top_k": 3}
    assert (request["chosen"], request["not_sent"]) == (
        {"temperature": 0.0}, [{"name": "seed", "reason": "it has none"}],
    )  # fmt: skip
    assert request["shown_digest"] == request["sent_digest"]
    (turn,) = await bench.world.store.turns("talk")
    assert turn.built.inputs.settings.parameters == chosen.parameters
