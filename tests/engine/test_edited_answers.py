"""An answer or a tool's result that a person edited: sent from then on, beside what was said, and taken back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, Step, calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.kept_turns import bytes_of
from tests.fakes.loop import in_calm_loop, in_loop
from tests.fakes.stores import WHEN, chat, open_store
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import assistant, fake_builder, result, user
from workbench.context.invariants import violations
from workbench.context.outgoing import model_request
from workbench.domain.answer import Finished, TextGrew, ThinkingGrew
from workbench.domain.errors import InvalidInput
from workbench.domain.message import Message, Thought
from workbench.domain.record import BEGUN_CHARS
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.turn import EditedText, Tuning
from workbench.engine.assembly.prepare import Ask, Prepared, ask_again, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.engine.exchange.json_format import export_json, import_json
from workbench.engine.exchange.markdown_format import export_markdown
from workbench.engine.intents import ContinueAnswer, PriceStep, RegenerateAnswer, SendMessage
from workbench.engine.program.forking import fork_chat
from workbench.engine.stored_conversation import keep_turn, load_conversation
from workbench.engine.tuning_intents import TuneMessages, edit_message, show_version
from workbench.providers.catalogue import load_catalogue
from workbench.providers.prices import load_prices
from workbench.sources.resources import resource_path

LayoutChoice = Literal["layered", "append_only"]
LAYOUTS: tuple[LayoutChoice, ...] = ("layered", "append_only")


def edited(text: str = "It is eight.", message: str = "a1") -> Tuning:
    return Tuning(edits=(EditedText(message, text, WHEN),))


def messages_of(prepared: Prepared) -> list[tuple[str, str]]:
    return [(one.role, one.content) for one in prepared.built.envelope.messages]


def said_in(layout: LayoutChoice, *rounds: tuple[Message, ...]) -> Conversation:
    """A conversation in which each of these was asked and answered."""
    talk = Conversation("c")
    for question, *reply in rounds:
        built = prepare_turn(talk, Ask(replace(SETTINGS, layout=layout), question), fake_builder()).built
        talk = after_turn(talk, built, reply, WHEN)
    return talk


TOOLS = (
    (
        user("u1", "How many?"), assistant("a0", "Let me look.", "c1"), result("t1", "c1", "seven"),
        assistant("a1", "It is seven."),
    ),
    (user("u2", "Sure?"), assistant("a2", "Yes.")),
)  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("which", ["a0", "t1", "a1", "a2"])
@pytest.mark.parametrize("text", ["Acht.", "x", "```\n日本 \x00 <a fence='1'>\n\n", "word " * 400])
def test_the_next_request_is_that_of_a_chat_where_it_was_said_so(layout: LayoutChoice, which: str, text: str):
    """Not a byte may tell that something was edited, and a call keeps its result."""
    talk = said_in(layout, *TOOLS)
    other = replace(talk, history=edited(text, which).edited(talk.history))
    ask = Ask(replace(SETTINGS, layout=layout), user("u3", "And now?"))
    then = prepare_turn(replace(talk, tuning=edited(text, which)), ask, fake_builder())
    assert messages_of(then) == messages_of(prepare_turn(other, ask, fake_builder()))
    assert violations(then.built) == ()
    if layout == "append_only":
        # The newest answer was in no request yet: then there is nothing that could not go on.
        assert then.built.envelope.rebuilt == (None if which == "a2" else "history_edited")
    sent = model_request(then.built)
    called = [call.id for one in sent.messages for call in one.tool_calls]
    assert called == [one.tool_call_id for one in sent.messages if one.role == "tool"] == ["c1"]


def test_what_the_model_thought_is_not_sent_with_other_words():
    said = replace(assistant("a1", "Seven."), thinking=(Thought("4 + 3", "signed"),))
    (told,) = edited().edited((said,))
    assert told == Message("a1", "assistant", ("It is eight.",))
    assert Tuning().edited((said,)) == (said,)


@in_loop
async def test_every_sent_request_is_found_again_as_it_was(tmp_path: Path):
    """One sent before the edit has the old words, one after it the new; in another session, too."""
    store = open_store(tmp_path / "history.db")
    await store.create_chat(chat())
    built, talk = [], Conversation("c")
    for number, tuning in enumerate((Tuning(), Tuning(), edited(), Tuning()), start=1):
        ask = Ask(replace(SETTINGS, layout="append_only"), user(f"u{number}", "Which?"))
        prepared = prepare_turn(replace(talk, tuning=tuning), ask, fake_builder())
        built.append(prepared.built)
        now = replace(talk, tuning=tuning)
        talk = await keep_turn(store, now, prepared.built, (assistant(f"a{number}", "It is seven."),), WHEN)
    await store.close()
    again = open_store(tmp_path / "history.db")
    kept = [turn.built for turn in await again.turns("c")]
    assert [bytes_of(one) for one in kept] == [bytes_of(one) for one in built]
    assert [[e.text for e in one.inputs.history if isinstance(e, Message) and e.id == "a1"] for one in kept[1:]] == [
        ["It is seven."], ["It is eight."], ["It is seven."],
    ]  # fmt: skip
    for one in kept:
        rebuilt = prepare_turn(*ask_again(one.inputs, Conversation("c")), fake_builder())
        assert rebuilt.built.inputs.history == one.inputs.history
    found = await load_conversation(again, "c")
    assert found.said is found.history, "the last step took it back"
    await again.close()


async def asked(*answers: Sequence[Step], **changes: object) -> Bench:
    bench = fake_bench(*answers, **changes)
    await bench.start()
    await bench.do(SendMessage("talk", "How many?"))
    return bench


async def edit(bench: Bench, text: str, place: int = -1) -> tuple[TuneMessages, TuneMessages]:
    entry = (await bench.world.store.path("talk"))[place].entry
    assert isinstance(entry, Message)
    tuning = await bench.world.store.tuning("talk")
    do, undo = edit_message("talk", tuning, entry, text, WHEN)
    await bench.workbench.dispatch(do)
    return do, undo


def sent(bench: Bench) -> list[str]:
    return [message.text for message in bench.model.requests[-1].messages][1:]


@in_calm_loop
async def test_an_edit_is_sent_from_then_on_and_taken_back_in_one_step():
    bench = await asked(words("Seven."), words("Yes."), words("Sure."), words("No."))
    _, undo = await edit(bench, "Eight.")
    await bench.do(SendMessage("talk", "Really?"))
    assert sent(bench) == ["How many?", "Eight.", "Really?"]
    assert [text for _, text, _ in await bench.texts()][1] == "Seven.", "what was said is kept"
    _, again = await edit(bench, "Nine.", 1)
    await bench.workbench.dispatch(again)
    assert [one.shown for one in (await bench.world.store.tuning("talk")).edits] == [True]
    await bench.workbench.dispatch(undo)
    assert await bench.world.store.tuning("talk") == Tuning()
    await bench.do(SendMessage("talk", "Once more?"))
    assert sent(bench)[1] == "Seven."


@in_calm_loop
async def test_what_it_costs_is_said_before_it_is_kept():
    bench = await asked(words("Seven."), words("Yes."))
    entry = (await bench.world.store.path("talk"))[-1].entry
    assert isinstance(entry, Message)
    do, _ = edit_message("talk", Tuning(), entry, "Eight, or nine, or ten.", WHEN)
    await bench.calm()
    await bench.workbench.dispatch(PriceStep("talk", "edit", (do,)))
    await bench.calm()
    price = bench.workbench.state.open["talk"].price
    assert price is not None
    before = bench.workbench.state.open["talk"].prepared
    await bench.workbench.dispatch(do)
    await bench.calm()
    after = bench.workbench.state.open["talk"].prepared
    assert before is not None
    assert after is not None
    assert (
        price.tag.tokens_delta == after.built.envelope.total_tokens - before.built.envelope.total_tokens > 0
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_re_read_is_what_stands_after_the_edit(layout: LayoutChoice):
    """The price is the real forecast: of a cached request everything from the edited words on."""
    builder = replace(
        fake_builder(),
        catalogue=load_catalogue(resource_path("models.toml")),
        prices=load_prices(resource_path("prices.toml")),
    )
    caching = ContextSettings(
        model="gpt-4o", layout=layout, counter="chars4", system_prompt="Be kind. " * 900
    )
    talk = Conversation("c")
    for number in (1, 2):
        ask = Ask(caching, user(f"u{number}", "word " * 900))
        built = prepare_turn(talk, ask, builder).built
        talk = after_turn(talk, built, (assistant(f"a{number}", "answer " * 300),), WHEN)
    ask = Ask(caching, user("u3", "Well?"), age_s=1.0)
    plain = prepare_turn(talk, ask, builder)
    changed = prepare_turn(replace(talk, tuning=edited("Shorter.", "a1")), ask, builder)
    assert plain.forecast is not None
    assert changed.forecast is not None
    assert changed.change.reused_tokens < plain.change.reused_tokens
    assert changed.forecast.predicted_read_tokens < plain.forecast.predicted_read_tokens


@in_calm_loop
async def test_continue_goes_on_from_the_end_of_the_edited_words():
    thinking: list[Step] = [ThinkingGrew("hm", "signed"), TextGrew("It is seven."), Finished("stop")]
    bench = await asked(
        models=FakeModels(
            FakeModel([thinking, words(" and a half.")], refine=lambda card: replace(card, prefill=True))
        )
    )
    path = await bench.world.store.path("talk")
    await edit(bench, "It is eight")
    await bench.do(ContinueAnswer("talk", path[-1].id))
    last = bench.model.requests[-1].messages
    assert last[-1].text == "It is eight"
    assert all(not one.thinking for one in last)
    assert [text for _, text, _ in await bench.texts()] == ["How many?", "It is eight and a half."]
    versions = await bench.world.store.siblings("talk", path[-1].id)
    assert len(versions) == 2, "what was said, and the edit with its rest"
    assert versions[-1].metadata[BEGUN_CHARS] == len("It is eight"), "where the person's words end is marked"


@in_calm_loop
async def test_a_model_that_continues_no_begun_answer_is_not_asked_to_go_on_with_a_persons_words():
    """It was told in words to go on, which the guide says it isn't."""
    bench = await asked(words("It is seven."), words(" and a half."))
    path = await bench.world.store.path("talk")
    await edit(bench, "It is eight")
    end = await bench.do(ContinueAnswer("talk", path[-1].id))
    assert end.outcome.state == "failed"
    assert len(bench.model.requests) == 1, "nothing was sent"


