"""Long-running jobs that can be watched and cancelled: exports and imports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, TypeVar

from workbench.domain.errors import InvalidInput, NotKept, StoreDamaged, WorkbenchError
from workbench.domain.job import Job
from workbench.domain.record import ChatArchive
from workbench.domain.translation import joined, tr
from workbench.engine.events import JobDismissed, JobMoved, ProgramShown
from workbench.engine.exchange.elara_format import enveloped
from workbench.engine.exchange.formats import ExportFormat, Files, find_format, left_out
from workbench.engine.exchange.imported import Fresh, Imported, Wanted, merged, unread
from workbench.engine.exchange.importing import read_groups
from workbench.engine.program.adopting import Adoption, groups
from workbench.engine.program.taking_back import TakenBack, take_back_import
from workbench.engine.program_intents import CancelJob, ExportChats, ImportChats, JobIntent, UndoImport
from workbench.engine.store import StateStore
from workbench.engine.tasks import Stopper
from workbench.engine.workspaces.kept_workspaces import listed_workspaces
from workbench.engine.world import World
from workbench.ports.exchange_files import WritingStopped
from workbench.ports.folder import SealedFiles
from workbench.ports.history import HistoryStore

T = TypeVar("T")

_NAMED = 12
_RELEASED_AT_ONCE = 500


class JobStopped(Exception):
    """Raised inside a job that was cancelled."""


@dataclass(slots=True)
class WatchedJob:
    """One running job; `job` is its last reported state."""

    job: Job
    stopper: Stopper
    states: StateStore

    def move(self, **changes: Any) -> None:
        self.job = replace(self.job, **changes)
        self.states.emit(JobMoved(self.job))

    def go_on(self) -> None:
        """Checkpoint between two steps: raises `JobStopped` if the job was cancelled."""
        if self.stopper.stopped():
            raise JobStopped

    async def think(self, what: str, work: Callable[[], T]) -> T:
        """Run CPU-bound work in a thread; if cancelled, the thread's result is discarded."""
        nothing: tuple[T, ...] = ()
        done = await self.stopper.run(what, _in_thread(work), nothing)
        if not done:
            raise JobStopped
        return done[0]


async def _in_thread(work: Callable[[], T]) -> tuple[T, ...]:
    return (await asyncio.to_thread(work),)


def sentences(lines: list[str]) -> str:
    """Lines to report, without duplicates and shortened if there are very many."""
    said = list(dict.fromkeys(line for line in lines if line))
    more = len(said) - _NAMED
    rest = [tr("… and {more:,} more.", more=more)] if more > 0 else []
    return joined([*said[:_NAMED], *rest], "\n")


NOT_ENCRYPTED = tr("This export is not encrypted: keep it where only you can read it.")
ELARA = "elara"


async def collect(store: HistoryStore, chats: Iterable[str]) -> AsyncIterator[ChatArchive | str]:
    """Each chat's archive, or the id of a damaged one, which does not stop the others."""
    for key in dict.fromkeys(chats):
        try:
            yield await store.archive(key)
        except StoreDamaged:
            yield key


def exported(
    chosen: ExportFormat,
    archives: Sequence[ChatArchive],
    seal: SealedFiles | None,
    seed_form: bool = False,
    paths: bool = False,
) -> Files:
    """The files of an export; those of Elara sealed with the key that was given, else in its form for plain text.

    Elara reads what it writes since September 2025; `seed_form` is for versions before that.
    """
    files = (chosen.with_paths if paths and chosen.with_paths else chosen.export)(archives)
    if chosen.name != ELARA:
        return files
    return tuple((name, enveloped(body, seal, seed_form)) for name, body in files)


def stands_alone(chosen: ExportFormat, files: Files) -> bool:
    """Whether the export is a single file that the person names; Elara's is always a folder."""
    return len(files) == 1 and chosen.name != ELARA


def is_encrypted(chosen: ExportFormat, seal: SealedFiles | None) -> bool:
    """Whether the export can only be read with a key."""
    return chosen.name == ELARA and seal is not None


def damaged_words(chat: str) -> str:
    """The message about a chat that could not be read."""
    return tr("{chat}: damaged, and left out. `workbench history verify` says how far.", chat=chat)


