"""The commands a question carries (@read, @search, @ls), run before the model is asked (seed 001's single shot)."""

from __future__ import annotations

import json
from dataclasses import replace

from workbench.context.build.tool_results import result_chunk
from workbench.context.text.at_commands import PlannedCall, planned_calls
from workbench.domain.tool import ToolOutcome
from workbench.engine.turn.plan import TurnPlan
from workbench.engine.world import World
from workbench.ports.tools import Tool

_BROKEN = ToolOutcome("The tool itself failed.", failed=True)


async def run_commands(plan: TurnPlan, world: World) -> TurnPlan:
    """The plan with what the question's own commands gave back; they only read, so nobody is asked."""
    calls = planned_calls(plan.question.text) if plan.commands else ()
    if world.toolbox is None or not calls:
        return plan
    tools = {tool.definition.name: tool for tool in world.toolbox.tools if not tool.has_side_effects}
    results = []
    for number, call in enumerate(calls, 1):
        if call.name in tools:
            outcome = await _outcome(tools[call.name], call, world)
            results.append(result_chunk(plan.question.id, number, call, outcome))
    return replace(plan, tool_results=(*plan.tool_results, *results))


async def _outcome(tool: Tool, call: PlannedCall, world: World) -> ToolOutcome:
    try:
        return await tool.run(json.loads(call.arguments))
    except Exception as error:  # noqa: BLE001  (only a bug raises, and the question can be asked without it)
        world.tasks.report(f"command {call.name}", error)
        return _BROKEN
