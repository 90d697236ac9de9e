"""A request is the same wherever it is built; what takes long is built beside the loop."""

from __future__ import annotations

from dataclasses import replace
from threading import current_thread, main_thread
from typing import Any

import pytest
from hypothesis import given, settings

from tests.fakes.catalogue import WORD_MODEL, FakeCatalogue
from tests.fakes.clock import SteppingClock
from tests.fakes.effort import tries
from tests.fakes.loop import in_calm_loop, in_loop
from tests.fakes.meter import SERVED_MODEL
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import RENDERERS, artifact, assistant, fake_builder, result, shelved, user
from tests.trajectories.strategies import trajectories
from tests.trajectories.support import builder as real_builder
from workbench.cli.replay.trajectory import parse_trajectory
from workbench.context.clean.neutralise import Neutraliser
from workbench.domain.caching import ChatFraming
from workbench.domain.chunk import AgentChunk
from workbench.domain.message import Message
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.turn import TurnInputs
from workbench.engine.assembly.building import (
    is_much_longer,
    prepare_in_thread,
    prepare_nonblocking,
    takes_long,
)
from workbench.engine.assembly.counters import Counters
from workbench.engine.assembly.prepare import Ask, Builder, Prepared, prepare_turn
from workbench.engine.conversation import Conversation, after_turn
from workbench.engine.replay import play_turn, start

SETTINGS = ContextSettings(model="word-1", context_window=10**7)
ASK = Ask(SETTINGS, user("q", "why"))
LINE = "ten words are in this line, and no more of\n"
LONG = LINE * 2_000
HUGE = LINE * 40_000


def report(prepared: Prepared) -> dict[str, Any]:
    return replace(prepared, build_ms={}).report


def builder_with(tokenizer: WordTokenizer) -> Builder:
    return Builder(FakeCatalogue(), Counters(lambda name: tokenizer), SteppingClock(), RENDERERS)


def built(conversation: Conversation, ask: Ask = ASK) -> Prepared:
    return prepare_turn(conversation, ask, fake_builder())


@settings(max_examples=tries(60))
@given(trajectories())
def test_a_request_built_beside_the_loop_is_the_one_built_in_it(document: dict[str, Any]):
    @in_loop
    async def play() -> None:
        builder = real_builder()
        trajectory = parse_trajectory(document)
        conversation = start(trajectory)
        for turn in trajectory.turns:
            conversation, prepared = play_turn(conversation, turn, builder)
            ask = Ask(turn.settings, turn.question, turn.now)
            beside = await prepare_in_thread(conversation, ask, builder)
            assert report(beside) == report(prepared)
            assert (beside.previous, beside.forecast) == (prepared.previous, prepared.forecast)
            conversation = after_turn(conversation, prepared.built, turn.reply)

    play()


@in_calm_loop
async def test_what_is_counted_beside_the_loop_is_known_in_it_and_kept():
    tokenizer = WordTokenizer()
    builder = builder_with(tokenizer)
    conversation = Conversation("talk", attached=(artifact("a", LONG),))
    beside = await prepare_in_thread(conversation, ASK, builder)
    tokenizer.asked.clear()
    inside = prepare_turn(conversation, ASK, builder)
    assert max(map(len, tokenizer.asked), default=0) < 1000
    assert report(inside) == report(beside)
    assert len(builder.counters.take_new()["words"]) > 3


@in_calm_loop
async def test_a_secret_is_hidden_beside_the_loop_too():
    builder = fake_builder()
    builder.neutraliser.hide("sk-very-secret")
    conversation = Conversation("talk", attached=(artifact("a", "My key is sk-very-secret."),))
    beside = await prepare_in_thread(conversation, ASK, builder)
    assert "sk-very-secret" not in str(beside.report["messages"])
    assert report(beside) == report(prepare_turn(conversation, ASK, builder))


class Watched(Neutraliser):
    """Notes in which threads it is used."""

    def __init__(self) -> None:
        super().__init__()
        self.in_loop: set[bool] = set()

    def apply(self, inputs: TurnInputs) -> tuple[TurnInputs, tuple[str, ...]]:
        self.in_loop.add(current_thread() is main_thread())
        return super().apply(inputs)


@in_calm_loop
async def test_what_the_loop_remembers_is_not_touched_beside_it():
    """Its neutraliser remembers the last turn: shared, it could put one chat's text into another's request."""
    watched = Watched()
    builder = replace(fake_builder(), neutraliser=watched)
    await prepare_in_thread(Conversation("talk"), ASK, builder)
    assert watched.in_loop == set()


@in_calm_loop
async def test_what_was_compacted_beside_the_loop_is_known_in_it():
    builder = fake_builder()
    await prepare_in_thread(Conversation("talk", library=(shelved(artifact("a", LONG)),)), ASK, builder)
    assert builder.thread.memory.texts is builder.memory.texts


