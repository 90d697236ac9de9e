"""Turns without an answer, as a real engine keeps them: what is said stays with its question, with a way on."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.chat_model import Forever, words
from tests.fakes.engine import Bench, fake_bench
from tests.fakes.loop import in_loop, until
from tests.fakes.stores import open_store
from workbench.domain.answer import Failure
from workbench.engine.events import TurnBegan
from workbench.engine.intents import CloseChat, OpenChat, RegenerateAnswer, SendMessage, StopTurn
from workbench.ui.chat.messages.feed import Answer, Failed, Item, Question, Unanswered, items_of
from workbench.ui.chat.messages.message_menu import intent_of
from workbench.ui.chat.standing import Marks

DOWN = Failure("network", "No route.")
BUSY = Failure("rate", "Too many.")


def feed(bench: Bench) -> tuple[Item, ...]:
    return items_of(bench.workbench.state.open["talk"], Marks())


def kinds(bench: Bench) -> list[str]:
    return [type(item).__name__ for item in feed(bench)]


def failures(bench: Bench) -> list[tuple[str, str]]:
    """The failed cards, each with the words of the question it stands below and has its buttons for."""
    found, above = list[tuple[str, str]](), feed(bench)
    for place, item in enumerate(above):
        if isinstance(item, Failed):
            asked = next(one for one in reversed(above[:place]) if isinstance(one, Question))
            assert item.question == asked.key
            found.append((asked.record.entry.text, item.failure.kind))  # type: ignore[union-attr]
    return found


async def reopened(bench: Bench) -> None:
    await bench.workbench.dispatch(CloseChat("talk"))
    await bench.workbench.dispatch(OpenChat("talk"))
    await bench.calm()


@in_loop
async def test_a_question_that_failed_has_its_card_until_the_next_takes_its_place():
    bench = fake_bench([DOWN], [BUSY], words("Three."))
    await bench.start()
    seen: list[list[tuple[str, str]]] = []
    bench.workbench.subscribe(
        lambda event, _: seen.append(failures(bench)) if isinstance(event, TurnBegan) else None
    )
    cards: list[list[tuple[str, str]]] = []
    for text in ("one", "two", "three"):
        await bench.do(SendMessage("talk", text))
        await bench.calm()
        cards.append(failures(bench))
    assert seen == [[], [], []]
    assert cards == [[("one", "network")], [("two", "rate")], []]
    assert kinds(bench) == ["Question", "Answer"]
    await reopened(bench)
    assert kinds(bench) == ["Question", "Answer"]
    versions = await bench.world.store.siblings("talk", feed(bench)[0].key)
    assert [one.entry.text for one in versions] == ["one", "two", "three"]  # type: ignore[union-attr]


@in_loop
async def test_the_card_of_a_question_that_failed_asks_it_again_after_a_reload():
    bench = fake_bench([DOWN], words("Now."))
    await bench.start()
    await bench.do(SendMessage("talk", "one"))
    await reopened(bench)
    assert failures(bench) == [("one", "network")]
    card = next(item for item in feed(bench) if isinstance(item, Failed))
    intent = intent_of("retry", card.question, bench.workbench.state.open["talk"])
    assert intent == RegenerateAnswer("talk", card.question)
    await bench.do(intent)
    await bench.calm()
    assert kinds(bench) == ["Question", "Answer"]


@in_loop
async def test_asked_again_in_vain_an_earlier_question_has_the_card_and_its_buttons():
    bench = fake_bench(words("One."), words("Two."), [DOWN])
    await bench.start()
    await bench.do(SendMessage("talk", "one"))
    await bench.do(SendMessage("talk", "two"))
    first = feed(bench)[0].key
    await bench.do(RegenerateAnswer("talk", first))
    await bench.calm()
    assert kinds(bench) == ["Question", "Answer", "Failed", "Question", "Answer"]
    assert failures(bench) == [("one", "network")]


@in_loop
async def test_what_is_stopped_before_its_first_word_says_so_and_can_be_answered():
    bench = fake_bench([Forever()], words("At last."))
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "well?"))
    await until(lambda: bool(bench.told(TurnBegan)))
    await bench.workbench.dispatch(StopTurn("talk"))
    await bench.workbench.until_ended("talk")
    await bench.calm()
    (question, unanswered) = feed(bench)
    assert unanswered == Unanswered("unanswered:1", question.key)
    await reopened(bench)
    assert feed(bench)[1] == unanswered
    intent = intent_of("regenerate", question.key, bench.workbench.state.open["talk"])
    await bench.do(intent)
    await bench.calm()
    (_, answer) = feed(bench)
    assert isinstance(answer, Answer)
    assert [text for _, text, _ in await bench.texts()] == ["well?", "At last."]


@in_loop
async def test_so_it_is_in_the_encrypted_store(tmp_path: Path):
    store = open_store(tmp_path / "store.db")
    bench = fake_bench([DOWN], [Forever()], words("Three."), store=store)
    await bench.start()
    await bench.do(SendMessage("talk", "one"))
    await bench.workbench.dispatch(SendMessage("talk", "two"))
    await until(lambda: len(bench.told(TurnBegan)) == 2)
    await bench.workbench.dispatch(StopTurn("talk"))
    await bench.workbench.until_ended("talk")
    await bench.do(SendMessage("talk", "three"))
    await reopened(bench)
    assert kinds(bench) == ["Question", "Unanswered", "Question", "Answer"]
    await store.close()
