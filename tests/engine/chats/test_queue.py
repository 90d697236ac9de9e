"""Messages that are queued while an answer arrives: sent in order, held where it did not complete, never lost."""

from __future__ import annotations

from tests.fakes.chat_model import Forever, words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.answer import TextGrew
from workbench.engine.chats.queue import Queue
from workbench.engine.events import AnswerGrew, TurnEnded
from workbench.engine.intents import (
    CloseChat,
    DeleteChat,
    EditDraft,
    OpenChat,
    QueueMessage,
    RestoreChat,
    SendMessage,
    SendQueued,
    StopTurn,
    TakeQueued,
)
from workbench.engine.state import ChatState

FOREVER = (TextGrew("On and on"), Forever())


async def asking(*answers: object) -> Bench:
    """A chat in which an answer is arriving."""
    bench = fake_bench(*answers)  # type: ignore[arg-type]
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "One?"))
    return bench


def talk(bench: Bench) -> ChatState:
    return bench.workbench.state.open["talk"]


async def questions(bench: Bench) -> list[str]:
    return [text for role, text, _ in await bench.texts() if role == "user"]


@in_calm_loop
async def test_what_is_queued_is_sent_in_order_when_each_answer_is_complete():
    bench = await asking(words("First."), words("Second."), words("Third."))
    assert isinstance(bench.workbench._queue, Queue)
    await bench.workbench.dispatch(EditDraft("talk", "Two?"))
    await bench.workbench.dispatch(QueueMessage("talk", "Two?"))
    assert talk(bench).draft == ""
    await bench.workbench.dispatch(QueueMessage("talk", "Three?"))
    await until(lambda: len(bench.told(TurnEnded)) == 3)
    assert await questions(bench) == ["One?", "Two?", "Three?"]
    await until(lambda: talk(bench).queued == ())
    await bench.workbench.close()
    assert await bench.world.store.queued("talk") == ()


@in_calm_loop
async def test_the_request_that_is_shown_is_the_one_that_is_queued():
    """While something else is being written, what goes out next is still the first of the queue."""
    bench = await asking(FOREVER)
    await bench.workbench.dispatch(QueueMessage("talk", "Queued words?"))
    await bench.workbench.dispatch(EditDraft("talk", "written later"))
    await bench.calm()
    prepared = talk(bench).prepared
    assert prepared is not None
    assert "Queued words?" in str(prepared.built.inputs.question)
    assert talk(bench).newest is talk(bench).view
    await bench.workbench.dispatch(StopTurn("talk"))
    await until(lambda: talk(bench).held)
    await bench.calm()
    prepared = talk(bench).prepared
    assert prepared is not None
    assert "written later" in str(prepared.built.inputs.question)
    await bench.workbench.close()


@in_calm_loop
async def test_what_is_queued_is_shown_as_the_turn_it_will_be_with_the_running_one_before_it():
    """It was shown with the number of the turn that was being answered, and without that turn's question."""
    bench = await asking(FOREVER)
    await until(lambda: talk(bench).in_flight is not None)
    await bench.workbench.dispatch(QueueMessage("talk", "Two?"))
    await bench.calm()
    view, prepared = talk(bench).view, talk(bench).prepared
    assert view is not None
    assert prepared is not None
    assert (view.turn, view.standing) == (2, "next")
    assert [m.content for m in prepared.built.envelope.messages if m.role == "user"] == ["One?", "Two?"]
    await bench.workbench.dispatch(StopTurn("talk"))
    await until(lambda: talk(bench).held)
    await bench.calm()
    view = talk(bench).view
    assert view is not None
    assert view.turn == 2
    await bench.workbench.close()


