"""What is done before a turn, once its question is kept, and after its end."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.errors import WorkbenchError
from workbench.domain.outcome import TurnOutcome
from workbench.engine.chats.changes import title_chat
from workbench.engine.events import ChatNamed, NoticeGiven
from workbench.engine.intents import TurnIntent
from workbench.engine.learning import Learning
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.program.actions import ProgramActions
from workbench.engine.store import StateStore
from workbench.engine.turn.plan import TurnPlan
from workbench.engine.turn.rebuilding import propose_rebuild
from workbench.engine.workspaces.changing import ChangingWorkspaces
from workbench.engine.world import World


@dataclass(frozen=True, slots=True)
class AroundTurns:
    """Who takes part in every turn, and when."""

    world: World
    states: StateStore
    open: OpenChats
    workspaces: ChangingWorkspaces
    learning: Learning
    program: ProgramActions

    async def before(self, intent: TurnIntent) -> bool:
        """A request that is sent is counted with all that was learnt, and carries files as they are now."""
        await self.learning.known()
        await self.workspaces.ready()
        return await self.open.before_sending(intent)

    async def began(self, plan: TurnPlan) -> None:
        """The question is kept; waited for before the model is asked."""
        if (opened := self.open.of(plan.chat)) is not None:
            opened.disk.sent()
        self.world.tasks.spawn("note the model that is asked", self.program.used(plan.settings.model))
        try:
            title = await title_chat(plan.chat, plan.question, self.world)
            if title is not None:
                self.states.emit(ChatNamed(plan.chat, title))
        except WorkbenchError as problem:
            self.states.emit(NoticeGiven(plan.chat, str(problem)))

    async def after(self, plan: TurnPlan, outcome: TurnOutcome) -> None:
        """What follows from the end of a turn, before it is told: a better request, the chat as it stands now."""
        try:
            learnt = outcome.report is not None and self.learning.note(outcome.report)
            proposal = await propose_rebuild(plan, outcome, self.world)
            if proposal is not None:
                self.states.emit(proposal)
            await self.open.answered(plan.chat, learnt=learnt)
            if self.open.of(plan.chat) is None:
                self.world.pictures.forget(plan.chat)
        except WorkbenchError as problem:
            self.states.emit(NoticeGiven(plan.chat, str(problem)))
