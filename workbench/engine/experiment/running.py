"""Runs experiments: one at a time, shown as it goes, stored with its question."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.experiment import Experiment
from workbench.domain.record import TurnRecord
from workbench.domain.shown.comparison import ExperimentView
from workbench.domain.translation import tr
from workbench.engine.comparing import Line, read_branch, read_next
from workbench.engine.events import ProgramShown
from workbench.engine.experiment.taking import all_tried, keep_experiment
from workbench.engine.experiment.trial import ExperimentRun, read_beside
from workbench.engine.program_intents import AskVariants, ExperimentIntent
from workbench.engine.store import StateStore
from workbench.engine.tasks import NewestRun, Stopper
from workbench.engine.world import World

BROKEN = tr("An internal error ended the experiment. Nothing was changed; WORKBENCH_LOG=FILE logs why.")


Show = Callable[[ExperimentView], None]


class ExperimentRuns:
    """Runs one experiment at a time; a new one stops the one before, showing a stored one does not."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._runs = NewestRun(world.tasks)

    def do(self, intent: ExperimentIntent) -> None:
        """Start an experiment in the background, or stop it with the results so far."""
        if isinstance(intent, AskVariants):
            look = intent.offer or intent.kept
            self._runs.begin(f"experiment in {intent.chat}", partial(self._run, intent), look=look)
        else:
            self._runs.stop()

    async def _run(self, intent: AskVariants, stopper: Stopper) -> None:
        view = ExperimentView(intent.chat, intent.question, intent.reply or "", intent.plan)

        def show(changed: ExperimentView) -> None:
            if self._runs.is_shown(stopper):
                self._states.emit(ProgramShown({"experiment": changed}))

        end = replace(view, stage="failed", problem=BROKEN)
        try:
            show(view)
            end = await self._run_trial(view, intent, stopper, show)
        except WorkbenchError as problem:
            end = replace(view, stage="failed", problem=_words(problem))
        except asyncio.CancelledError:
            end = replace(view, stage="failed")
            raise
        finally:
            show(end)

    async def _run_trial(
        self, view: ExperimentView, intent: AskVariants, stopper: Stopper, show: Show
    ) -> ExperimentView:
        turn = await self._turn(intent)
        tried = None if turn is None else await all_tried(turn, self._world.store)
        if intent.kept:
            return replace(view, stage="done", found=tried, done=0 if tried is None else tried.asked)
        trial = await self._trial(turn, intent)
        view = replace(
            view, requests=trial.requests, judgements=trial.judgements, tokens=trial.tokens,
            expected_usd=trial.expected_usd, most_usd=trial.most_usd, unsent=trial.asked if turn is None else None,
            problem=" ".join(trial.problems),
        )  # fmt: skip
        if intent.offer:
            return replace(view, stage="offered")
        latest = view

        def moved(done: int, planned: int, left_s: float | None) -> None:
            nonlocal latest
            latest = replace(latest, done=done, left_s=left_s)
            show(latest)

        def grown(found: Experiment) -> None:
            nonlocal latest
            latest = replace(latest, found=found.beside(tried))
            show(latest)

        grown(trial.empty)
        found = await trial.run(stopper, moved, grown)
        if turn is not None:
            await keep_experiment(found, turn, self._world.store)
        return replace(latest, stage="done", found=found.beside(tried), left_s=None)

    async def _turn(self, intent: AskVariants) -> TurnRecord | None:
        """The turn that is asked again; None for the next request."""
        if not intent.question:
            return None
        turn = await self._world.store.turn(intent.chat, intent.question, intent.reply)
        if turn is None:
            raise WorkbenchError(tr("This message never had a request, so it cannot be asked again."))
        return turn

    async def _trial(self, turn: TurnRecord | None, intent: AskVariants) -> ExperimentRun:
        """Build all requests of the experiment in a thread: a long chat is replayed for each."""
        line = await (
            self._next(intent.chat) if turn is None else read_branch(self._world.store, turn.chat, turn)
        )
        builder = self._world.builder.copy(line.turns[-1].model)
        world, beside = replace(self._world, builder=builder), await read_beside(line, self._world)
        trial = await self._world.builder.thread.do(lambda: ExperimentRun(line, intent.plan, world, beside))
        trial.open_models()
        return trial

    async def _next(self, chat: str) -> Line:
        """The next request as it is shown."""
        state = self._states.state.open.get(chat)
        if state is None or state.prepared is None:
            raise WorkbenchError(tr("The next request is not built yet. Try again in a moment."))
        return await read_next(self._world.store, state.prepared.built.inputs, self._world.utc.utc_now())


def _words(problem: WorkbenchError) -> str:
    """The message of a problem without the name of a command-line option."""
    if isinstance(problem, InvalidInput) and problem.path.startswith("--"):
        return problem.reason[:1].upper() + problem.reason[1:]
    return str(problem)