@in_calm_loop
async def test_after_a_stop_it_is_held_until_a_person_sends_it():
    bench = await asking(FOREVER, words("Second."), words("Third."))
    for text in ("Two?", "Three?"):
        await bench.workbench.dispatch(QueueMessage("talk", text))
    await until(lambda: len(bench.told(AnswerGrew)) > 0)
    await bench.workbench.dispatch(StopTurn("talk"))
    await until(lambda: talk(bench).held)
    assert talk(bench).queued == ("Two?", "Three?")
    assert await questions(bench) == ["One?"]
    await bench.workbench.dispatch(SendQueued("talk"))
    await until(lambda: len(bench.told(TurnEnded)) == 3)
    assert await questions(bench) == ["One?", "Two?", "Three?"]
    await bench.workbench.close()


@in_calm_loop
async def test_one_is_taken_back_into_the_draft_before_what_is_written_there():
    bench = await asking(FOREVER)
    for text in ("Two?", "Three?"):
        await bench.workbench.dispatch(QueueMessage("talk", text))
    await bench.workbench.dispatch(EditDraft("talk", "more"))
    await bench.workbench.dispatch(TakeQueued("talk", talk(bench).queued_keys[0], back=True))
    assert (talk(bench).draft, talk(bench).queued) == ("Two?\n\nmore", ("Three?",))
    assert await bench.world.store.draft("talk") == "Two?\n\nmore"
    assert await bench.world.store.queued("talk") == ("Three?",)
    await bench.workbench.close()


@in_calm_loop
async def test_one_that_was_sent_meanwhile_is_not_taken_and_takes_no_other_with_it():
    bench = await asking(words("First."), FOREVER)
    for text in ("Two?", "Same?", "Same?"):
        await bench.workbench.dispatch(QueueMessage("talk", text))
    two, first, _ = talk(bench).queued_keys
    await until(lambda: talk(bench).queued == ("Same?", "Same?"))
    await bench.workbench.dispatch(TakeQueued("talk", two, back=True))
    assert (talk(bench).draft, talk(bench).queued) == ("", ("Same?", "Same?"))
    await bench.workbench.dispatch(TakeQueued("talk", first))
    assert talk(bench).queued == ("Same?",)
    await bench.workbench.close()
    assert await bench.world.store.queued("talk") == ("Same?",)


@in_calm_loop
async def test_nothing_is_sent_in_a_chat_that_was_deleted():
    bench = await asking((TextGrew("First."), 0.05, *words("End.")), words("Second."))
    await bench.workbench.dispatch(QueueMessage("talk", "Two?"))
    await bench.workbench.dispatch(DeleteChat("talk"))
    await until(lambda: len(bench.told(TurnEnded)) == 1)
    await bench.calm()
    assert await questions(bench) == ["One?"]
    await bench.workbench.dispatch(RestoreChat("talk"))
    assert (talk(bench).queued, talk(bench).held) == (("Two?",), True)
    await bench.workbench.close()


@in_calm_loop
async def test_a_restart_holds_what_waits_and_loses_nothing():
    store = MemoryHistory()
    bench = fake_bench(FOREVER, store=store)
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "One?"))
    await bench.workbench.dispatch(QueueMessage("talk", "Two?"))
    assert await store.queued("talk") == ("Two?",)
    await bench.workbench.close()
    again = fake_bench(words("Second."), store=store, new_id=iter("xyz").__next__)
    await again.workbench.dispatch(OpenChat("talk"))
    assert (talk(again).queued, talk(again).held) == (("Two?",), True)
    await again.workbench.dispatch(SendQueued("talk"))
    await until(lambda: len(again.told(TurnEnded)) == 1)
    assert (await questions(again))[-1] == "Two?"
    await again.workbench.close()


@in_calm_loop
async def test_it_is_sent_though_its_chat_is_no_longer_in_view():
    bench = await asking((TextGrew("First."), 0.05, *words("End.")), words("Second."))
    await bench.workbench.dispatch(QueueMessage("talk", "Two?"))
    await bench.workbench.dispatch(CloseChat("talk"))
    await until(lambda: len(bench.told(TurnEnded)) == 2)
    assert await questions(bench) == ["One?", "Two?"]
    await bench.workbench.close()
