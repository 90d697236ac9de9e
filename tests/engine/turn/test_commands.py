"""Commands in a question are done before the model is asked."""

from __future__ import annotations

from dataclasses import replace

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, fake_bench, fake_world
from tests.fakes.loop import in_calm_loop
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.turns import user
from workbench.domain.chunk import EnvironmentChunk
from workbench.engine.conversation import Conversation
from workbench.engine.intents import SendMessage
from workbench.engine.tasks import Tasks
from workbench.engine.turn.plan import TurnPlan
from workbench.engine.turn.tools import run_commands

FILES = {"a.md": "Alpha.", "b.md": "Beta."}


def plan(text: str) -> TurnPlan:
    return TurnPlan(Conversation("talk"), SETTINGS, user("q", text))


async def asked(text: str, box: FakeToolbox) -> Bench:
    bench = fake_bench(words("So."), toolbox=box)
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
