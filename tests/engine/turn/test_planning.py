"""Answered again, asked in other words, continued: what a turn then stands on, and that nothing before it is lost."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.chat_model import FakeModel, FakeModels, Forever, Step, calls, words
from tests.fakes.engine import SETTINGS, Bench, TickingUtc, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.loop import in_calm_loop
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact, fake_builder
from workbench.context.cache.forecast import MOST_HELD
from workbench.domain.answer import Failure, Finished, TextGrew
from workbench.domain.errors import NotKept
from workbench.domain.message import Image, Message
from workbench.domain.parameters import Parameters
from workbench.engine.events import TurnBegan
from workbench.engine.intents import (
    AttachArtifact,
    ChangeSettings,
    ContinueAnswer,
    EditDraft,
    EditQuestion,
    RegenerateAnswer,
    SendMessage,
    StopTurn,
)
from workbench.engine.turn.planning import NothingToContinue

ASK = SendMessage("talk", "Tell me.")
LOST = Failure("network", "The connection was lost.")
CUT: list[Step] = [TextGrew("Once upon"), LOST]


async def begun(*answers: list[Step], ask: SendMessage = ASK, **changes: object) -> Bench:
    bench = fake_bench(*answers, **changes)
    await bench.start()
    await bench.do(ask)
    return bench


async def ids(bench: Bench) -> list[str]:
    return [record.id for record in await bench.world.store.path("talk")]


def sent(bench: Bench, number: int = -1) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in bench.model.requests[number].messages]


@in_calm_loop
async def test_another_answer_stands_beside_the_first_and_both_turns_are_kept():
    bench = await begun(words("One."), words("Two."))
    question, first = await ids(bench)
    await bench.do(RegenerateAnswer("talk", question))
    second = (await ids(bench))[-1]
    versions = await bench.world.store.siblings("talk", first)
    assert [record.id for record in versions] == [first, second]
    turns = await bench.world.store.turns("talk")
    assert [(turn.number, turn.question, turn.reply, turn.state) for turn in turns] == [
        (1, question, first, "complete"), (1, question, second, "complete"),
    ]  # fmt: skip
    assert sent(bench, 0) == sent(bench, 1)
    assert [text for _, text, _ in await bench.texts()] == ["Tell me.", "Two."]


@in_calm_loop
async def test_an_earlier_question_is_answered_again_without_what_came_after():
    bench = await begun(words("One."), words("More."), words("Other."))
    question = (await ids(bench))[0]
    await bench.do(SendMessage("talk", "And?"))
    await bench.do(RegenerateAnswer("talk", question))
    assert sent(bench) == [("system", "Be kind."), ("user", "Tell me.")]
    assert [text for _, text, _ in await bench.texts()] == ["Tell me.", "Other."]
    assert len((await bench.world.store.archive("talk")).records) == 5


@in_calm_loop
async def test_what_is_attached_now_is_used_when_it_is_answered_again():
    bench = await begun()
    question = (await ids(bench))[0]
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Alpha.")))
    await bench.do(RegenerateAnswer("talk", question))
    assert "Alpha." in sent(bench)[-1][1]


@in_calm_loop
async def test_a_question_in_other_words_is_a_branch():
    picture = Image("digest", tokens=5)
    bench = await begun(words("One."), words("Two."), ask=replace(ASK, images=(picture,)))
    question, answer = await ids(bench)
    await bench.do(EditQuestion("talk", question, "Tell me more."))
    edited, other = await ids(bench)
    assert [text for _, text, _ in await bench.texts()] == ["Tell me more.", "Two."]
    assert [record.id for record in await bench.world.store.siblings("talk", question)] == [question, edited]
    assert [record.id for record in await bench.world.store.path("talk", answer)] == [question, answer]
    entry = (await bench.world.store.path("talk", other))[0].entry
    assert isinstance(entry, Message)
    assert entry.images == (picture,)


@pytest.mark.parametrize("intent", [RegenerateAnswer("talk", "?"), EditQuestion("talk", "?", "x")])
def test_only_a_question_that_is_there_is_asked_again(intent: RegenerateAnswer | EditQuestion):
    @in_calm_loop
    async def turn() -> None:
        bench = await begun(words("One."), words("Two."))
        question, answer = await ids(bench)
        await bench.do(SendMessage("talk", "And?"))
        later = (await ids(bench))[2]
        with pytest.raises(NotKept):
            await bench.workbench.dispatch(replace(intent, question=answer))
        # Of a deleted message the store finds the one before it, which is not what was meant.
        await bench.world.store.delete_message("talk", answer, "2026-01-01T00:00:00Z")
        await bench.world.store.delete_message("talk", later, "2026-01-01T00:00:00Z")
        for gone in (later, "never"):
            with pytest.raises(NotKept):
                await bench.workbench.dispatch(replace(intent, question=gone))
        assert (await bench.do(RegenerateAnswer("talk", question))).outcome.state == "complete"

    turn()


@in_calm_loop
async def test_a_model_that_can_goes_on_from_the_beginning_of_its_answer():
    able = FakeModel([CUT, words(" a time.")], refine=lambda card: replace(card, prefill=True))
    bench = await begun(models=FakeModels(able))
    question, cut = await ids(bench)
    end = await bench.do(ContinueAnswer("talk", cut))
    assert (end.outcome.state, end.outcome.answer) == ("complete", "Once upon a time.")
    assert sent(bench) == [("system", "Be kind."), ("user", "Tell me."), ("assistant", "Once upon")]
    assert await bench.texts() == [
        ("user", "Tell me.", "complete"), ("assistant", "Once upon a time.", "complete"),
    ]  # fmt: skip
    whole = (await ids(bench))[-1]
    assert [one.id for one in await bench.world.store.siblings("talk", cut)] == [cut, whole]
    assert bench.told(TurnBegan)[-1] == TurnBegan("talk", 1, question, "Once upon")


@in_calm_loop
async def test_another_model_is_asked_to_go_on():
    bench = await begun(CUT, words(" a time."))
    end = await bench.do(ContinueAnswer("talk", (await ids(bench))[-1]))
    assert end.outcome.answer == "Once upon a time."
    *_, begun_with, word = sent(bench)
    assert begun_with == ("assistant", "Once upon")
    assert word[0] == "user"
    assert word[1].startswith("Go on with your last answer exactly where it stops.")
    # The word is ours: it is in no history, and in no later request.
    await bench.do(SendMessage("talk", "And?"))
    assert sent(bench)[1:] == [
        ("user", "Tell me."), ("assistant", "Once upon a time."), ("user", "And?"),
    ]  # fmt: skip


@in_calm_loop
async def test_a_continuation_that_fails_at_once_leaves_the_cut_answer_where_it_is():
    bench = await begun(CUT, [LOST], words(" a time."))
    cut = (await ids(bench))[-1]
    end = await bench.do(ContinueAnswer("talk", cut))
    assert (end.outcome.state, (await ids(bench))[-1]) == ("failed", cut)
    assert len((await bench.world.store.archive("talk")).records) == 2
    end = await bench.do(ContinueAnswer("talk", cut))
    assert end.outcome.answer == "Once upon a time."


@in_calm_loop
async def test_a_continuation_that_is_cut_again_can_be_continued():
    bench = await begun(CUT, [TextGrew(" a"), LOST], words(" time."))
    await bench.do(ContinueAnswer("talk", (await ids(bench))[-1]))
    end = await bench.do(ContinueAnswer("talk", (await ids(bench))[-1]))
    assert end.outcome.answer == "Once upon a time."


async def cut_after_tools(*answers: list[Step], **changes: object) -> Bench:
    box = FakeToolbox({"a.md": "Alpha."})
    bench = fake_bench(calls(("read", '{"path": "a.md"}')), *answers, toolbox=box, **changes)
    await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
    await bench.do(ASK)
    return bench


@in_calm_loop
async def test_what_the_tools_gave_back_goes_along():
    bench = await cut_after_tools(CUT, words(" a time."))
    *_, result, cut = await ids(bench)
    end = await bench.do(ContinueAnswer("talk", cut))
    assert end.outcome.answer == "Once upon a time."
    roles = [role for role, _ in sent(bench)]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    path = await bench.world.store.path("talk")
    assert (path[-1].parent, [role for role, _, _ in await bench.texts()]) == (
        result, ["user", "assistant", "tool", "assistant"],
    )  # fmt: skip


@in_calm_loop
async def test_tools_called_in_a_continuation_are_answered_once_and_in_order():
    """The beginning of the answer must not be sent a second time after what the tools gave back."""
    bench = await cut_after_tools(CUT, calls(("read", '{"path": "a.md"}')), words("So."))
    await bench.do(ContinueAnswer("talk", (await ids(bench))[-1]))
    assert [(role, text) for role, text in sent(bench)[2:]] == [
        ("assistant", ""), ("tool", "Alpha."), ("assistant", "Once upon"), ("tool", "Alpha."),
    ]  # fmt: skip


@in_calm_loop
async def test_a_turn_that_ended_after_its_tools_goes_on_from_their_results():
    bench = await cut_after_tools([LOST], words("So it is."))
    result = (await ids(bench))[-1]
    end = await bench.do(ContinueAnswer("talk", result))
    assert end.outcome.answer == "So it is."
    assert [role for role, _ in sent(bench)] == ["system", "user", "assistant", "tool"]
    assert (await bench.world.store.path("talk"))[-1].parent == result


@in_calm_loop
async def test_an_answer_that_only_reached_its_limit_can_be_continued():
    bench = await begun([TextGrew("Long"), Finished("length")], words(" and longer."))
    end = await bench.do(ContinueAnswer("talk", (await ids(bench))[-1]))
    assert end.outcome.answer == "Long and longer."


@in_calm_loop
async def test_to_go_on_with_an_answer_the_turns_before_it_are_not_read():
    """Every request of the chat was decoded to learn how the last one ended."""
    store = FragileHistory()
    long: list[Step] = [TextGrew("Long"), Finished("length")]
    bench = await begun(words("One."), words("Two."), long, words(" and longer."), store=store)
    for question in ("And?", "Then?"):
        await bench.do(SendMessage("talk", question))
    answer = (await ids(bench))[-1]
    await bench.calm()
    store.calls.clear()
    store.lines_read.clear()
    await bench.workbench.dispatch(ContinueAnswer("talk", answer))
    assert (store.lines_read[:1], store.calls.count("turns")) == ([1], 0)
    await bench.workbench.until_ended("talk")
    assert store.lines_read == [1, MOST_HELD, 1], "the last one for the list, since it is new"
    assert (await bench.texts())[-1][1] == "Long and longer."


@in_calm_loop
async def test_each_answer_is_judged_by_its_own_turn():
    bench = await begun([TextGrew("Long"), Finished("length")], words("Short."), words(" enough."))
    question, long = await ids(bench)
    await bench.do(RegenerateAnswer("talk", question))
    with pytest.raises(NothingToContinue):
        await bench.workbench.dispatch(ContinueAnswer("talk", (await ids(bench))[-1]))
    end = await bench.do(ContinueAnswer("talk", long))
    assert end.outcome.answer == "Long enough."


@in_calm_loop
async def test_a_whole_answer_and_a_question_have_nothing_to_go_on_with():
    bench = await begun(words("One."))
    for message in await ids(bench):
        with pytest.raises(NothingToContinue):
            await bench.workbench.dispatch(ContinueAnswer("talk", message))
    with pytest.raises(NotKept):
        await bench.workbench.dispatch(ContinueAnswer("talk", "never"))
    # Refused, it leaves the chat free.
    assert (await bench.do(ASK)).outcome.state == "complete"


class JumpingUtc(TickingUtc):
    """A clock that somebody can put forward."""

    def __init__(self) -> None:
        super().__init__()
        self.hours = 0

    def utc_now(self) -> str:
        """The moment."""
        return super().utc_now().replace("T00:", f"T{self.hours:02}:")


@in_calm_loop
@pytest.mark.parametrize(
    "again",
    ["answered again", "continued", "after another pause", "with another file", "with another temperature"],
)
async def test_a_log_that_was_begun_anew_is_what_another_answer_goes_on_from(again: str):
    """It went on from the log before that one, which no cache held any more: all of it was read once more."""
    cached = replace(WORD_MODEL, cache_rules="openai", context_window_tokens=8_000)
    settings = replace(SETTINGS, layout="append_only")
    answers: list[list[Step]] = [words("One."), CUT, words("Three.")]
    bench = fake_bench(*answers, builder=fake_builder(cached), utc=JumpingUtc())
    await bench.start(settings=settings)
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.md", "Alpha. " * 20)))
    await bench.do(ASK)
    assert isinstance(bench.world.utc, JumpingUtc)
    bench.world.utc.hours = 1
    await bench.do(SendMessage("talk", "And now?"))
    *_, question, answer = await ids(bench)
    if again == "after another pause":
        bench.world.utc.hours = 2
    if again == "with another temperature":
        warmer = replace(settings, parameters=Parameters(temperature=1.5))
        await bench.workbench.dispatch(ChangeSettings("talk", warmer))
    if again == "with another file":
        await bench.workbench.dispatch(AttachArtifact("talk", artifact("b.md", "Beta.")))
    await bench.do(
        ContinueAnswer("talk", answer) if again == "continued" else RegenerateAnswer("talk", question)
    )
    first, second, third = (turn.built.envelope for turn in await bench.world.store.turns("talk"))
    assert (first.rebuilt, second.rebuilt) == ("first", "cold")
    assert sent(bench, 1)[1][1].startswith("Context library")
    if again == "with another file":
        assert "Beta." in sent(bench)[-1][1]
        return
    assert sent(bench, 2)[: len(sent(bench, 1))] == sent(bench, 1)
    assert third.rebuilt == "cold"


@in_calm_loop
async def test_the_next_question_takes_the_place_of_one_that_failed():
    bench = await begun(words("One."), [LOST], words("Three."))
    await bench.do(SendMessage("talk", "Two?"))
    failed = (await ids(bench))[-1]
    await bench.do(SendMessage("talk", "Three?"))
    assert sent(bench) == [
        ("system", "Be kind."), ("user", "Tell me."), ("assistant", "One."), ("user", "Three?"),
    ]  # fmt: skip
    assert [text for _, text, _ in await bench.texts()] == ["Tell me.", "One.", "Three?", "Three."]
    versions = await bench.world.store.siblings("talk", failed)
    assert [record.entry.text for record in versions if isinstance(record.entry, Message)] == [
        "Two?",
        "Three?",
    ]


@in_calm_loop
async def test_the_very_first_question_may_fail_too():
    bench = await begun([LOST], words("Two."))
    await bench.do(SendMessage("talk", "Again?"))
    assert sent(bench) == [("system", "Be kind."), ("user", "Again?")]


@in_calm_loop
async def test_the_request_shown_after_a_failure_is_the_one_that_is_sent_next():
    bench = await begun(words("One."), [LOST], words("Three."))
    await bench.do(SendMessage("talk", "Two?"))
    await bench.workbench.dispatch(EditDraft("talk", "Three?"))
    await bench.calm()
    prepared = bench.workbench.state.open["talk"].prepared
    assert prepared is not None
    await bench.do(SendMessage("talk", "Three?"))
    assert sent(bench) == [(message.role, message.content) for message in prepared.built.envelope.messages]


@in_calm_loop
async def test_a_log_goes_on_from_the_last_request_that_was_answered():
    settings = replace(SETTINGS, layout="append_only")
    bench = fake_bench(words("One."), [LOST], words("Three."))
    await bench.start(settings=settings)
    await bench.do(ASK)
    await bench.workbench.dispatch(AttachArtifact("talk", artifact("a.py", "print(1)")))
    await bench.do(SendMessage("talk", "Two?"))
    await bench.do(SendMessage("talk", "Three?"))
    first, _, third = ([(one.role, one.text) for one in request.messages] for request in bench.model.requests)
    assert third[: len(first)] == first
    assert third[len(first)] == ("assistant", "One.")
    assert len(third) == len(first) + 2
    assert "print(1)" in third[-1][1]
    assert "Two?" not in third[-1][1]


@in_calm_loop
async def test_a_question_that_was_stopped_was_meant_and_goes_along_with_the_next():
    bench = await begun(words("One."), [Forever()], words("Three."))
    await bench.workbench.dispatch(SendMessage("talk", "Two?"))
    async with asyncio.timeout(20):
        while len(bench.model.requests) < 2:  # noqa: ASYNC110  (only the model knows that it was asked)
            await asyncio.sleep(0.001)
    await bench.workbench.dispatch(StopTurn("talk"))
    await bench.workbench.until_ended("talk")
    await bench.do(SendMessage("talk", "Three?"))
    assert [text for role, text in sent(bench) if role == "user"] == ["Tell me.", "Two?", "Three?"]
