"""A tool of one's own: how the model is told of it, what it would do, and what it does (`ports.tools.Tool`)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.fakes.chat_model import calls, words
from tests.fakes.engine import SETTINGS, fake_bench
from tests.fakes.loop import in_loop
from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview
from workbench.engine.intents import SendMessage


class AddTool:
    definition = ToolDefinition("add", "Adds numbers.", '{"type":"object"}')
    has_side_effects = False  # True: a person sees the preview and allows each call
    searches = False

    async def preview(self, arguments: Mapping[str, Any]) -> ToolPreview:
        return ToolPreview(f"add {arguments.get('numbers')}")

    async def run(self, arguments: Mapping[str, Any]) -> ToolOutcome:
        return ToolOutcome(str(sum(arguments["numbers"])))


class Tools:
    tools = (AddTool(),)

    async def undo(self, note: Mapping[str, Any]) -> ToolOutcome:
        return ToolOutcome("Nothing was changed.", failed=True)


@in_loop
async def test_the_model_calls_it_and_is_told_the_sum():
    bench = fake_bench(calls(("add", '{"numbers": [2, 3]}')), words("It is five."), toolbox=Tools())
    await bench.start(settings=replace(SETTINGS, tools=(AddTool.definition,)))
    await bench.do(SendMessage("talk", "What is 2 + 3?"))
    assert [text for role, text, _ in await bench.texts() if role == "tool"] == ["5"]
