"""Long work that a person can watch and end: exports and imports, each beside everything else."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath

from workbench.domain.errors import WorkbenchError
from workbench.domain.job import Job
from workbench.engine.exchange.imported import Fresh, Imported, Wanted, merged, unread
from workbench.engine.exchange.importing import import_files
from workbench.engine.program.adopting import Adoption, groups
from workbench.engine.program.exports import export_chats
from workbench.engine.program.watched_job import JobStopped, WatchedJob, sentences
from workbench.engine.program_events import JobDismissed
from workbench.engine.program_intents import ExportChats, ImportChats
from workbench.engine.shown_events import program_shows
from workbench.engine.store import StateStore
from workbench.engine.tasks import Stopper
from workbench.engine.workspaces.keeping import listed_workspaces
from workbench.engine.world import World

# An import as a job: files are read and understood in a thread, then chats are taken over, some at a time.

_NOT_IN_FILE = "its text is not in the file"
_NOTHING = "There is no chat in it."


async def import_chats(intent: ImportChats, world: World, watched: WatchedJob, states: StateStore) -> None:
    """Keep what the files hold; the note of the job says what did not come along."""
    imported = await _read(intent, world, watched)
    watched.move(total=len(imported.archives) + len(imported.workspaces))
    adoption = Adoption(world.store, world.new_id, _nowhere, places=world.workspaces.store)
    try:
        for place in imported.workspaces:
            watched.go_on()
            await adoption.take_workspace(place, imported)
            watched.move(done=watched.job.done + 1, chats=tuple(one.id for one in adoption.adopted))
        for some in groups(imported.archives):
            watched.go_on()
            await adoption.take_all(some, imported)
            ids = tuple(one.id for one in adoption.adopted)
            watched.move(done=watched.job.done + len(some), chats=ids)
    finally:
        said = [
            *imported.problems,
            *adoption.problems,
            "" if imported.archives or imported.workspaces else _NOTHING,
        ]
        watched.job = replace(watched.job, note=sentences(said))
        for workspace in adoption.workspaces:
            world.workspaces.note(workspace)
        if adoption.workspaces and world.workspaces.store is not None:
            world.workspaces.prompts = await world.workspaces.store.prompts()
            states.emit(listed_workspaces(world))
            states.emit(program_shows(prompts=world.workspaces.prompts))
        if adoption.adopted:
            with suppress(WorkbenchError):
                states.emit(program_shows(chats=await world.store.chats()))
    watched.move(state="done" if adoption.adopted or adoption.workspaces else "failed")


async def _read(intent: ImportChats, world: World, watched: WatchedJob) -> Imported:
    if world.exchange is None:
        raise WorkbenchError("There is no place to read files from here.")
    key = None if intent.key is None or world.elara is None else world.elara(intent.key)
    files = await world.exchange.read(intent.paths)
    watched.go_on()
    fresh = Fresh(world.utc.utc_now(), world.new_id)

    def understand() -> Imported:
        found = [import_files(group, fresh, key) for group in files.groups]
        return merged([*found, unread(files)])

    return await watched.think("understand the files", understand)


def _nowhere(wanted: Wanted, when_utc: str) -> str:
    return _NOT_IN_FILE


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
        watched = WatchedJob(_job(intent), stopper, self._states)
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
