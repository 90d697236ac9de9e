"""The commands of a question that is being written (@read, @search, @ls), run ahead so that the request is shown whole.

They only read. What they gave back is what is sent, as long as the question asks for the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from workbench.context.assembly.rounds import result_chunk
from workbench.context.text.at_commands import PlannedCall, planned_calls
from workbench.domain.chunk import Chunk
from workbench.domain.memo import Memo
from workbench.domain.tool import ToolOutcome
from workbench.engine.turn.tools import command_outcome, reading_tools
from workbench.engine.world import World

SETTLE_S = 0.3
"""So long nothing may be typed before commands are run; a half-written path would be looked for at every letter."""

_Place = tuple[str, str]


class CommandsAhead:
    """Runs the commands in drafts, by their content and never by the key; `done` is told of a chat with news."""

    def __init__(self, world: World, done: Callable[[str], None]) -> None:
        self._world, self._done = world, done
        self._known: dict[_Place, dict[PlannedCall, ToolOutcome]] = {}
        self._wanted: dict[_Place, tuple[PlannedCall, ...]] = {}
        self._memo = Memo()

    def results(self, chat: str, text: str, turn: int, edited: str = "") -> tuple[Chunk, ...]:
        """What the commands of a draft gave back, as it goes before the question; those that were not run are, soon.

        `edited` names a question that is being changed in its place; without it the draft is meant.
        """
        place = (chat, edited)
        # Asked for up to three times a key: for the next request, a trial, and ways to make it fit.
        calls = self._memo.kept(f"calls {edited}", (chat, text), lambda: self._calls(chat, text))
        if calls != self._wanted.get(place, ()):
            self._wanted[place] = calls
            known = self._known.get(place, {})
            self._known[place] = {call: known[call] for call in calls if call in known}
            if any(call not in known for call in calls):
                self._world.tasks.spawn(f"commands ahead in {chat}", self._run(place, calls))
        known = self._known.get(place, {})
        numbered = enumerate(calls, 1)
        return tuple(
            result_chunk(turn, number, call, known[call]) for number, call in numbered if call in known
        )

    def taken(self, chat: str, edited: str = "") -> Mapping[PlannedCall, ToolOutcome]:
        """What is known for the question that is sent now; the next one starts anew."""
        self._wanted.pop((chat, edited), None)
        return self._known.pop((chat, edited), {})

    def forget(self, chat: str) -> None:
        """A chat is no longer in view."""
        for place in [place for place in (*self._wanted, *self._known) if place[0] == chat]:
            self.taken(*place)

    def _calls(self, chat: str, text: str) -> tuple[PlannedCall, ...]:
        if self._world.toolbox is None:
            return ()
        tools = reading_tools(self._world, chat)
        return tuple(call for call in planned_calls(text) if call.name in tools)

    async def _run(self, place: _Place, calls: tuple[PlannedCall, ...]) -> None:
        await asyncio.sleep(SETTLE_S)
        tools = reading_tools(self._world, place[0])
        for call in calls:
            if self._wanted.get(place) != calls:
                return  # something else is written by now
            if call not in self._known.get(place, {}):
                outcome = await command_outcome(tools[call.name], call, self._world)
                if self._wanted.get(place) != calls:
                    return  # sent or rewritten meanwhile: the next question asks anew
                self._known.setdefault(place, {})[call] = outcome
        if self._wanted.get(place) == calls:
            self._done(place[0])
