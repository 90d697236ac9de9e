"""A side question: answered with everything of its chat, and the chat's next request is byte for byte the same."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from itertools import count
from random import Random  # noqa: TID251  (seeded)
from typing import Any

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, Forever, calls, words
from tests.fakes.engine import SETTINGS, Bench, TickingUtc, fake_bench
from tests.fakes.kept_turns import bytes_of
from tests.fakes.loop import in_calm_loop, in_loop, until
from tests.fakes.recording_server import RecordingServer
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact, fake_builder
from tests.fakes.wires import OpenAiWire
from workbench.domain.answer import Accepted, AnswerPart, Failure, TextGrew
from workbench.domain.request import ModelRequest
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.side import KEPT_DAYS, SideQuestion
from workbench.engine.answers.side import is_old, kept_sides
from workbench.engine.events import AnswerGrew, NoticeGiven
from workbench.engine.intents import (
    AttachArtifact,
    EditDraft,
    MakeSideTurn,
    OpenChat,
    SendMessage,
    StopTurn,
)
from workbench.engine.workbench import TurnRunning, Workbench

CACHING = replace(
    WORD_MODEL, name="word-openai", cache_rules="openai", context_window_tokens=100_000, provider="openai"
)
SIGN = " (beside)"
ASIDE = SendMessage("talk", "By the way, what is a lock?", side=True)


def sent(bench: Bench, number: int = -1) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in bench.model.requests[number].messages]


def dice_window(seed: int) -> int:
    """Small in some chats, so that they are trimmed."""
    return 400 if seed % 3 == 0 else 100_000


class Echo(FakeModel):
    """Answers by what it is asked, so that one question more or less changes no other answer."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """Says the question again."""
        self.requests.append(request)
        yield Accepted("")
        for part in words(f"Re: {request.messages[-1].text}"):
            assert not isinstance(part, float | Failure | Forever | Exception)
            yield part


async def wander(seed: int, settings: ContextSettings, *, sides: bool) -> Bench:
    """A random chat; with `sides`, side questions are asked between its turns. Both have the same turns."""
    dice, extra = Random(seed), Random(seed + 1)
    numbers, aside = count(1), count(1)
    asks_aside = False
    bench = fake_bench(
        builder=fake_builder(CACHING),
        models=FakeModels(Echo([])),
        new_id=lambda: f"side{next(aside)}" if asks_aside else f"id{next(numbers)}",
        utc=Still(),
    )
    await bench.start("talk", settings)
    for turn in range(dice.randint(2, 4)):
        if dice.random() < 0.5:
            one = artifact(f"f{dice.randint(1, 3)}.md", f"text {dice.randint(1, 99)} " * dice.randint(1, 40))
            await bench.workbench.dispatch(AttachArtifact("talk", one))
        asks_aside = True
        for _ in range(extra.randint(0, 2) if sides else 0):
            await bench.do(replace(ASIDE, text=f"Aside {extra.random()}{SIGN}"))
        asks_aside = False
        await bench.do(SendMessage("talk", f"Question {turn} " + "word " * dice.randint(1, 30)))
    return bench


class Still(TickingUtc):
    """Always the same moment."""

    def utc_now(self) -> str:
        """The moment."""
        return "2026-01-01T00:00:00Z"


@pytest.mark.parametrize("layout", ["layered", "append_only", "auto"])
@pytest.mark.parametrize("seed", range(8))
@in_calm_loop
async def test_every_request_of_the_chat_is_the_same_with_and_without_side_questions(layout: Any, seed: int):
    """The stored turns are the witness: what they were built from, and what was built of it."""
    settings = replace(SETTINGS, layout=layout, model=CACHING.name, context_window=dice_window(seed))
    told = []
    for sides in (False, True):
        bench = await wander(seed, settings, sides=sides)
        turns = await bench.world.store.turns("talk")
        told.append(
            [
                [(one.role, one.content) for one in turn.built.envelope.messages]
                + [bytes_of(turn.built.envelope.cuts), turn.built.envelope.rebuilt, turn.number]
                for turn in turns
            ]
        )
        own = [one for one in bench.model.requests if not one.messages[-1].text.endswith(SIGN)]
        told[-1].append([bench.model.wire(one).digest for one in own])
        path = await bench.world.store.path("talk")
        assert len(path) == 2 * len(turns), "nothing of a side question is in the chat"
    assert told[0] == told[1]


@pytest.mark.parametrize("layout", ["layered", "append_only"])
@in_loop
async def test_a_server_gets_the_same_bytes_with_and_without_it(layout: Any):
    """The recording server is the witness: the real adapter writes what it is given."""
    bodies = []
    for sides in (False, True):
        async with RecordingServer(OpenAiWire()) as server:
            bench = fake_bench(builder=fake_builder(CACHING), models=FakeModels(server.model()))
            await bench.start("talk", replace(SETTINGS, model=CACHING.name, layout=layout))
            for words_of_turn in ("How many?", "Sure?"):
                await bench.do(SendMessage("talk", words_of_turn))
                if sides:
                    await bench.do(ASIDE)
            await bench.do(SendMessage("talk", "And now?"))
            await bench.workbench.close()
        bodies.append([one for one in server.bodies if ASIDE.text.encode() not in one])
        assert len(server.bodies) == (5 if sides else 3)
    assert bodies[0] == bodies[1]


@in_calm_loop
async def test_it_has_the_chats_beginning_and_leaves_the_chat_as_it_was():
    bench = fake_bench(words("Seven."), words("A lock is a lock."), words("Yes."))
    await bench.start()
    await bench.do(SendMessage("talk", "How many?"))
    await bench.workbench.dispatch(EditDraft("talk", ASIDE.text))
    await bench.do(replace(ASIDE, drafted=True))
    assert sent(bench) == [*sent(bench, 0), ("assistant", "Seven."), ("user", ASIDE.text)]
    state = bench.workbench.state.open["talk"]
    (side,) = state.sides
    assert (side.question, side.answer, side.problem) == (ASIDE.text, "A lock is a lock.", "")
    assert side.model == SETTINGS.model
    assert (state.draft, state.running, len(state.records), len(state.turns)) == ("", None, 2, 1)
    assert state.chat.title == "How many?"
    assert await bench.world.store.draft("talk") == ""
    await bench.do(SendMessage("talk", "Sure?"))
    assert sent(bench) == [*sent(bench, 0), ("assistant", "Seven."), ("user", "Sure?")]


@in_calm_loop
async def test_the_next_forecast_knows_what_it_left_in_the_cache():
    """Its request holds the answer before it, which the turn's own did not: the next one is served that, too."""
    model = replace(SETTINGS, model=CACHING.name, system_prompt="word " * 2000)
    answers = (words("answer " * 800), words("A lock."), words("Yes."))
    bench = fake_bench(*answers, builder=fake_builder(CACHING))
    await bench.start("talk", model)
    await bench.do(SendMessage("talk", "How many?"))
    await bench.calm()
    before = bench.workbench.state.open["talk"].prepared
    await bench.do(ASIDE)
    await bench.calm()
    after = bench.workbench.state.open["talk"].prepared
    assert before is not None
    assert after is not None
    assert before.forecast is not None
    assert after.forecast is not None
    assert before.built.envelope.messages[0].content == after.built.envelope.messages[0].content
    assert after.forecast.predicted_read_tokens > before.forecast.predicted_read_tokens