@in_calm_loop
async def test_a_result_of_a_tool_keeps_its_call():
    box = FakeToolbox()
    name = box.tools[0].definition.name
    bench = await asked(calls((name, "{}")), words("Seven."), words("Eight."), toolbox=box)
    path = [one.entry for one in await bench.world.store.path("talk") if isinstance(one.entry, Message)]
    place = next(place for place, one in enumerate(path) if one.role == "tool")
    await edit(bench, "eight apples", place)
    await bench.do(SendMessage("talk", "Again?"))
    told = [one for one in bench.model.requests[-1].messages if one.tool_call_id is not None]
    assert [(one.text, one.tool_call_id) for one in told] == [("eight apples", path[place].tool_call_id)]


def test_a_version_without_words_is_refused_and_a_question_has_none():
    with pytest.raises(InvalidInput, match="no words"):
        edit_message("c", Tuning(), assistant("a1"), " \n", WHEN)
    with pytest.raises(InvalidInput, match="ask the question again"):
        edit_message("c", Tuning(), user("u1"), "x", WHEN)
    with pytest.raises(InvalidInput, match="has 1, counted"):
        show_version("c", Tuning(), "a1", 1)


def test_words_that_are_a_version_already_make_no_other_one():
    tuning = edited("Eight.")
    back, again = edit_message("c", tuning, assistant("a1", "Seven."), "Seven.", WHEN)
    assert [one.shown for one in back.of(tuning).edits] == [False]
    assert again.of(back.of(tuning)) == tuning
    third, _ = edit_message("c", back.of(tuning), assistant("a1", "Seven."), "Nine.", WHEN)
    assert [(one.text, one.shown) for one in third.of(tuning).edits] == [("Eight.", False), ("Nine.", True)]


@in_calm_loop
async def test_exports_imports_forks_and_answering_again_know_it():
    bench = await asked(words("Seven."), words("Yes."), words("Ten."))
    await bench.do(SendMessage("talk", "Sure?"))
    await edit(bench, "Eight.", 1)
    store = bench.world.store
    archive = await store.archive("talk")
    (read,) = import_json(json.loads(export_json([archive]))).archives
    assert read.tuning == archive.tuning
    assert [one.entry for one in read.records] == [one.entry for one in archive.records]
    told = export_markdown(archive)
    assert (b"Eight." in told, b"Seven." in told) == (True, False)
    ids = [one.id for one in await store.path("talk")]
    made = await fork_chat(store, "talk", ids[-1], "fork")
    assert made.tuning == archive.tuning
    forked = await load_conversation(store, "fork")
    assert [one.text for one in forked.said if isinstance(one, Message)][1] == "Eight."
    await bench.do(RegenerateAnswer("talk", ids[2]))
    assert sent(bench) == ["How many?", "Eight.", "Sure?"]
