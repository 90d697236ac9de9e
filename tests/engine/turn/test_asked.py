"""A turn exists from the moment somebody asked, and its question is in exactly one place all the time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact
from workbench.domain.errors import WorkbenchError
from workbench.domain.settings.context_settings import CompactionSettings
from workbench.engine.events import ChatNamed, TurnProgressed
from workbench.engine.intents import (
    AttachArtifact,
    AttachText,
    ChangeSettings,
    CloseChat,
    EditDraft,
    EditInPlace,
    EditQuestion,
    LookAhead,
    OpenChat,
    OpenTurn,
    RenameChat,
    SendMessage,
    StopTurn,
)
from workbench.engine.open_chat.chat import ROW_PAINTED_S
from workbench.engine.running_turns import TurnRunning
from workbench.engine.state import ChatState, EditedQuestion

TINY = replace(SETTINGS, context_window=12)


def asked(text: str = "Well?") -> SendMessage:
    return SendMessage("talk", text, drafted=True)


@dataclass
class Slow(FakeModel):
    """A model that takes until a test says so to get ready."""

    may_start: asyncio.Event = field(default_factory=asyncio.Event)

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """Not before the test says so."""
        progress("Loading", 0.5)
        await self.may_start.wait()


async def starting(store: FragileHistory | None = None) -> tuple[Bench, Slow]:
    """A chat whose question is on its way while the model still starts."""
    model = Slow([words("Yes.")])
    bench = fake_bench(models=FakeModels(model), store=store or FragileHistory())
    await bench.start()
    await bench.workbench.dispatch(EditDraft("talk", "Well?"))
    await bench.workbench.dispatch(asked())
    await asyncio.sleep(0)
    return bench, model


def talk(bench: Bench) -> ChatState:
    return bench.workbench.state.open["talk"]


def edited_text(bench: Bench) -> str | None:
    editing = talk(bench).editing
    return None if editing is None else editing.text


@in_calm_loop
async def test_while_the_model_starts_the_question_is_seen_with_its_progress():
    bench, model = await starting()
    running = talk(bench).running
    assert running is not None
    assert (running.number, running.asked, talk(bench).draft) == (1, "Well?", "")
    await until(lambda: (talk(bench).running or running).progress == "Loading")
    model.may_start.set()
    await bench.workbench.until_ended("talk")
    assert await bench.texts() == [("user", "Well?", "complete"), ("assistant", "Yes.", "complete")]


@in_calm_loop
async def test_a_turn_can_be_stopped_while_its_model_starts():
    """There was no turn to stop, and the model's start went on for as long as it took."""
    bench, _ = await starting()
    await bench.workbench.dispatch(StopTurn("talk"))
    outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert outcome.state == "stopped"
    assert (await bench.texts())[0] == ("user", "Well?", "complete")
    assert talk(bench).draft == ""


@in_calm_loop
async def test_whoever_looks_elsewhere_finds_no_draft_of_what_was_sent():
    """Only the composer took the words away; it did not see the turn begin, so they stayed the draft for ever."""
    bench, model = await starting()
    await bench.workbench.dispatch(CloseChat("talk"))
    model.may_start.set()
    await bench.workbench.until_ended("talk")
    await bench.workbench.dispatch(OpenChat("talk"))
    assert talk(bench).draft == ""
    assert await bench.world.store.draft("talk") == ""


def all_kept(bench: Bench) -> bool:
    return all(one.waiting is None for one in bench.workbench._drafts._unkept.values())


@in_calm_loop
async def test_until_the_question_is_kept_its_words_are_in_the_kept_draft():
    """A program that is killed while the model starts must not lose them."""
    bench, model = await starting()
    await until(lambda: all_kept(bench))
    assert await bench.world.store.draft("talk") == "Well?"
    await bench.workbench.dispatch(EditDraft("talk", "And then"))
    await until(lambda: all_kept(bench))
    assert await bench.world.store.draft("talk") == "Well?\n\nAnd then"
    model.may_start.set()
    await bench.workbench.until_ended("talk")
    assert (await bench.world.store.draft("talk"), talk(bench).draft) == ("And then", "And then")


@in_calm_loop
async def test_the_question_is_kept_and_taken_from_the_draft_in_one_step():
    bench = fake_bench(store=FragileHistory("finish_turn"))
    await bench.start()
    await bench.world.store.save_draft("talk", "Well?")
    await bench.workbench.dispatch(EditDraft("talk", "Well?"))
    await bench.do(asked())
    store = bench.world.store
    assert (len(await store.path("talk")) > 0, await store.draft("talk")) == (True, "")


