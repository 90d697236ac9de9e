"""Models, asked for beside any chat: which there are, and getting one ready before it is needed."""

from __future__ import annotations

import asyncio

from workbench.domain.answer import ModelFailed
from workbench.domain.errors import WorkbenchError
from workbench.engine.events import ModelReadied, ModelsListed
from workbench.engine.state import Readiness
from workbench.engine.store import StateStore
from workbench.engine.world import World

_BROKEN = "The program failed. Choose the model again; with WORKBENCH_LOG=FILE it writes down why."


class ModelErrands:
    """Lists models and gets them ready."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._readying: set[str] = set()

    async def list_models(self) -> None:
        """Look what can be used now."""
        self._states.emit(ModelsListed(await self._world.models.available()))

    def warm(self, name: str) -> None:
        """Begin to get a model ready, which then goes on by itself; one that is on its way goes on as it is."""
        if name not in self._readying:
            self._readying.add(name)
            self._states.emit(ModelReadied(name, Readiness(False)))
            self._world.tasks.spawn(f"get {name} ready", self._ready(name))

    async def _ready(self, name: str) -> None:
        clock = self._world.builder.clock
        began_ms = clock.monotonic_ms()
        end = Readiness(False, problem=_BROKEN)
        try:
            await self._world.models.open(name).ready(lambda what, part: self._tell(name, what, part))
            end = Readiness(True, took_ms=clock.monotonic_ms() - began_ms)
        except (ModelFailed, WorkbenchError) as problem:
            end = Readiness(False, problem=str(problem))
        except asyncio.CancelledError:
            end = Readiness(False)
            raise
        finally:
            self._readying.discard(name)
            self._states.emit(ModelReadied(name, end))

    def _tell(self, name: str, what: str, fraction: float | None) -> None:
        now = Readiness(False, what, fraction)
        # Whatever a model tells after its end is about a process that is gone.
        if name in self._readying and self._states.state.readiness.get(name) != now:
            self._states.emit(ModelReadied(name, now))
