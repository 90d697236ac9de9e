"""Checks the facts of answers in view, one after the other, in a thread."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cached_property

from workbench.context.answers.facts import FactMemory
from workbench.domain.answer_facts import AnswerFacts
from workbench.domain.errors import NotKept, WorkbenchError
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
        while self._waiting:
            intent = next(iter(self._waiting))
            found = await self._checked(intent)
            del self._waiting[intent]
            state = self._scope.state
            if found is not None and state is not None:
                self._scope.emit(ChatShown(intent.chat, {"facts": {**state.facts, found.message: found}}))

    async def _checked(self, intent: CheckFacts) -> AnswerFacts | None:
        """The facts of an answer; None where there is no answer to check."""
        store = self._scope.world.store
        nothing = AnswerFacts(message=intent.reply or "", question=intent.question)
        try:
            turn = await store.turn(intent.chat, intent.question, intent.reply)
        except NotKept:
            turn = None
        if turn is None:
            return replace(nothing, problem=NOT_KEPT)
        try:
            return await facts_of_turn(turn, store, self._memory)
        except NothingToMeasure:
            return nothing
        except WorkbenchError as problem:
            return replace(nothing, problem=tr("Can’t check: {problem}", problem=problem))