@in_calm_loop
async def test_one_at_a_time_and_its_words_stay_where_they_were_written():
    bench = fake_bench([TextGrew("So"), Forever()], words("x"))
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", "How many?"))
    await until(lambda: bool(bench.told(AnswerGrew)))
    await bench.workbench.dispatch(EditDraft("talk", ASIDE.text))
    with pytest.raises(TurnRunning, match="still arriving"):
        await bench.workbench.dispatch(replace(ASIDE, drafted=True))
    assert bench.workbench.state.open["talk"].draft == ASIDE.text
    await bench.workbench.dispatch(StopTurn("talk"))
    await bench.workbench.until_ended("talk")


@in_calm_loop
async def test_over_the_limit_nothing_is_sent_and_the_words_come_back():
    bench = fake_bench(words("x"))
    await bench.start("talk", replace(SETTINGS, context_window=60, reserved_output_tokens=10))
    long = "word " * 200
    await bench.workbench.dispatch(EditDraft("talk", long))
    ended = await bench.do(replace(ASIDE, text=long, drafted=True))
    assert ended.outcome.failure is not None
    assert not bench.model.requests
    state = bench.workbench.state.open["talk"]
    assert (state.draft, state.sides, state.ended) == (long, (), None)
    assert "The side question was not answered; the chat is as it was." in bench.told(NoticeGiven)[-1].text


