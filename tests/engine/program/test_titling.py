"""A title by the chat's own model: asked in a request that is no turn, priced before; a failure is said."""

from __future__ import annotations

from tests.fakes.chat_model import words
from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_calm_loop, until
from workbench.domain.answer import Failure
from workbench.engine.intents import SendMessage
from workbench.engine.program.actions import ANSWER_TOKENS, SYSTEM
from workbench.engine.program_intents import OfferTitle, WriteTitle


@in_calm_loop
async def test_it_is_offered_with_its_price_and_written_by_the_chats_model():
    bench = fake_bench(words("On Friday."), words('"**Release day**"'))
    await bench.start()
    await bench.do(SendMessage("talk", "When is the release?"))
    await bench.workbench.dispatch(OfferTitle("talk"))
    await until(lambda: bench.workbench.state.title is not None)
    offer = bench.workbench.state.title
    assert offer is not None
    assert (offer.stage, offer.model, len(bench.model.requests)) == ("offered", "word-1", 1)
    assert offer.tokens > 0
    await bench.workbench.dispatch(WriteTitle("talk"))
    await until(lambda: _stage(bench.workbench.state.title) == "written")
    assert bench.workbench.state.title is not None
    assert bench.workbench.state.title.text == "Release day"
    asked = bench.model.requests[-1]
    assert asked.messages[0].text.strip() == SYSTEM
    assert "When is the release?" in asked.messages[-1].text
    assert "On Friday." in asked.messages[-1].text
    assert asked.max_output_tokens == ANSWER_TOKENS
    assert len(await bench.texts()) == 2
    assert len(await bench.world.store.turns("talk")) == 1
    await bench.workbench.close()


@in_calm_loop
async def test_a_failure_is_said_and_the_chat_keeps_its_title():
    bench = fake_bench(words("Well."), [Failure("auth", "The key was refused.")], words("..."))
    await bench.start()
    await bench.workbench.dispatch(WriteTitle("talk"))
    await until(lambda: _stage(bench.workbench.state.title) == "failed")
    assert "nothing in this chat" in _problem(bench.workbench.state.title)
    await bench.do(SendMessage("talk", "One?"))
    for said in ("The key was refused.", "without words"):
        await bench.workbench.dispatch(WriteTitle("talk"))
        await until(lambda: said in _problem(bench.workbench.state.title))  # noqa: B023
    assert (await bench.world.store.chat("talk")).title == "One?"
    await bench.workbench.close()


def _stage(title: object) -> str:
    return str(getattr(title, "stage", ""))


def _problem(title: object) -> str:
    return str(getattr(title, "problem", ""))
