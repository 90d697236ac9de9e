"""Influence on demand: by log-probabilities where the model's server gives them, else by asking again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from workbench.domain.answer import ModelFailed
from workbench.domain.errors import WorkbenchError
from workbench.domain.influence import Influence, InfluenceWish
from workbench.domain.record import noted_amount, noted_table
from workbench.domain.shown.influence_view import InfluenceView
from workbench.domain.translation import tr
from workbench.engine.events import ProgramShown
from workbench.engine.influence.asking import InfluenceByAsking
from workbench.engine.influence.measuring import Measuring, Ranked
from workbench.engine.influence.subject import Moved
from workbench.engine.influence.target import Target, find_target, keep
from workbench.engine.program_intents import InfluenceIntent, MeasureInfluence
from workbench.engine.store import StateStore
from workbench.engine.tasks import NewestRun, Stopper
from workbench.engine.world import World

BROKEN = tr("An internal error ended the measurement. Nothing was changed; WORKBENCH_LOG=FILE logs why.")


async def measuring_for(target: Target, wish: InfluenceWish, world: World) -> Measuring | InfluenceByAsking:
    """How the influence on an answer is found; `WorkbenchError` where its model cannot be asked at all."""
    model = world.models.open(target.turn.built.inputs.settings.model)
    try:
        await model.ready(lambda what, part: None)
        meter = None if wish.asking else await model.meter()
    except ModelFailed as failed:
        raise WorkbenchError(failed.failure.message) from failed
    return (
        InfluenceByAsking(target, wish, model, world)
        if meter is None
        else Measuring(target, wish, meter, world)
    )


class InfluenceRuns:
    """Measures one answer at a time; the newest ends the one before it. Asking for a price ends none."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._runs = NewestRun(world.tasks)

    def do(self, intent: InfluenceIntent) -> None:
        """Begin to measure, which goes on by itself, or end it with what there is."""
        if isinstance(intent, MeasureInfluence):
            self._runs.begin(f"influence in {intent.chat}", partial(self._run, intent), look=intent.offer)
        else:
            self._runs.stop()

    async def _run(self, intent: MeasureInfluence, stopper: Stopper) -> None:
        view = InfluenceView(intent.chat, intent.question, intent.reply or "", intent.wish)

        def show(changed: InfluenceView) -> None:
            if self._runs.is_shown(stopper):
                self._states.emit(ProgramShown({"influence": changed}))

        def moved(done: int, planned: int, left_s: float | None) -> None:
            show(replace(view, done=done, planned=planned, left_s=left_s))

        def ranked(found: Influence) -> None:
            nonlocal view
            view = replace(view, result=found)

        end = replace(view, stage="failed", problem=BROKEN)
        try:
            show(view)
            end = await self._measured(view, intent, (stopper, moved, ranked))
        except WorkbenchError as problem:
            end = replace(view, stage="failed", problem=str(problem))
        except asyncio.CancelledError:
            end = replace(view, stage="failed")
            raise
        finally:
            show(end)

    async def _measured(
        self, view: InfluenceView, intent: MeasureInfluence, around: tuple[Stopper, Moved, Ranked]
    ) -> InfluenceView:
        turn = await self._world.store.turn(intent.chat, intent.question, intent.reply)
        if turn is None:
            raise WorkbenchError(tr("This message never had a request, so nothing can be left out of it."))
        target = await find_target(turn, self._world.store)
        way = await measuring_for(target, intent.wish, self._world)
        if intent.offer:
            price = way.price
            took_ms = noted_amount(noted_table(turn.usage or {}, "timings_ms"), "total")
            took_s = None if took_ms is None else took_ms * price.requests / 1000
            return replace(
                view, stage="offered", planned=price.requests, cost_usd=price.cost_usd, left_s=took_s,
                open_end=price.open_end,
            )  # fmt: skip
        found = await way.run(*around)
        result = await keep(found, target, self._world)
        return replace(view, stage="done", done=found.requests, planned=found.planned, result=result)