@in_calm_loop
async def test_a_failure_is_said_and_what_arrived_is_kept():
    lost = Failure("network", "You are offline.")
    bench = fake_bench([TextGrew("A lo"), lost])
    await bench.start()
    await bench.do(ASIDE)
    (side,) = bench.workbench.state.open["talk"].sides
    assert (side.answer, side.problem) == ("A lo", "You are offline.")
    assert "You are offline." in bench.told(NoticeGiven)[-1].text
    assert await bench.world.store.path("talk") == ()


@in_calm_loop
async def test_no_tool_is_run_for_it():
    box = FakeToolbox()
    name = box.tools[0].definition.name
    bench = fake_bench(calls((name, "{}")), words("Without it, then."), toolbox=box)
    await bench.start("talk", replace(SETTINGS, tools=tuple(one.definition for one in box.tools)))
    await bench.do(ASIDE)
    assert bench.workbench.state.open["talk"].sides[0].answer == "Without it, then."
    assert await bench.world.store.path("talk") == ()


@in_calm_loop
async def test_it_is_made_a_turn_and_leaves_the_list():
    bench = fake_bench(words("Seven."), words("A lock."), words("Yes."))
    await bench.start()
    await bench.do(SendMessage("talk", "How many?"))
    await bench.do(ASIDE)
    (side,) = bench.workbench.state.open["talk"].sides
    await bench.workbench.dispatch(MakeSideTurn("talk", side.id))
    state = bench.workbench.state.open["talk"]
    assert [text for _, text, _ in await bench.texts()][2:] == [ASIDE.text, "A lock."]
    assert (state.sides, [turn.number for turn in state.turns]) == ((), [1, 2])
    assert state.turns[1].model == state.turns[0].model, "it is signed with who answered"
    await bench.do(SendMessage("talk", "Sure?"))
    assert [text for _, text in sent(bench)][-3:] == [ASIDE.text, "A lock.", "Sure?"]


@in_calm_loop
async def test_it_is_there_in_another_session_for_thirty_days():
    bench = fake_bench(words("Seven."), words("A lock."))
    await bench.start()
    await bench.do(SendMessage("talk", "How many?"))
    await bench.do(ASIDE)
    world = replace(bench.world, sides={})
    again = Workbench(world)
    await again.dispatch(OpenChat("talk"))
    state = again.state.open["talk"]
    assert [one.question for one in state.sides] == [ASIDE.text]
    assert state.conversation.beside is not None, "the forecast of the next request knows it"
    old = replace(state.sides[0], asked_utc="2025-11-01T00:00:00Z")
    await world.store.save_sides("talk", (state.sides[0], old))
    assert await kept_sides("talk", world, await world.store.sides("talk")) == state.sides
    assert is_old(old, "2026-01-01T00:00:00Z")
    assert not is_old(SideQuestion("s", "", "", "?", "m"), "2026-01-01T00:00:00Z")
    assert KEPT_DAYS == 30
