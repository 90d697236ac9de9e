"""The commands of a question that is being written (@read, @search, @ls), run ahead so that the request is shown whole.

They only read. What they gave back is what is sent, as long as the question asks for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from workbench.context.assembly.rounds import result_chunk
from workbench.context.text.at_commands import PlannedCall, planned_calls
from workbench.domain.chunk import Chunk
from workbench.domain.memo import Memo
from workbench.domain.tool import ToolOutcome
from workbench.engine.open_chat.scope import ChatScope
from workbench.engine.tasks import Debounced
from workbench.engine.turn.tools import command_outcome, reading_tools
from workbench.ports.tools import Tool

SETTLE_S = 0.3
"""Delay after the last letter: a half-written path would be looked for at every one."""

Calls = tuple[PlannedCall, ...]


@dataclass(slots=True)
class _Question:
    """One text that is being written: its commands, and the results of those that were run."""

    runs: Debounced[Calls]
    calls: Calls = ()
    known: dict[PlannedCall, ToolOutcome] = field(default_factory=dict)


class CommandsAhead:
    """Runs the commands in what is written in one chat; `done` is called when there are new results."""

    def __init__(self, scope: ChatScope, done: Callable[[], None]) -> None:
        self._scope, self._world, self._chat, self._done = scope, scope.world, scope.chat, done
        self._questions: dict[str, _Question] = {}
        self._memo = Memo()

    def results(self, text: str, turn: int, edited: str = "") -> tuple[Chunk, ...]:
        """The results of a text's commands as they stand before the question; those that are missing are run soon.

        `edited` names a question that is edited in place; without it the draft is meant.
        """
        # Asked for up to three times a key: for the next request, a trial, and ways to make it fit.
        calls = self._memo.kept(f"calls {edited}", (text,), lambda: self._calls(text)) if "@" in text else ()
        question = self._questions.get(edited)
        if question is None:
            if not calls:
                return ()
            question = self._questions[edited] = self._question(edited)
        if calls != question.calls:
            question.calls = calls
            question.known = {call: question.known[call] for call in calls if call in question.known}
            if any(call not in question.known for call in calls):
                question.runs.call(f"commands ahead in {self._chat}", calls)
            else:
                question.runs.cancel()
        return tuple(
            result_chunk(turn, number, call, question.known[call])
            for number, call in enumerate(calls, 1)
            if call in question.known
        )

    def taken(self, edited: str = "") -> Mapping[PlannedCall, ToolOutcome]:
        """The results for the question that is sent now; the next one starts over."""
        question = self._questions.pop(edited, None)
        if question is None:
            return {}
        question.runs.cancel()
        return question.known

    def _question(self, edited: str) -> _Question:
        async def run(calls: Calls) -> None:
            await self._run(edited, calls)

        return _Question(Debounced(self._scope, lambda: SETTLE_S, run))

    def _tools(self) -> dict[str, Tool]:
        state = self._scope.state
        if state is None or self._world.toolbox is None:
            return {}
        return reading_tools(self._world.toolbox_in(self._world.workspaces.of(state.chat)))

    def _calls(self, text: str) -> Calls:
        tools = self._tools()
        return tuple(call for call in planned_calls(text) if call.name in tools)

    async def _run(self, edited: str, calls: Calls) -> None:
        question = self._questions.get(edited)
        if question is None:
            return
        tools = self._tools()
        for call in calls:
            if call not in question.known:
                outcome = await command_outcome(tools[call.name], call, self._world)
                if not question.runs.is_wanted(calls):
                    return  # sent or rewritten meanwhile
                question.known[call] = outcome
        self._done()
