"""Commands in a question are done before the model is asked."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, fake_bench, fake_world
from tests.fakes.loop import in_calm_loop
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import user
from workbench.domain.chunk import Command, EnvironmentChunk, command_of
from workbench.engine.conversation import Conversation
from workbench.engine.intents import ChangeSettings, EditQuestion, RegenerateAnswer, SendMessage
from workbench.engine.stored_conversation import load_conversation
from workbench.engine.tasks import Tasks
from workbench.engine.turn.planning import TurnPlan
from workbench.engine.turn.tools import run_commands

FILES = {"a.md": "Alpha.", "b.md": "Beta."}


def plan(text: str) -> TurnPlan:
    return TurnPlan(Conversation("talk"), SETTINGS, user("q", text))


async def asked(text: str, box: FakeToolbox) -> Bench:
    bench = fake_bench(*(words("So.") for _ in range(3)), toolbox=box)
    await bench.start()
    await bench.do(SendMessage("talk", text))
    return bench


@in_calm_loop
async def test_what_a_command_reads_stands_before_the_question():
    bench = await asked("What does @read a.md say?", FakeToolbox(FILES))
    (message,) = [m for m in bench.model.requests[0].messages if m.role == "user"]
    found, _, question = message.text.partition("[User query]:\n")
    assert "Alpha." in found
    assert question == "What does @read a.md say?"
    # What is kept is the question as it was asked.
    assert (await bench.texts())[0][1] == "What does @read a.md say?"


@in_calm_loop
async def test_the_results_come_in_the_order_of_the_commands_with_ids_of_their_own():
    done = await run_commands(plan("@read b.md and @read a.md"), fake_world(toolbox=FakeToolbox(FILES)), {})
    chunks = [chunk for chunk in done.tool_results if isinstance(chunk, EnvironmentChunk)]
    assert [(chunk.id, chunk.body.splitlines()[-1]) for chunk in chunks] == [
        ("turn1:command:1", "Beta."), ("turn1:command:2", "Alpha."),
    ]  # fmt: skip


@in_calm_loop
async def test_what_a_command_cannot_find_is_said():
    done = await run_commands(plan("@read c.md"), fake_world(toolbox=FakeToolbox(FILES)), {})
    (chunk,) = done.tool_results
    assert isinstance(chunk, EnvironmentChunk)
    assert (chunk.success, "There is no 'c.md'." in chunk.body) == (False, True)


@in_calm_loop
async def test_a_question_without_commands_or_tools_stays_as_it_is():
    for text, box in (("plain", FakeToolbox(FILES)), ("@read a.md", None), ("@ls", FakeToolbox(FILES))):
        before = plan(text)
        after = await run_commands(before, fake_world(toolbox=box), {})
        assert after == before


@in_calm_loop
async def test_a_tool_that_breaks_is_reported_and_the_question_is_asked_without_it():
    reports: list[str] = []
    world = fake_world(
        toolbox=FakeToolbox(FILES, breaks=RuntimeError("bug")),
        tasks=Tasks(lambda name, error: reports.append(f"{name}: {error}")),
    )
    done = await run_commands(plan("@read a.md"), world, {})
    (chunk,) = done.tool_results
    assert isinstance(chunk, EnvironmentChunk)
    assert (chunk.success, reports) == (False, ["command read: bug"])


@in_calm_loop
async def test_earlier_results_stay():
    earlier = EnvironmentChunk("r", "found", "tool_result", "search", "c", success=True)
    before = replace(plan("@read a.md"), tool_results=(earlier,))
    after = await run_commands(before, fake_world(toolbox=FakeToolbox(FILES)), {})
    assert after.tool_results[0] is earlier
    assert len(after.tool_results) == 2


@in_calm_loop
async def test_what_was_read_stays_before_its_question_in_the_next_request():
    """It was in no transcript, and gone from the next request."""
    bench = await asked("What does @read a.md say?", FakeToolbox(FILES))
    first = bench.model.requests[0].messages[-1].text
    await bench.do(SendMessage("talk", "And now?"))
    said = [m for m in bench.model.requests[1].messages if m.role != "system"]
    assert [m.role for m in said] == ["user", "assistant", "user"]
    # The same result, word for word, and then the question; only its label is gone.
    block = first.partition("[User query]:\n")[0]
    assert said[0].text == f"{block}\n\nWhat does @read a.md say?"
    (record, *_) = bench.workbench.state.open["talk"].records
    assert [command_of(chunk) for chunk in record.commands] == [
        Command("@read a.md", "read", '{"path": "a.md"}', "Alpha.")
    ]


@in_calm_loop
async def test_after_a_restart_the_request_is_the_same():
    bench = await asked("What does @read a.md say?", FakeToolbox(FILES))
    before = bench.workbench.state.open["talk"].conversation
    after = await load_conversation(bench.world.store, "talk")
    assert after.history == before.history
    assert after.history[0].id == "turn1:command:1"
    assert (await bench.world.store.turns("talk"))[-1].question == before.history[1].id


@in_calm_loop
async def test_it_is_trimmed_like_any_result_of_a_tool():
    bench = await asked("What does @read a.md say?", FakeToolbox({"a.md": "Alpha beta gamma. " * 100}))
    tight = replace(SETTINGS, context_window=400, reserved_output_tokens=0)
    await bench.workbench.dispatch(ChangeSettings("talk", tight))
    await bench.do(SendMessage("talk", "And now?"))
    earlier = next(m.text for m in bench.model.requests[1].messages if m.role == "user")
    assert "[trimmed]" in earlier
    assert "Alpha" not in earlier
    assert earlier.endswith("What does @read a.md say?")


@in_calm_loop
async def test_asked_again_it_is_what_it_was_and_edited_it_is_read_anew():
    box = FakeToolbox(dict(FILES))
    bench = await asked("What does @read a.md say?", box)
    question = bench.workbench.state.open["talk"].records[0].id
    box.files["a.md"] = "Omega."
    await bench.do(RegenerateAnswer("talk", question))
    assert bench.model.requests[1].messages == bench.model.requests[0].messages
    await bench.do(EditQuestion("talk", question, "And what does @read a.md say?"))
    assert "Omega." in bench.model.requests[2].messages[-1].text


@in_calm_loop
async def test_commands_past_the_eighth_are_said_to_model_and_reader():
    """They were dropped without a word."""
    question = " ".join(f"@read {number}.md" for number in range(11))
    done = await run_commands(plan(question), fake_world(toolbox=FakeToolbox(FILES)), {})
    last = done.tool_results[-1]
    assert isinstance(last, EnvironmentChunk)
    assert len(done.tool_results) == 9
    assert "At most 8 commands of a question are run. This one and 2 more were not." in last.body
