"""Runs one tool call: parsed, previewed, permitted by a person if it changes the world, executed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.context.assembly.draft import result_chunk, with_question
from workbench.context.text.at_commands import MOST_COMMANDS, PlannedCall, planned_calls
from workbench.domain.message import ToolCall
from workbench.domain.on_demand import DESCRIBE, NO_NAMES, called_tool, definitions_text
from workbench.domain.reading.loose_json import parsed
from workbench.domain.tool import WHOLE_NAMES, Decision, ToolOutcome, ToolProgress, decide
from workbench.domain.translation import tr
from workbench.engine.events import ToolAsked, ToolProgressed, ToolRan
from workbench.engine.tasks import Stopper
from workbench.engine.turn.planning import Front, TurnPlan
from workbench.engine.world import World
from workbench.ports.tools import TellingTool, Tool, Toolbox

# The commands a question carries (@read, @search, @ls), run before the model is asked: they take no round of their own.

_BROKEN_COMMAND = ToolOutcome("The tool itself failed.", failed=True)


def reading_tools(box: Toolbox | None) -> dict[str, Tool]:
    """The read-only tools, by name."""
    found = box.tools if box is not None else ()
    return {tool.definition.name: tool for tool in found if not tool.has_side_effects}


async def run_commands(plan: TurnPlan, world: World, known: Mapping[PlannedCall, ToolOutcome]) -> TurnPlan:
    """The plan with the results of the question's own commands; they only read, so nobody is asked.

    What is `known` was shown already, and is sent as it was shown.
    """
    text = plan.question.text
    if not plan.commands or "@" not in text:
        return plan
    tools = reading_tools(world.toolbox_in(world.workspaces.find(plan.workspace)))
    calls = [call for call in planned_calls(text) if call.name in tools]
    outcomes = [known.get(call) or await command_outcome(tools[call.name], call, world) for call in calls]
    results = [
        result_chunk(plan.number, number, call, outcome)
        for number, (call, outcome) in enumerate(zip(calls, outcomes, strict=True), 1)
    ]
    return replace(plan, tool_results=(*plan.tool_results, *results)) if results else plan


async def command_outcome(tool: Tool, call: PlannedCall, world: World) -> ToolOutcome:
    """The result of one command."""
    if call.left_out:
        more = (
            tr(" This one and {left_out:,} more were not.", left_out=call.left_out - 1)
            if call.left_out > 1
            else tr(" This one was not.")
        )
        return ToolOutcome(
            tr(
                "At most {most_commands} commands of a question are run.{more}",
                most_commands=MOST_COMMANDS,
                more=more,
            ),
            failed=True,
        )
    try:
        return await tool.run(json.loads(call.arguments))
    except Exception as error:  # noqa: BLE001  (only a bug raises, and the question can be asked without it)
        world.tasks.report(f"command {call.name}", error)
        return _BROKEN_COMMAND


GRACE_S = 0.8

_REFUSED = "The user did not allow this call. Do not repeat it; go on without it, or say what you would need."
_NEVER = "A rule of the user forbids this call. Do not repeat it or look for a way around; go on without it."
_NO_MORE = "No more tools in this turn: its limit is reached. Answer with what you have."
_BROKEN = "The tool itself failed. Do not repeat the call; go on without it."
_CUT = "The user stopped this before it said whether it was done. Look first."


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The tools a turn may use; the question is repeated after what a search found, to be read last."""

    plan: TurnPlan
    tools: Mapping[str, Tool]
    world: World
    front: Front
    stopper: Stopper

    async def run(self, call: ToolCall) -> ToolOutcome | None:
        """Run a call and report its outcome; None if the turn was stopped before."""
        call = called_tool(call)
        try:
            outcome = await self._outcome(call)
        except Exception as error:  # noqa: BLE001  (only a bug raises, and it must not cost the answer)
            self.world.tasks.report(tr("tool {name} in {chat}", name=call.name, chat=self.plan.chat), error)
            outcome = ToolOutcome(_BROKEN, failed=True)
        return None if outcome is None else self._report(call, outcome)

    def refuse(self, call: ToolCall) -> ToolOutcome:
        """The outcome of a call that came too late."""
        return self._report(called_tool(call), ToolOutcome(_NO_MORE, failed=True))

    async def _outcome(self, call: ToolCall) -> ToolOutcome | None:
        tool, arguments = self.tools.get(call.name), arguments_of(call)
        if tool is None and call.name == DESCRIBE and self.plan.settings.tools_on_demand:
            text = definitions_text(self.plan.settings.tools, arguments or {})
            return ToolOutcome(text, failed=text == NO_NAMES)
        if tool is None:
            known = ", ".join(self.tools) or "none"
            return ToolOutcome(f"There is no tool {call.name!r}. Tools: {known}.", failed=True)
        if arguments is None:
            return ToolOutcome("The arguments are not a JSON object; write them as one.", failed=True)
        decision = await self._decision(call, tool, arguments)
        if decision == "never":
            return ToolOutcome(_NEVER, failed=True)
        if decision == "ask":
            asking = self._allowed(call, tool, arguments)
            allowed = await self.stopper.run(f"ask about {call.name}", asking, None)
            if not allowed:
                return None if allowed is None else ToolOutcome(_REFUSED, failed=True)
        if tool.has_side_effects:
            return await self._run_changing(call, tool, arguments)
        return await self._run_reading(tool, arguments)

    async def _decision(self, call: ToolCall, tool: Tool, arguments: Mapping[str, Any]) -> Decision:
        """Decide by the rules; "always in this chat" answers a question, and lifts no prohibition."""
        default: Decision = "ask" if tool.has_side_effects else "allow"
        ruling = await self.front.ruling()
        decision = decide(ruling.rules, call.name, _with_defaults(tool, arguments), default)
        return decide(ruling.answers, call.name, arguments, decision) if decision == "ask" else decision

    async def _allowed(self, call: ToolCall, tool: Tool, arguments: Mapping[str, Any]) -> bool:
        preview = await tool.preview(arguments)
        decision = self.front.permit(call, preview)
        self.front.emit(ToolAsked(self.plan.chat, call, preview))
        return await decision

    async def _run_reading(self, tool: Tool, arguments: Mapping[str, Any]) -> ToolOutcome | None:
        name = f"{tool.definition.name} in {self.plan.chat}"
        outcome: ToolOutcome | None = await self.stopper.run(name, tool.run(arguments), None)
        if outcome is None:
            return None
        outcome = self._shortened(outcome)
        if not tool.searches or outcome.failed:
            return outcome
        return replace(outcome, text=with_question(outcome.text, self.plan.question.text))

    async def _run_changing(
        self, call: ToolCall, tool: Tool, arguments: Mapping[str, Any]
    ) -> ToolOutcome | None:
        """Run a tool that changes something, shielded from Stop so that it can be undone."""
        if self.stopper.stopped():
            return None
        name = f"{tool.definition.name} in {self.plan.chat}"
        cut = ToolOutcome(_CUT, failed=True)
        if isinstance(tool, TellingTool):

            def tell(progress: ToolProgress) -> None:
                self.front.emit(ToolProgressed(self.plan.chat, call, progress))

            tell(ToolProgress())
            running = tool.run_telling(arguments, tell)
        else:
            running = tool.run(arguments)
        return self._shortened(await self.stopper.run(name, running, cut, grace_s=GRACE_S))

    def _shortened(self, outcome: ToolOutcome) -> ToolOutcome:
        longest = self.world.limits.tool_result_chars
        over = len(outcome.text) - longest
        if over <= 0:
            return outcome
        kept = outcome.text[:longest]
        return replace(outcome, text=f"{kept}\n[{over} more characters left out; ask for a smaller part]")

    def _report(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:
        self.front.emit(ToolRan(self.plan.chat, call, outcome))
        return outcome


def arguments_of(call: ToolCall) -> dict[str, Any] | None:
    """The arguments a model wrote, as an object; None if they are not one."""
    found = parsed(call.arguments or "{}")
    return found if isinstance(found, dict) else None


def _with_defaults(tool: Tool, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments with the whole folder for every omitted path, so that rules see it."""
    try:
        taken = json.loads(tool.definition.schema_json).get("properties", {})
    except (ValueError, AttributeError):
        return arguments
    left_out = {name: "." for name in taken if name.lower() in WHOLE_NAMES and arguments.get(name) is None}
    return {**left_out, **{name: value for name, value in arguments.items() if value is not None}}
