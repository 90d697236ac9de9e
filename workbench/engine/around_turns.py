"""What is done before a turn, once its question is kept, and after its end; a request that fits is offered there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.domain.answer import Failure
from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.outcome import TurnOutcome
from workbench.domain.settings.preferences import ContextSettings
from workbench.engine.assembly.prepare import Ask, prepare_turn
from workbench.engine.chats.changes import title_chat, update_chat
from workbench.engine.events import ChatNamed, NoticeGiven, RebuildProposed
from workbench.engine.intents import RegenerateAnswer, TurnIntent
from workbench.engine.learning import Learning
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.program.actions import ProgramActions
from workbench.engine.state import ChatState
from workbench.engine.store import StateStore
from workbench.engine.turn.planning import TurnPlan, found_for, plan_regenerate
from workbench.engine.workspaces.changing import ChangingWorkspaces
from workbench.engine.world import World

_WITHOUT_A_NUMBER = 0.75


async def propose_rebuild(plan: TurnPlan, outcome: TurnOutcome, world: World) -> RebuildProposed | None:
    """The same question in the window the provider named; None where that is not what failed."""
    failure = outcome.failure
    if failure is None or failure.kind != "context" or outcome.requests:
        return None  # after its tools ran, a question is not simply asked again
    turn = await world.store.last_turn(plan.chat)
    if turn is None or turn.question != plan.question.id:
        return None
    envelope = turn.built.envelope
    said, thought = failure.limit_tokens, envelope.budget.context_window_tokens
    window = _window(failure, thought, envelope.total_tokens)
    settings = narrowed(plan.settings, window)
    card = turn.built.inputs.model
    found = await found_for(replace(plan, settings=settings), card, world)
    ask = Ask(settings, plan.question, plan.now, plan.tool_results, card=card, found=found)
    rebuilt = prepare_turn(plan.conversation, ask, world.builder)
    if not rebuilt.built.envelope.fits:
        return None
    return RebuildProposed(plan.chat, rebuilt, named=said is not None and said < thought)


def _window(failure: Failure, window: int, total: int) -> int:
    """What the provider's window is in our tokens; smaller than was thought in any case."""
    named = failure.limit_tokens or window
    if failure.asked_tokens and failure.asked_tokens > total:
        # Their tokenizer makes more of the same text: our count must leave room for that.
        named = named * total // failure.asked_tokens
    return named if named < window else int(window * _WITHOUT_A_NUMBER)


def narrowed(settings: ContextSettings, window: int) -> ContextSettings:
    """The settings for another window; a reserve that somebody chose leaves room for a request in it."""
    reserve = settings.reserved_output_tokens
    smaller = None if reserve is None else min(reserve, window // 4)
    return replace(settings, context_window=window, reserved_output_tokens=smaller)


async def accept_rebuild(chat: str, state: ChatState | None, world: World) -> TurnPlan:
    """Ask the question again as proposed; the chat keeps the window it has learnt."""
    inputs = None if state is None or state.proposal is None else state.proposal.built.inputs
    if inputs is None or inputs.question is None:
        raise NotKept("There is no rebuilt request to accept.")
    learnt = inputs.settings
    # Only the window: what the request was built with beyond the chat's own settings is its workspace's.
    await update_chat(
        chat,
        world,
        lambda kept: replace(
            kept,
            settings=replace(
                kept.settings,
                context_window=learnt.context_window,
                reserved_output_tokens=learnt.reserved_output_tokens,
            ),
        ),
    )
    return await plan_regenerate(RegenerateAnswer(chat, inputs.question.id), world)


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