@in_calm_loop
async def test_what_a_server_must_be_asked_about_is_missed_in_the_loop_too():
    """Or a request that was built beside the loop would stay an estimate for ever."""
    builder = fake_builder(SERVED_MODEL)
    counter = builder.counters.served(SERVED_MODEL)
    assert counter is not None
    counter.frame(ChatFraming((("user", "<u>"),), (("user", "<e>"),), "", "<a>", ("<u>", "<e>")))
    ask = Ask(ContextSettings(model="served-1"), user("q", "never seen"))
    beside = await prepare_in_thread(Conversation("talk"), ask, builder)
    assert not beside.built.envelope.exact
    assert any("never seen" in text for text in counter.missing())
    counter.learn(dict.fromkeys(counter.missing(), 5))
    known = await prepare_in_thread(Conversation("talk"), ask, builder)
    assert known.built.envelope.exact
    assert report(known) == report(prepare_turn(Conversation("talk"), ask, builder))


class Where(WordTokenizer):
    """Notes whether it is asked in the loop's own thread."""

    def __init__(self) -> None:
        super().__init__()
        self.in_loop: set[bool] = set()

    def count(self, text: str) -> int:
        self.in_loop.add(current_thread() is main_thread())
        return super().count(text)


@pytest.mark.parametrize(("text", "in_loop"), [("short", True), (LONG, False)])
def test_little_is_counted_in_the_loop_and_much_beside_it(text: str, in_loop: bool):
    @in_calm_loop
    async def build() -> None:
        tokenizer = Where()
        conversation = Conversation("talk", attached=(artifact("a", text),))
        calm = await prepare_nonblocking(conversation, ASK, builder_with(tokenizer))
        assert tokenizer.in_loop == {in_loop}
        assert report(calm) == report(built(conversation))

    build()


@pytest.mark.parametrize(
    "conversation",
    [
        Conversation("talk", attached=(artifact("a", LONG),)),
        Conversation("talk", history=(user("u", LONG), assistant("m"))),
        Conversation("talk", history=(AgentChunk("c", LONG, "assistant"),)),
        Conversation("talk", history=tuple(user(f"u{n}", LINE) for n in range(1000))),
    ],
)
def test_much_that_is_new_takes_long_and_what_is_known_does_not(conversation: Conversation):
    assert takes_long(conversation, ASK, None)
    last = built(conversation)
    assert not takes_long(conversation, ASK, last)
    copied = Conversation(
        "talk", attached=conversation.attached, history=(*conversation.history, user("new"))
    )
    assert not takes_long(copied, ASK, last)


def test_little_takes_no_time():
    assert not takes_long(Conversation("talk", attached=(artifact("a"),)), ASK, None)


def test_what_was_attached_and_is_in_the_library_now_is_not_new():
    conversation = Conversation("talk", attached=(artifact("a", LONG),))
    last = built(conversation)
    after = after_turn(conversation, last.built, [assistant("m")])
    assert not takes_long(after, ASK, last)
    detached = replace(after, attached=())
    assert not takes_long(detached, ASK, last)
    edited = replace(after, attached=(artifact("a", LONG + "more"),))
    assert takes_long(edited, ASK, last)


def test_another_model_or_counter_counts_everything_anew():
    conversation = Conversation("talk", attached=(artifact("a", LONG),))
    last = built(conversation)
    assert takes_long(conversation, replace(ASK, settings=replace(SETTINGS, model="other")), last)
    assert takes_long(conversation, replace(ASK, settings=replace(SETTINGS, counter="rfc")), last)
    card = replace(WORD_MODEL, tokenizer="other")
    assert takes_long(conversation, replace(ASK, card=card), last)
    assert not takes_long(conversation, replace(ASK, card=WORD_MODEL), last)


def test_so_much_that_going_through_it_takes_long_is_never_built_in_the_loop():
    conversation = Conversation("talk", attached=(artifact("a", HUGE),))
    assert takes_long(conversation, ASK, built(conversation))


def test_results_of_tools_in_this_turn_count_too():
    rounds = (assistant("m", "", "c"), result("r", "c", LONG))
    assert takes_long(Conversation("talk"), replace(ASK, rounds=rounds), built(Conversation("talk")))


def test_a_large_paste_is_noticed():
    last = built(Conversation("talk"))
    pasted = Ask(SETTINGS, Message("q", "user", (LONG,)))
    assert is_much_longer(pasted, last)
    assert is_much_longer(pasted, None)
    assert not is_much_longer(Ask(SETTINGS, user("q", "why not")), last)
    assert not is_much_longer(pasted, built(Conversation("talk"), pasted))
    assert not is_much_longer(Ask(SETTINGS), last)