async def export_chats(intent: ExportChats, world: World, watched: WatchedJob) -> None:
    """Export the chats; the job's note says what the format cannot hold."""
    chosen, seal = find_format(intent.format), _seal(intent, world)
    archives, damaged = await _archives(intent, world, watched)
    if not archives:
        raise NotKept(sentences([tr("There are no chats to export."), *damaged]))
    files, missing = await watched.think(
        "make the files",
        lambda: (exported(chosen, archives, seal, paths=intent.paths), left_out(chosen, archives)),
    )
    written = await _write(intent, files, stands_alone(chosen, files), world, watched)
    said = [*damaged, missing, "" if is_encrypted(chosen, seal) else NOT_ENCRYPTED]
    await asyncio.to_thread(_release, archives)
    watched.move(
        state="done",
        note=sentences(said),
        place=written[0] if len(written) == 1 else intent.path,
        written_bytes=sum(len(body) for _, body in files),
    )


def _release(archives: list[ChatArchive]) -> None:
    """Drop chats some messages at a time: a long one dropped as a whole would stop all threads for two frames."""
    records = [record for one in archives for record in one.records]
    archives.clear()
    while records:
        del records[-_RELEASED_AT_ONCE:]


async def _archives(
    intent: ExportChats, world: World, watched: WatchedJob
) -> tuple[list[ChatArchive], list[str]]:
    keys = tuple(dict.fromkeys(intent.chats)) or tuple(
        chat.id for chat in await world.store.chats() if not chat.filed.temporary
    )
    watched.move(total=len(keys))
    archives: list[ChatArchive] = []
    damaged: list[str] = []
    async for one in collect(world.store, keys):
        if isinstance(one, ChatArchive):
            archives.append(one)
        else:
            damaged.append(damaged_words(one))
        watched.move(done=watched.job.done + 1)
        watched.go_on()
    return archives, damaged


async def _write(
    intent: ExportChats, files: Files, alone: bool, world: World, watched: WatchedJob
) -> tuple[str, ...]:
    if world.exchange is None:
        raise WorkbenchError(tr("There is no place to write files to here."))
    watched.go_on()
    try:
        # Waited for to its end, also when it is to end: it takes back what it wrote.
        return await world.exchange.write(intent.path, files, alone=alone, stopped=watched.stopper.stopped)
    except WritingStopped:
        raise JobStopped from None


def _seal(intent: ExportChats, world: World) -> SealedFiles | None:
    elara = intent.format == ELARA
    if not elara and (intent.key is not None or intent.plaintext):
        raise InvalidInput("format", tr("only Elara's files have a key of their own"))
    if not elara or (intent.plaintext and intent.key is None):
        return None
    if intent.key is None or intent.plaintext or world.elara is None:
        raise InvalidInput(
            "format", tr("Elara's files need either a key, or the word that they may be in the clear")
        )
    return world.elara(intent.key)


# An import as a job: files are read and understood in a thread, then chats are taken over, some at a time.

_NOT_IN_FILE = tr("its text is not in the file")
_NOTHING = tr("There is no chat in it.")


async def import_chats(intent: ImportChats, world: World, watched: WatchedJob, states: StateStore) -> None:
    """Import the files in groups of chats; the job's note says what was not imported."""
    if world.exchange is None:
        raise WorkbenchError(tr("There is no place to read files from here."))
    now = world.utc.utc_now()
    adoption = Adoption(world.store, world.new_id, _missing_words, places=world.workspaces.store, now_utc=now)
    files = await world.exchange.read(intent.paths)
    watched.go_on()
    key = None if intent.key is None or world.elara is None else world.elara(intent.key)
    parts = read_groups(files.groups, Fresh(now, world.new_id), key)
    told = Imported()
    try:
        while (part := await watched.think("understand the files", lambda: next(parts, None))) is not None:
            told = merged([told, replace(part, archives=(), workspaces=(), wanted=())])
            await _take(part, adoption, watched)
            read, part = [*part.archives], None
            await asyncio.to_thread(_release, read)
    finally:
        files.close()
        said = [*adoption.sentences(), *merged([told, unread(files)]).problems, *adoption.problems]
        nothing = not (
            adoption.adopted or adoption.workspaces or adoption.there or adoption.deleted or adoption.refused
        )
        watched.job = replace(
            watched.job, note=sentences([*said, _NOTHING if nothing else ""]), source=told.source
        )
        await _show(adoption, world, states)
    found = adoption.adopted or adoption.workspaces or adoption.there
    watched.move(state="done" if found else "failed", there=adoption.there)


