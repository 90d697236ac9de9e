"""A turn in the store, from its question to its end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.chat_model import Step, calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.kept_turns import bytes_of
from tests.fakes.loop import in_calm_loop
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import artifact
from workbench.domain.answer import Failure, Finished, TextGrew, ThinkingGrew, UsageReported
from workbench.domain.message import Message, Thought
from workbench.domain.record import TurnRecord
from workbench.domain.usage import Usage
from workbench.engine.events import EnvelopeBuilt
from workbench.engine.intents import AttachArtifact, RegenerateAnswer, SendMessage

ASK = SendMessage("talk", "Well?")


async def asked(bench: Bench, *intents: object) -> TurnRecord:
    await bench.start()
    for intent in (*intents, ASK):
        if intent is ASK:
            await bench.do(ASK)
        else:
            await bench.workbench.dispatch(intent)  # type: ignore[arg-type]
    turn = await bench.world.store.last_turn("talk")
    assert turn is not None
    return turn


@in_calm_loop
async def test_the_request_is_kept_as_it_was_sent_and_what_follows_from_it():
    bench = fake_bench()
    turn = await asked(bench, AttachArtifact("talk", artifact("a.md", "Alpha.")))
    sent = next(event.prepared for event in bench.told(EnvelopeBuilt))
    assert bytes_of(turn.built) == bytes_of(sent.built)
    assert [entry.key for entry in turn.after.library] == ["a.md"]
    question, answer = await bench.world.store.path("talk")
    assert (question.attached, answer.parent) == (("a.md",), question.id)
    assert (turn.question, turn.reply, turn.parent) == (question.id, answer.id, None)
    assert turn.started_utc < (turn.finished_utc or "")


@in_calm_loop
async def test_of_a_turn_with_tools_the_last_request_is_kept_and_the_first_message_is_its_reply():
    box = FakeToolbox({"a.md": "Alpha."})
    bench = fake_bench(calls(("read", '{"path": "a.md"}')), words("So."), toolbox=box)
    await bench.start(settings=replace(SETTINGS, tools=(box.tools[0].definition,)))
    await bench.do(ASK)
    turn = await bench.world.store.last_turn("talk")
    assert turn is not None
    assert [message.role for message in turn.built.envelope.messages] == [
        "system", "user", "assistant", "tool",
    ]  # fmt: skip
    path = await bench.world.store.path("talk")
    assert turn.reply == path[1].id
    assert len(turn.built.inputs.rounds) == 2


@in_calm_loop
async def test_thoughts_are_kept_with_the_answer():
    bench = fake_bench([ThinkingGrew("hm", "signed"), TextGrew("Yes."), Finished("stop")])
    await asked(bench)
    entry = (await bench.world.store.path("talk"))[-1].entry
    assert isinstance(entry, Message)
    assert entry.thinking == (Thought("hm", "signed"),)


@pytest.mark.parametrize("answer", [[Failure("network", "Lost.")], [Failure("auth", "No key.")]])
def test_a_question_without_an_answer_is_kept_and_can_be_answered_later(answer: list[Step]):
    @in_calm_loop
    async def turn() -> None:
        bench = fake_bench(answer, words("Now."))
        failed = await asked(bench)
        assert (failed.state, failed.reply, len(await bench.texts())) == ("failed", None, 1)
        await bench.do(RegenerateAnswer("talk", failed.question or ""))
        assert [text for _, text, _ in await bench.texts()] == ["Well?", "Now."]

    turn()


@in_calm_loop
async def test_what_was_used_is_kept_in_the_names_of_the_contract():
    bench = fake_bench([UsageReported(Usage(12, 3, None, 4)), *words("Yes.")])
    turn = await asked(bench)
    usage = dict(turn.usage or {})
    assert set(usage.pop("timings_ms")) == {"build", "first_token", "total"}
    assert usage.pop("request")["model"] == SETTINGS.model
    assert usage == {
        "prompt_tokens": 12, "cached_tokens": 3, "completion_tokens": 4, "finish_reason": "stop",
    }  # fmt: skip
