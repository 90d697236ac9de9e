"""Tool loops: native messages, results in order, one request that extends the other, and where it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from tests.fakes.chat_model import FakeModel, FakeModels, Forever, Step, calls, words
from tests.fakes.engine import SETTINGS, Bench, fake_bench
from tests.fakes.fragile_history import FragileHistory
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_calm_loop, until
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import word_counter
from workbench.context.compare import compare
from workbench.domain.answer import (
    AnswerPart,
    CallMade,
    Failure,
    Finished,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.message import Message, Thought, ToolCall
from workbench.domain.request import ModelRequest
from workbench.domain.usage import Usage
from workbench.engine.events import AnswerGrew, EnvelopeBuilt, ToolRan, TurnEnded
from workbench.engine.intents import SendMessage
from workbench.engine.tasks import Tasks
from workbench.engine.world import Limits

ASK = SendMessage("talk", "Compare them.")
FILES = {"a.md": "Alpha.", "b.md": "Beta."}
READ_A, READ_B = ("read", '{"path": "a.md"}'), ("read", '{"path": "b.md"}')
LOST = Failure("network", "The connection was lost.")


async def ready(*answers: list[Step], **changes: object) -> Bench:
    box = FakeToolbox(dict(FILES))
    bench = fake_bench(*answers, **{"toolbox": box, **changes})
    await bench.start(settings=replace(SETTINGS, tools=tuple(tool.definition for tool in box.tools)))
    return bench


def wire(bench: Bench, number: int) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in bench.model.requests[number].messages]


@in_calm_loop
async def test_calls_and_results_go_back_as_native_messages_in_order():
    made = [TextGrew("Let me look."), *calls(READ_B, READ_A)]
    bench = await ready(made, words("Both."))
    end = await bench.do(ASK)
    assert (end.outcome.state, end.outcome.answer) == ("complete", "Both.")
    assert wire(bench, 1) == [
        ("system", "Be kind."), ("user", "Compare them."), ("assistant", "Let me look."),
        ("tool", "Beta."), ("tool", "Alpha."),
    ]  # fmt: skip
    *_, asked, first, second = bench.model.requests[1].messages
    assert [call.id for call in asked.tool_calls] == ["c1", "c2"]
    assert (first.tool_call_id, second.tool_call_id) == ("c1", "c2")
    assert [role for role, _, _ in await bench.texts()] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [event.call.id for event in bench.told(ToolRan)] == ["c1", "c2"]


@in_calm_loop
async def test_the_second_request_goes_on_where_the_first_ended():
    """A provider keeps what it has read: were the rounds placed before the question, all of it would be read again."""
    bench = await ready(calls(READ_A), words("So."))
    await bench.do(ASK)
    first, second = (event.prepared.built for event in bench.told(EnvelopeBuilt))
    assert compare(first, second, word_counter()).change == "extended"
    before, after = (request.messages for request in bench.model.requests)
    assert [(m.role, m.text) for m in after[: len(before)]] == [(m.role, m.text) for m in before]
    rounds = {segment.id: segment for segment in second.envelope.layer("L3_TURN").segments}
    kinds = [(segment.kind, segment.layer, segment.essential) for segment in rounds.values()]
    assert kinds == [("assistant", "L3_TURN", True), ("tool", "L3_TURN", True)]


@in_calm_loop
async def test_in_the_next_turn_the_rounds_are_history():
    bench = await ready(calls(READ_A), words("So."), words("And more."))
    await bench.do(ASK)
    await bench.do(SendMessage("talk", "And?"))
    *_, third = (event.prepared for event in bench.told(EnvelopeBuilt))
    kinds = [segment.kind for segment in third.built.envelope.layer("L4_STRIP").segments]
    assert kinds == ["user", "assistant", "tool", "assistant"]
    assert third.built.envelope.layer("L3_TURN").segments == ()
    assert third.change.change == "extended"
    assert third.report["violations"] == []


@in_calm_loop
async def test_thoughts_go_back_with_the_calls_they_led_to_and_not_in_the_next_turn():
    thinking: list[Step] = [ThinkingGrew("I should look."), ThinkingGrew("", "signed"), *calls(READ_A)]
    bench = await ready(thinking, words("So."), words("More."))
    await bench.do(ASK)
    await bench.do(SendMessage("talk", "And?"))
    second, third = bench.model.requests[1:]
    assert [m.thinking for m in second.messages if m.role == "assistant"] == [
        (Thought("I should look.", "signed"),)
    ]
    assert [m.thinking for m in third.messages if m.role == "assistant"] == [(), ()]


@in_calm_loop
async def test_after_the_limit_the_model_is_told_and_then_the_turn_ends():
    bench = await ready(calls(READ_A), limits=Limits(tool_rounds=2))
    end = await bench.do(ASK)
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.failure.kind) == ("interrupted", "request")
    told = [text for role, text, _ in await bench.texts() if role == "tool"]
    assert told[:2] == ["Alpha.", "Alpha."]
    assert told[2].startswith("No more tools in this turn")
    assert (len(told), len(bench.model.requests), len(bench.told(ToolRan))) == (3, 4, 3)


@in_calm_loop
async def test_a_model_that_answers_when_told_that_the_limit_is_reached_completes():
    bench = await ready(calls(READ_A), calls(READ_A), words("Enough."), limits=Limits(tool_rounds=1))
    end = await bench.do(ASK)
    assert (end.outcome.state, end.outcome.answer) == ("complete", "Enough.")


@in_calm_loop
async def test_a_result_that_no_longer_fits_ends_the_turn_with_what_there_is():
    box = FakeToolbox({"a.md": "word " * 2000})
    bench = await ready(calls(READ_A), words("Never."), toolbox=box)
    end = await bench.do(ASK)
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.failure.kind) == ("interrupted", "context")
    assert "What the tools gave back" in end.outcome.failure.message
    assert len(bench.model.requests) == 1
    assert [role for role, _, _ in await bench.texts()] == ["user", "assistant", "tool"]
    # What is kept is the request that was sent, not the one that did not fit; and nothing is proposed.
    turn = await bench.world.store.last_turn("talk")
    assert turn is not None
    assert turn.built.envelope.fits
    assert bench.workbench.state.open["talk"].proposal is None


@in_calm_loop
async def test_what_every_request_used_is_added_up():
    first: list[Step] = [UsageReported(Usage(10, 0, None, 5)), *calls(READ_A)]
    second: list[Step] = [UsageReported(Usage(20, 10, None, 7)), *words("So.")]
    bench = await ready(first, second)
    end = await bench.do(ASK)
    assert end.outcome.usage == Usage(30, 10, None, 12)
    assert end.outcome.requests == (Usage(10, 0, None, 5), Usage(20, 10, None, 7))


@in_calm_loop
async def test_a_failure_after_tools_keeps_what_they_gave_back():
    bench = await ready([TextGrew("Let me look."), *calls(READ_A)], [LOST])
    end = await bench.do(ASK)
    assert (end.outcome.state, end.outcome.failure) == ("interrupted", LOST)
    assert [text for _, text, _ in await bench.texts()] == ["Compare them.", "Let me look.", "Alpha."]


@in_calm_loop
async def test_stop_after_the_calls_were_made_is_not_a_complete_answer():
    """The model is done, but the turn is not: what it asked for was never looked up."""

    class Pressed(FakeModel):
        async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
            """The whole answer, and then Stop."""
            async for part in super().stream(request):
                yield part
            bench.workbench.stop("talk")

    bench = await ready(models=FakeModels(Pressed([calls(READ_A)])))
    end = await bench.do(ASK)
    assert (end.outcome.state, bench.told(ToolRan)) == ("stopped", [])


@in_calm_loop
async def test_stop_pressed_too_late_has_stopped_nothing():
    class Pressed(MemoryHistory):
        async def finish_turn(self, *given: object) -> None:
            """While the end is kept, Stop is pressed."""
            bench.workbench.stop("talk")
            await super().finish_turn(*given)  # type: ignore[arg-type]

    bench = fake_bench(words("All of it."), store=Pressed())
    await bench.start()
    end = await bench.do(ASK)
    assert (end.outcome.state, end.outcome.answer) == ("complete", "All of it.")


@in_calm_loop
async def test_a_stream_that_ends_without_an_end_is_cut_off():
    """A cleanly cut connection looks like success to whoever does not wait for the end."""
    bench = fake_bench([TextGrew("Half")])
    await bench.start()
    end = await bench.do(ASK)
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.failure.kind) == ("interrupted", "protocol")
    assert (await bench.texts())[-1] == ("assistant", "Half", "interrupted")


@in_calm_loop
async def test_an_end_without_a_reason_completes():
    bench = fake_bench([TextGrew("Whole."), Finished(None)])
    await bench.start()
    assert (await bench.do(ASK)).outcome.state == "complete"


@in_calm_loop
async def test_a_library_that_breaks_is_reported_once_and_what_arrived_is_kept():
    reports: list[str] = []
    tasks = Tasks(lambda name, error: reports.append(f"{name}: {error}"))
    bench = fake_bench([TextGrew("Half "), RuntimeError("bug")], words("Whole."), tasks=tasks)
    await bench.start()
    end = await bench.do(ASK)
    assert end.outcome.failure is not None
    assert (end.outcome.state, end.outcome.failure.kind) == ("interrupted", "internal")
    assert (await bench.texts())[-1] == ("assistant", "Half ", "interrupted")
    assert reports == ["answer of talk: bug"]
    assert (await bench.do(SendMessage("talk", "Again?"))).outcome.state == "complete"


@in_calm_loop
async def test_a_listener_that_breaks_does_not_cost_the_answer():
    reports: list[str] = []
    bench = fake_bench(words("Some words."), tasks=Tasks(lambda name, error: reports.append(name)))
    await bench.start()

    def breaks(event: object, _: object) -> None:
        if isinstance(event, AnswerGrew):
            raise BrokenPipeError

    leave = bench.workbench.subscribe(breaks)
    end = await bench.do(ASK)
    assert (end.outcome.state, reports) == ("complete", ["a listener", "a listener"])
    assert len(bench.told(TurnEnded)) == 1
    leave()
    assert (await bench.texts())[-1] == ("assistant", "Some words.", "complete")


@in_calm_loop
async def test_a_stream_that_is_slow_to_close_does_not_hold_up_stop():
    model = FakeModel([[TextGrew("So far"), Forever()]], closing_s=60)
    bench = fake_bench(models=FakeModels(model))
    await bench.start()
    await bench.workbench.dispatch(ASK)
    await until(lambda: bool(bench.told(AnswerGrew)))
    bench.workbench.stop("talk")
    async with asyncio.timeout(250):
        outcome = await bench.workbench.until_ended("talk")
    assert outcome is not None
    assert (outcome.state, outcome.answer) == ("stopped", "So far")
    await bench.workbench.close()


@pytest.mark.parametrize("refused", ["append", "update"])
def test_a_store_that_refuses_between_rounds_ends_the_turn_and_the_end_keeps_all(refused: str):
    @in_calm_loop
    async def turn() -> None:
        store = FragileHistory()
        slow: list[Step] = [TextGrew("Let me look."), 0.05, *calls(READ_A)]
        bench = await ready(slow, words("So."), store=store)

        def fills(event: object, _: object) -> None:
            if isinstance(event, AnswerGrew):
                asyncio.get_running_loop().call_later(0.02, store.refusing.add, refused)

        bench.workbench.subscribe(fills)
        end = await bench.do(ASK)
        assert end.outcome.failure is not None
        assert (end.outcome.state, end.outcome.failure.kind) == ("interrupted", "store")
        path = await store.path("talk")
        kept = [(record.entry.text, record.state) for record in path if isinstance(record.entry, Message)]
        said = [("Let me look.", "complete"), ("Alpha.", "complete")][: 1 if refused == "update" else 2]
        assert kept == [("Compare them.", "complete"), *said]

    turn()


@in_calm_loop
async def test_a_slow_disk_does_not_write_an_answer_twice():
    """What is being written when the answer ends must be done first: else the end would be a second beginning."""
    store = FragileHistory()
    bench = await ready([TextGrew("Let me look."), *calls(READ_A)], words("So."), store=store)
    store.slow = {"append": 0.03}
    end = await bench.do(ASK)
    assert end.outcome.state == "complete"
    assert [text for _, text, _ in await bench.texts()] == ["Compare them.", "Let me look.", "Alpha.", "So."]


@in_calm_loop
async def test_a_call_alone_is_an_answer_too():
    bench = await ready([CallMade(ToolCall("c1", "read", READ_A[1])), LOST])
    end = await bench.do(ASK)
    assert end.outcome.state == "interrupted"
    record = (await bench.world.store.path("talk"))[-1]
    assert isinstance(record.entry, Message)
    assert (len(record.entry.tool_calls), record.state) == (1, "interrupted")