async def _take(part: Imported, adoption: Adoption, watched: WatchedJob) -> None:
    """Import one part, and estimate the total from how much of the files is read."""
    done, more = watched.job.done, len(part.archives) + len(part.workspaces)
    if more:
        watched.move(total=max(done + more, round((done + more) / part.share)))
    for place in part.workspaces:
        watched.go_on()
        await adoption.take_workspace(place, part)
        watched.move(done=watched.job.done + 1, chats=tuple(one.id for one in adoption.adopted))
    for some in groups(part.archives):
        watched.go_on()
        await adoption.take_all(some, part)
        watched.move(done=watched.job.done + len(some), chats=tuple(one.id for one in adoption.adopted))


async def _show(adoption: Adoption, world: World, states: StateStore) -> None:
    for workspace in adoption.workspaces:
        world.workspaces.note(workspace)
    if adoption.workspaces and world.workspaces.store is not None:
        world.workspaces.prompts = await world.workspaces.store.prompts()
        states.emit(listed_workspaces(world))
        states.emit(ProgramShown({"prompts": world.workspaces.prompts}))
    if adoption.adopted:
        with suppress(WorkbenchError):
            states.emit(ProgramShown({"chats": await world.store.chats()}))


def _missing_words(wanted: Wanted, when_utc: str) -> str:
    return _NOT_IN_FILE


_BROKEN = tr(
    "The program failed. What was kept before is safe, and what was taken "
    "over stays. Try again; with WORKBENCH_LOG=FILE it writes down why."
)


class Jobs:
    """Runs jobs, by ids that the callers chose."""

    def __init__(self, world: World, states: StateStore) -> None:
        self._world, self._states = world, states
        self._running: dict[str, Stopper] = {}

    async def do(self, intent: JobIntent) -> None:
        match intent:
            case UndoImport(job):
                await self.undo(job)
            case CancelJob(job):
                self.cancel(job)
            case _:
                self.begin(intent)

    def begin(self, intent: ExportChats | ImportChats) -> None:
        """Start a job in the background; no effect if one of that id is running."""
        if intent.job in self._running:
            return
        stopper = self._running[intent.job] = Stopper(self._world.tasks)
        watched = WatchedJob(_job(intent), stopper, self._states)
        watched.move()
        self._world.tasks.spawn(f"job {intent.job}", self._run(intent, watched))

    def cancel(self, job: str) -> None:
        """Cancel a job, or remove it from view if it has ended."""
        if job in self._running:
            self._running[job].stop()
        else:
            self._states.emit(JobDismissed(job))

    async def undo(self, key: str) -> None:
        """Undo an import; its job then says so."""
        job = next((one for one in self._states.state.jobs if one.id == key and one.kind == "import"), None)
        if job is None or key in self._running or not job.source:
            raise NotKept(tr("There is no import to take back. Nothing was changed."))
        taken = await take_back_import(self._world.store, self._world.utc.utc_now(), job.source)
        self._states.emit(ProgramShown({"chats": await self._world.store.chats()}))
        self._states.emit(JobMoved(replace(job, undone=True, note=sentences(list(_undo_sentences(taken))))))

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


def _undo_sentences(taken: TakenBack) -> Iterator[str]:
    gone = len(taken.chats)
    yield "" if not gone else "1 chat was removed." if gone == 1 else f"{gone:,} chats were removed."
    if taken.messages:
        many = (
            tr("1 message was")
            if taken.messages == 1
            else tr("{messages:,} messages were", messages=taken.messages)
        )
        yield tr("{many} removed from chats that were here before.", many=many)
    stay = len(taken.kept)
    if stay:
        many = (
            tr("1 chat was continued here and stays.")
            if stay == 1
            else tr("{stay:,} chats were continued here and stay.", stay=stay)
        )
        yield many


def _job(intent: ExportChats | ImportChats) -> Job:
    if isinstance(intent, ExportChats):
        return Job(intent.job, "export", intent.format, total=len(set(intent.chats)))
    names = [PurePath(path).name or path for path in intent.paths]
    more = tr(" and {n:,} more", n=len(names) - 1) if len(names) > 1 else ""
    return Job(intent.job, "import", tr("{names}{more}", names=names[0], more=more) if names else "")
