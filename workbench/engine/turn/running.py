"""The turns in progress, one a chat: begun, stopped, asked for permission, and ended in the state exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import assert_never

from workbench.domain.answer import Failure
from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.message import ToolCall
from workbench.domain.outcome import TurnOutcome
from workbench.domain.tool import ToolPreview
from workbench.engine.events import EnvelopeBuilt, TurnEnded, TurnEvent
from workbench.engine.intents import (
    AcceptRebuild,
    AnswerToolRequest,
    ContinueAnswer,
    EditQuestion,
    RegenerateAnswer,
    SendMessage,
    TurnIntent,
)
from workbench.engine.store import StateStore
from workbench.engine.tasks import Stopper
from workbench.engine.turn.plan import Front, TurnPlan
from workbench.engine.turn.planning import plan_continue, plan_edit, plan_regenerate, plan_send, with_pictures
from workbench.engine.turn.rebuilding import accept_rebuild
from workbench.engine.turn.run import run_turn
from workbench.engine.world import World

After = Callable[[TurnPlan, TurnOutcome], Awaitable[None]]
Sent = Callable[[EnvelopeBuilt], None]

_BROKEN = Failure(
    "internal",
    "The program failed. What had arrived is kept. Ask again; with WORKBENCH_LOG=FILE it writes down why.",
)
_CLOSED = Failure("internal", "The program was closed before this turn had ended. What had arrived is kept.")


class TurnRunning(WorkbenchError):
    """A chat answers one question at a time."""

    def __init__(self) -> None:
        super().__init__(
            "An answer is still arriving in this chat. Stop it, or wait for its end, then ask again."
        )


class WorkbenchClosed(WorkbenchError):
    """Somebody wants something of a program that is closing."""

    def __init__(self) -> None:
        super().__init__("The program is being closed; nothing new is begun.")


@dataclass(slots=True)
class _Turn:
    """A turn in progress: how to stop it, who waits for a decision of a person, and how it ended."""

    stopper: Stopper
    task: asyncio.Task[None] | None = None
    outcome: TurnOutcome = field(default_factory=lambda: TurnOutcome("failed", failure=_BROKEN))
    decisions: dict[str, asyncio.Future[bool]] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)

    def permit(self, call: ToolCall, preview: ToolPreview) -> Awaitable[bool]:
        decision: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.decisions[call.id], self.tools[call.id] = decision, call.name
        decision.add_done_callback(lambda _: self.decisions.pop(call.id, None))
        return decision


class RunningTurns:
    """Runs turns: several chats may answer at once, each one question at a time.

    `after` is waited for between the end of a turn and the event that tells of it; `sent` is told of every request
    that goes out.
    """

    def __init__(self, world: World, states: StateStore, after: After, sent: Sent) -> None:
        self._world, self._states, self._after, self._sent = world, states, after, sent
        self._turns: dict[str, _Turn] = {}
        self._always: set[tuple[str, str]] = set()
        self._closing = False

    async def begin(self, intent: TurnIntent) -> None:
        """Begin a turn, which then goes on by itself; `WorkbenchError` says why it cannot begin."""
        if intent.chat in self._turns:
            raise TurnRunning
        # Taken before anything is waited for, so that two clicks cannot begin two turns.
        turn = self._turns[intent.chat] = _Turn(Stopper(self._world.tasks))
        try:
            async with self._world.locks.of(intent.chat):
                await self._world.owed.settle(intent.chat, self._world.store)
            plan = await with_pictures(await self._plan(intent), self._world.store)
            if self._closing:
                raise WorkbenchClosed
        except BaseException:
            del self._turns[intent.chat]
            raise
        turn.task = self._world.tasks.spawn(f"turn of {intent.chat}", self._run(plan, turn))

    def stop(self, chat: str) -> None:
        """End the answer that is arriving in a chat, if one is."""
        if chat in self._turns:
            self._turns[chat].stopper.stop()

    def decide(self, answer: AnswerToolRequest) -> None:
        """Allow or refuse what a model wants done; once, and only while it waits for that.

        What is allowed always is so until the program ends: who opens a chat again is asked again.
        """
        turn = self._turns.get(answer.chat)
        decision = None if turn is None else turn.decisions.get(answer.call)
        if turn is None or decision is None or decision.done():
            return
        if answer.allowed and answer.always:
            self._always.add((answer.chat, turn.tools[answer.call]))
        decision.set_result(answer.allowed)

    async def until_ended(self, chat: str) -> TurnOutcome | None:
        """Wait for the turn of a chat to end; how it ended, None where none is running."""
        turn = self._turns.get(chat)
        if turn is None or turn.task is None:
            return None
        await asyncio.wait([turn.task])
        return turn.outcome

    async def close(self, patience_s: float) -> None:
        """Stop all of them and wait for their ends, but not for ever; no other begins."""
        self._closing = True
        for turn in self._turns.values():
            turn.stopper.stop()
        waiting = [turn.task for turn in self._turns.values() if turn.task is not None]
        if waiting:
            await asyncio.wait(waiting, timeout=patience_s)

    async def _plan(self, intent: TurnIntent) -> TurnPlan:
        match intent:
            case SendMessage():
                return await plan_send(intent, self._world)
            case RegenerateAnswer():
                return await plan_regenerate(intent, self._world)
            case EditQuestion():
                return await plan_edit(intent, self._world)
            case ContinueAnswer():
                return await plan_continue(intent, self._world)
            case AcceptRebuild(chat):
                return await accept_rebuild(chat, self._states.state.open.get(chat), self._world)
            case _:
                assert_never(intent)

    async def _run(self, plan: TurnPlan, turn: _Turn) -> None:
        """Run a turn and end it in the state, once, with the chat as it stands then."""
        front = Front(self._during_turn, turn.permit, lambda call: (plan.chat, call.name) in self._always)
        try:
            turn.outcome = await run_turn(plan, self._world, front, turn.stopper)
        except InvalidInput as problem:
            turn.outcome = TurnOutcome("failed", failure=Failure("request", str(problem)))
        except WorkbenchError as problem:
            turn.outcome = TurnOutcome("failed", failure=Failure("store", str(problem)))
        except asyncio.CancelledError:
            turn.outcome = TurnOutcome("interrupted", failure=_CLOSED)
            raise
        finally:
            await self._end(plan, turn.outcome)

    async def _end(self, plan: TurnPlan, outcome: TurnOutcome) -> None:
        try:
            await self._after(plan, outcome)
        finally:
            # Given free only now: another turn must not begin before this one was seen to end.
            del self._turns[plan.chat]
            self._states.emit(TurnEnded(plan.chat, plan.number, outcome))

    def _during_turn(self, event: TurnEvent) -> None:
        # Its end is told after the chat was read again, so that nobody sees a turn that ended without its answer.
        if not isinstance(event, TurnEnded):
            self._states.emit(event)
        if isinstance(event, EnvelopeBuilt):
            self._sent(event)