@in_calm_loop
async def test_a_question_that_does_not_fit_comes_back_before_what_was_written_since():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(ChangeSettings("talk", TINY))
    await bench.workbench.dispatch(EditDraft("talk", "a b c " * 20))
    await bench.workbench.dispatch(asked("a b c " * 20))
    await bench.workbench.dispatch(EditDraft("talk", "next"))
    await bench.workbench.until_ended("talk")
    assert (talk(bench).running, talk(bench).draft) == (None, "a b c " * 20 + "\n\nnext")
    assert await bench.texts() == []


@in_calm_loop
async def test_a_question_that_cannot_be_planned_or_kept_comes_back():
    for refusing in ("path", "begin_turn"):
        store = FragileHistory()
        bench = fake_bench(store=store)
        await bench.start()
        await bench.workbench.dispatch(EditDraft("talk", "Well?"))
        store.refusing = {refusing}
        with suppress(WorkbenchError):
            await bench.workbench.dispatch(asked())
        await bench.workbench.until_ended("talk")
        store.refusing = set()
        assert (talk(bench).running, talk(bench).draft) == (None, "Well?"), refusing


@in_calm_loop
async def test_a_second_question_during_a_turn_is_refused_and_its_words_come_back():
    bench, model = await starting()
    with pytest.raises(TurnRunning):
        await bench.workbench.dispatch(asked("More?"))
    assert talk(bench).draft == "More?"
    model.may_start.set()
    await bench.workbench.until_ended("talk")
    assert [text for _, text, _ in await bench.texts()] == ["Well?", "Yes."]


@in_calm_loop
async def test_what_was_never_a_draft_does_not_become_one():
    """A command asks without a draft; a refusal must not leave words in the chat."""
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(ChangeSettings("talk", TINY))
    await bench.do(SendMessage("talk", "a b c " * 20))
    assert (talk(bench).draft, await bench.world.store.draft("talk")) == ("", "")


@in_calm_loop
async def test_a_chat_has_its_title_as_soon_as_the_question_is_kept():
    """It was "New chat" until the answer had ended."""
    bench = fake_bench([*words("Yes."), 5.0])
    await bench.start()
    await bench.workbench.dispatch(asked("When is the release?"))
    await until(lambda: bench.told(ChatNamed) != [])
    assert (talk(bench).chat.title, talk(bench).running is not None) == ("When is the release?", True)
    await bench.workbench.dispatch(StopTurn("talk"))
    await bench.workbench.until_ended("talk")


@in_calm_loop
async def test_the_stages_before_the_model_is_asked_are_told():
    bench = fake_bench(toolbox=FakeToolbox())
    await bench.start()
    await bench.do(asked())
    assert [event.stage for event in bench.told(TurnProgressed)] == ["starting", "commands", "counting"]


@in_calm_loop
async def test_a_chat_that_was_closed_while_it_was_read_stays_closed():
    store = FragileHistory()
    bench = fake_bench(store=store)
    await bench.start()
    await bench.workbench.dispatch(CloseChat("talk"))
    store.slow = {"path": 0.02}
    await asyncio.gather(
        bench.workbench.dispatch(OpenChat("talk")), bench.workbench.dispatch(CloseChat("talk"))
    )
    assert dict(bench.workbench.state.open) == {}


@in_calm_loop
async def test_a_turn_that_was_closed_while_it_was_read_stays_closed():
    """The late load opened it again."""
    store = FragileHistory()
    bench = fake_bench(store=store)
    await bench.start()
    await bench.do(asked())
    store.slow = {"turn_lines": 0.02}
    await asyncio.gather(
        bench.workbench.dispatch(OpenTurn("talk", 1)), bench.workbench.dispatch(OpenTurn("talk", None))
    )
    assert talk(bench).opened is None


@in_calm_loop
async def test_an_edit_shows_the_request_that_it_then_sends():
    bench = fake_bench(words("One."), words("Two."), words("Three."))
    await bench.start()
    await bench.do(asked("First?"))
    await bench.do(asked("Second?"))
    question = (await bench.world.store.path("talk"))[2].id
    await bench.workbench.dispatch(EditInPlace("talk", question, "Second, in other words?"))
    await until(lambda: talk(bench).shown is not talk(bench).newest)
    editing = talk(bench).editing
    assert editing is not None
    assert editing.view is not None
    assert (talk(bench).shown, editing.view.turn) == (editing.view, 2)
    before = editing.view.digest
    await bench.workbench.dispatch(EditInPlace("talk", question, "Second, once more?"))
    editing = talk(bench).editing
    assert editing is not None
    assert editing.view is not None
    assert editing.view.digest != before
    await bench.do(EditQuestion("talk", question, "Second, once more?"))
    assert talk(bench).editing is None
    await bench.workbench.dispatch(OpenTurn("talk", 2))
    opened = talk(bench).opened
    assert opened is not None
    assert opened.digest == editing.view.digest


