"""A real llama.cpp server that somebody else started, asked with its key: counts and forecasts are what it reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from itertools import pairwise

import pytest

from tests.e2e.conftest import Run
from tests.fakes.builtin_stage import model_file
from tests.fakes.served_talk import ServedTalk
from workbench.domain.answer import TextGrew
from workbench.domain.parameters import Parameters
from workbench.domain.probability import likely_words
from workbench.domain.request import ModelRequest, RequestMessage
from workbench.engine.intents import SendMessage
from workbench.providers.builtin.server import LlamaServer, LlamaSetup

pytestmark = pytest.mark.usefixtures("soon")


@pytest.fixture(scope="module")
def server(run: Run) -> Iterator[tuple[str, str]]:
    """The model's name at such a server, and the server's key."""
    made = LlamaServer(LlamaSetup(model_file(), "smol", 4096, threads=1))
    started = run(made.start(lambda what, fraction: None))
    yield f"server:{started.base_url}#smol", started.key.reveal_text()
    run(made.close())


def talk_at(server: tuple[str, str], **given: str) -> ServedTalk:
    name, key = server
    return ServedTalk(name, key=key, answer_tokens=6, file_words=12, **given)  # type: ignore[arg-type]


def test_turns_with_files_and_another_chat_between(run: Run, server: tuple[str, str]):
    """The first request at the server too: it says that it holds nothing yet."""

    async def talk() -> None:
        talking = talk_at(server)
        await talking.start("talk")
        await talking.start("aside", layout="layered")
        for number in range(4):
            await talking.restless_turn(number)
            if number == 1:
                await talking.restless_turn(number, "aside")
        await talking.close()
        for turn in talking.turns:
            assert (turn.counted, turn.exact, turn.sure) == (turn.prompt, True, True)
        # That this server keeps nothing beside its one place shows the first time it could have.
        wrong = [turn for turn in talking.turns if turn.foretold != turn.cached]
        assert len(wrong) <= 1
        assert len(talking.turns) == 5

    run(talk())


def test_a_begun_answer_is_continued_counted_and_foretold(run: Run, server: tuple[str, str]):
    async def talk() -> None:
        talking = talk_at(server)
        await talking.start("begun", parameters=Parameters(probabilities=True))
        for prefill in ("Three:", "", "Sure, "):
            ask = SendMessage("begun", "Name three colours.", prefill=prefill)
            turn = await talking.ask(ask, None)
            assert turn.answer.startswith(prefill)
            assert (turn.counted, turn.exact, turn.state) == (turn.prompt, True, "complete")
            assert turn.foretold == turn.cached or not turn.sure
            assert turn.rebuilt in ("first", None)
        answers = [one for one in await talking.bench.world.store.path("begun") if one.metadata]
        assert [bool(likely_words(one.entry.text, one.metadata)) for one in answers] == [True] * 3  # type: ignore[union-attr]
        await talking.close()

    run(talk())


def test_its_card_is_its_own(run: Run, server: tuple[str, str]):
    async def look() -> None:
        talking = talk_at(server)
        model = talking.models.open(talking.name)
        card = await model.card(talking.bench.world.builder.catalogue.find(talking.name))
        assert (card.exact, card.cache_rules, card.context_window_tokens) == (True, "llamacpp", 4096)
        assert card.tokenizer.startswith("server:llamacpp-")
        assert (card.tools, card.counted_at_send, card.prefill) == (False, False, True)
        await talking.close()

    run(look())


def test_an_answer_that_was_stopped_is_foretold_too(run: Run, server: tuple[str, str]):
    async def stop() -> None:
        talking = talk_at(server)
        model = talking.models.open(talking.name)
        await model.card(talking.bench.world.builder.catalogue.find(talking.name))
        meter = await model.meter()
        assert meter is not None
        asked = ModelRequest(
            "smol", "talk", (RequestMessage("a", "user", "Tell a long story."),), 4096, max_output_tokens=64
        )
        said = ""
        async with aclosing(model.stream(asked)) as parts:
            async for part in parts:
                said += part.text if isinstance(part, TextGrew) else ""
                if len(said) > 20:
                    break
        more = (
            *asked.messages,
            RequestMessage("b", "assistant", said),
            RequestMessage("c", "user", "Go on."),
        )
        longer = ModelRequest("smol", "talk", more, 4096, max_output_tokens=4)
        foretold = await meter.measure(longer)
        usages = [part.usage async for part in model.stream(longer) if hasattr(part, "usage")]
        assert (usages[-1].prompt_tokens, usages[-1].cached_tokens) == (
            foretold.prompt_tokens,
            foretold.cached_tokens,
        )
        await talking.close()

    run(stop())


def test_a_log_only_grows_there(run: Run, server: tuple[str, str]):
    """Every request but the first is served up to where the last one ended."""

    async def talk() -> None:
        talking = talk_at(server)
        await talking.start("grown")
        for number in range(3):
            await talking.turn(f"And {number}?", "grown")
        await talking.close()
        for before, after in pairwise(talking.turns):
            assert (after.cached or 0) >= (before.prompt or 0)

    run(talk())
