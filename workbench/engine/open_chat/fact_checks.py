"""Checks the facts of answers in view, one after the other, in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from workbench.context.answers.facts import FactMemory
from workbench.domain.answer_facts import AnswerFacts
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.record import Record, TurnRecord
from workbench.domain.translation import tr
from workbench.engine.answers.facts import facts_of_turn
from workbench.engine.events import ChatShown
from workbench.engine.influence.target import NothingToMeasure
from workbench.engine.intents import CheckFacts
from workbench.engine.open_chat.scope import ChatScope

NOT_KEPT = tr("Can’t check: the request of this answer was deleted.")


class FactChecks:
    """Facts of one chat's answers, by their messages; none is looked for while the preference is off."""

    def __init__(self, scope: ChatScope) -> None:
        self._scope = scope
        self._waiting: dict[CheckFacts, None] = {}
        self._task: asyncio.Task[None] | None = None

    @cached_property
    def _memory(self) -> FactMemory:
        return FactMemory()

    def look(self, intent: CheckFacts) -> None:
        """Check an answer when those that were asked for before are through."""
        if not self._scope.world.limits.check_facts:
            return
        self._waiting[intent] = None
        if self._task is None or self._task.done():
            self._task = self._scope.spawn(f"facts in {intent.chat}", self._run())

    async def _run(self) -> None:
        while self._waiting and (state := self._scope.state) is not None:
            waiting = tuple(self._waiting)
            turns = await self._turns(waiting, state.records)
            for intent in waiting:
                of_question = (turn for turn in turns if turn.question == intent.question)
                turn = next((turn for turn in of_question if intent.reply in (None, turn.reply)), None)
                found = await self._checked(intent, turn, state.records)
                del self._waiting[intent]
                state = self._scope.state
                if state is None:
                    return
                if found is not None:
                    self._scope.emit(ChatShown(intent.chat, {"facts": {**state.facts, found.message: found}}))

    async def _turns(self, wanted: Sequence[CheckFacts], path: Sequence[Record]) -> tuple[TurnRecord, ...]:
        """Those of their turns that are kept, read in one go: their requests share almost everything."""
        some = [(one.question, one.reply) for one in wanted]
        try:
            return await self._scope.world.store.turns(wanted[0].chat, some, path)
        except NotKept:
            if len(wanted) == 1:
                return ()
            return tuple([turn for one in wanted for turn in await self._turns((one,), path)])

    async def _checked(
        self, intent: CheckFacts, turn: TurnRecord | None, path: Sequence[Record]
    ) -> AnswerFacts | None:
        """The facts of an answer; None where there is no answer to check."""
        nothing = AnswerFacts(message=intent.reply or "", question=intent.question)
        if turn is None:
            return replace(nothing, problem=NOT_KEPT)
        try:
            return await facts_of_turn(turn, self._scope.world.store, self._memory, path)
        except NothingToMeasure:
            return nothing
        except WorkbenchError as problem:
            return replace(nothing, problem=tr("Can’t check: {problem}", problem=problem))