@in_calm_loop
async def test_an_edit_survives_another_chat_and_a_refusal_and_ends_when_it_is_left():
    bench = fake_bench()
    await bench.start()
    await bench.do(asked("First?"))
    question = (await bench.world.store.path("talk"))[0].id
    await bench.workbench.dispatch(EditInPlace("talk", question, "Other words"))
    await bench.workbench.dispatch(CloseChat("talk"))
    await bench.workbench.dispatch(OpenChat("talk"))
    await until(lambda: talk(bench).editing is not None)
    assert edited_text(bench) == "Other words"
    await bench.workbench.dispatch(ChangeSettings("talk", TINY))
    await bench.do(EditQuestion("talk", question, "a b c " * 20))
    await until(lambda: talk(bench).editing is not None)
    assert edited_text(bench) == "a b c " * 20
    await bench.workbench.dispatch(EditInPlace("talk", question, None))
    assert talk(bench).editing is None


@in_calm_loop
async def test_an_edit_follows_what_is_attached_meanwhile():
    """It was read once, when editing began; what was then sent was another request than the one shown."""
    bench = fake_bench(words("One."), words("Two."))
    await bench.start()
    await bench.do(asked("First?"))
    question = (await bench.world.store.path("talk"))[0].id
    await bench.workbench.dispatch(EditInPlace("talk", question, "Again?"))
    await until(lambda: edit_digest(bench) != "")
    before = edit_digest(bench)
    await bench.workbench.dispatch(AttachText("talk", "some words of mine"))
    await until(lambda: edit_digest(bench) != before)
    shown = edit_digest(bench)
    await bench.do(EditQuestion("talk", question, "Again?"))
    await bench.workbench.dispatch(OpenTurn("talk", 1))
    opened = talk(bench).opened
    assert opened is not None
    assert opened.digest == shown


def edit_digest(bench: Bench) -> str:
    editing = talk(bench).editing
    return "" if editing is None or editing.view is None else editing.view.digest


@in_calm_loop
async def test_two_edits_keep_their_words_and_the_last_one_is_shown():
    bench = fake_bench(words("One."), words("Two."))
    await bench.start()
    await bench.do(asked("First?"))
    await bench.do(asked("Second?"))
    first, _, second, _ = [record.id for record in await bench.world.store.path("talk")]
    await bench.workbench.dispatch(EditInPlace("talk", first, "First, changed"))
    await bench.workbench.dispatch(EditInPlace("talk", second, "Second, changed"))
    assert {key: edit.text for key, edit in talk(bench).edits.items()} == {
        first: "First, changed",
        second: "Second, changed",
    }
    assert (talk(bench).editing or EditedQuestion("", "")).question == second
    await bench.workbench.dispatch(EditInPlace("talk", second, None))
    assert (talk(bench).editing or EditedQuestion("", "")).question == first


@in_calm_loop
async def test_an_edit_that_is_refused_keeps_its_words():
    bench, model = await starting()
    await until(lambda: talk(bench).running is not None)
    model.may_start.set()
    await bench.workbench.until_ended("talk")
    question = (await bench.world.store.path("talk"))[0].id
    model.may_start.clear()
    await bench.workbench.dispatch(SendMessage("talk", "Next?"))
    await bench.workbench.dispatch(EditInPlace("talk", question, "Other words"))
    with pytest.raises(TurnRunning):
        await bench.workbench.dispatch(EditQuestion("talk", question, "Other words"))
    assert edited_text(bench) == "Other words"
    await bench.workbench.dispatch(StopTurn("talk"))
    await bench.workbench.until_ended("talk")


@in_calm_loop
async def test_what_is_typed_while_words_are_given_back_stands_behind_them():
    """Typed before the composer had seen them, it replaced them: the question was lost."""
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(ChangeSettings("talk", TINY))
    await bench.workbench.dispatch(EditDraft("talk", "a b c " * 20, 0))
    await bench.workbench.dispatch(asked("a b c " * 20))
    await bench.workbench.dispatch(EditDraft("talk", "d", 0))
    await bench.workbench.until_ended("talk")
    await until(lambda: talk(bench).draft_number == 1)
    await bench.workbench.dispatch(EditDraft("talk", "de", 0))
    assert talk(bench).draft == "a b c " * 20 + "\n\nde"
    await bench.workbench.dispatch(EditDraft("talk", "only this", talk(bench).draft_number))
    assert talk(bench).draft == "only this"


