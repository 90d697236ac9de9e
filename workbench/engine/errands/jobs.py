"""Long work that a person can watch and end: exports and imports, each beside everything else."""

from __future__ import annotations

import asyncio
from pathlib import PurePath

from workbench.domain.errors import WorkbenchError
from workbench.domain.job import Job
from workbench.engine.errand_intents import ExportChats, ImportChats
from workbench.engine.errands.exports import export_chats
from workbench.engine.errands.imports import import_chats
from workbench.engine.errands.watched_job import JobStopped, WatchedJob
from workbench.engine.events import JobDismissed
from workbench.engine.store import StateStore
from workbench.engine.tasks import Stopper
from workbench.engine.world import World

_BROKEN = (
    "The program failed. What was kept before is safe, and what was taken over stays. "
    "Try again; with WORKBENCH_LOG=FILE it writes down why."
)


class Jobs:
    """Runs jobs by the ids that whoever asked for them chose."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._running: dict[str, Stopper] = {}

    def begin(self, intent: ExportChats | ImportChats) -> None:
        """Begin a job, which then goes on by itself; one of that id that is running goes on as it is."""
        if intent.job in self._running:
            return
        stopper = self._running[intent.job] = Stopper(self._world.tasks)
        watched = WatchedJob(_job(intent), stopper, self._states.emit)
        watched.move()
        self._world.tasks.spawn(f"job {intent.job}", self._run(intent, watched))

    def cancel(self, job: str) -> None:
        """End a job; one that has ended is no longer shown."""
        if job in self._running:
            self._running[job].stop()
        else:
            self._states.emit(JobDismissed(job))

    async def _run(self, intent: ExportChats | ImportChats, watched: WatchedJob) -> None:
        try:
            await self._do(intent, watched)
        except JobStopped:
            watched.move(state="cancelled")
        except WorkbenchError as problem:
            watched.move(state="failed", note=str(problem))
        except asyncio.CancelledError:
            # What is being written in a thread looks at this, and takes itself back.
            watched.stopper.stop()
            watched.move(state="cancelled")
            raise
        except BaseException:
            watched.move(state="failed", note=_BROKEN)
            raise
        finally:
            del self._running[intent.job]

    async def _do(self, intent: ExportChats | ImportChats, watched: WatchedJob) -> None:
        if isinstance(intent, ExportChats):
            await export_chats(intent, self._world, watched)
        else:
            await import_chats(intent, self._world, watched, self._states)


def _job(intent: ExportChats | ImportChats) -> Job:
    if isinstance(intent, ExportChats):
        return Job(intent.job, "export", intent.format, total=len(set(intent.chats)))
    names = [PurePath(path).name or path for path in intent.paths]
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return Job(intent.job, "import", f"{names[0]}{more}" if names else "")