@in_calm_loop
async def test_a_draft_that_is_refused_during_a_turn_is_not_doubled():
    bench, model = await starting()
    await bench.workbench.dispatch(EditDraft("talk", "More?"))
    with pytest.raises(TurnRunning):
        await bench.workbench.dispatch(asked("More?"))
    assert talk(bench).draft == "More?"
    model.may_start.set()
    await bench.workbench.until_ended("talk")
    assert talk(bench).draft == "More?"


@in_calm_loop
async def test_the_request_shown_follows_what_is_taken_from_the_draft_and_given_back():
    store = FragileHistory()
    bench = fake_bench(store=store)
    await bench.start()
    await bench.workbench.dispatch(ChangeSettings("talk", TINY))
    await bench.workbench.dispatch(EditDraft("talk", "a b c " * 20))
    over = (talk(bench).view or pytest.fail("no view")).over_tokens
    assert over > 0
    store.slow = {"path": 3 * ROW_PAINTED_S}
    await bench.workbench.dispatch(asked("a b c " * 20))
    await until(lambda: (talk(bench).view or pytest.fail("no view")).over_tokens == 0)
    await bench.workbench.until_ended("talk")
    assert (talk(bench).view or pytest.fail("no view")).over_tokens == over


@in_calm_loop
async def test_a_turn_that_could_not_begin_is_no_turn():
    """A batch whose first part failed left the chat waiting for a turn that never came."""
    bench = fake_bench()
    await bench.start()
    with pytest.raises(WorkbenchError):
        await bench.workbench.dispatch(RenameChat("nowhere", "x"), asked())
    assert talk(bench).running is None
    await bench.do(asked())
    assert len(await bench.texts()) == 2


@in_calm_loop
async def test_stop_before_the_turn_could_begin_gives_the_words_back():
    store = FragileHistory()
    bench = fake_bench(store=store)
    await bench.start()
    store.slow = {"save_attached": 0.5}
    await bench.workbench.dispatch(EditDraft("talk", "Well?"))
    attaching = bench.world.tasks.start("attach", bench.workbench.dispatch(AttachText("talk", "slow words")))
    await asyncio.sleep(0.01)
    sending = bench.world.tasks.start("send", bench.workbench.dispatch(asked()))
    await until(lambda: talk(bench).running is not None)
    await bench.workbench.dispatch(StopTurn("talk"))
    assert (talk(bench).running, talk(bench).draft) == (None, "Well?")
    await asyncio.gather(attaching, sending)
    assert await bench.texts() == []


@in_calm_loop
async def test_a_turn_that_is_read_late_does_not_come_over_what_is_newer():
    store = FragileHistory()
    bench = fake_bench(store=store)
    await bench.start()
    await bench.do(asked())
    store.slow = {"turn_lines": 0.02}
    await asyncio.gather(
        bench.workbench.dispatch(OpenTurn("talk", 1)), bench.workbench.dispatch(LookAhead("talk"))
    )
    assert talk(bench).opened is None


@in_calm_loop
async def test_where_more_stays_out_than_was_shown_nothing_is_sent_until_it_was_seen():
    """Enter while the count was an estimate sent another set of files than the one on the screen."""
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "many words " * 40)))
    await bench.workbench.dispatch(ChangeSettings("talk", replace(SETTINGS, attachment_budget_tokens=5)))
    await bench.workbench.dispatch(EditDraft("talk", "Well?"))
    hasty = SendMessage("talk", "Well?", drafted=True, left_out=frozenset())
    end = await bench.do(hasty)
    assert end.outcome.failure is not None
    assert "1 more file stays out" in end.outcome.failure.message
    assert (bench.model.requests, talk(bench).draft, await bench.texts()) == ([], "Well?", [])
    await bench.do(replace(hasty, left_out=frozenset({"a.md"})))
    assert len(bench.model.requests) == 1


@in_calm_loop
async def test_where_less_of_a_file_is_sent_than_was_shown_nothing_is_sent_until_it_was_seen():
    bench = fake_bench()
    await bench.start()
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Some words are here. " * 400)))
    small = replace(SETTINGS, compaction=CompactionSettings(200, 50, 2), context_window=400)
    await bench.workbench.dispatch(ChangeSettings("talk", replace(small, reserved_output_tokens=0)))
    hasty = SendMessage("talk", "Well?", left_out=frozenset(), shortened=frozenset())
    end = await bench.do(hasty)
    assert end.outcome.failure is not None
    assert "1 more file is cut than was shown" in end.outcome.failure.message
    await bench.do(replace(hasty, shortened=frozenset({"a.md"})))
    assert len(bench.model.requests) == 1
    ((key, sent, whole),) = talk(bench).turns[-1].shortened
    assert (key, 0 < sent < whole) == ("a.md", True)
    assert talk(bench).shares_before == {"a.md": sent / whole}
