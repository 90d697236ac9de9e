"""An import as a job: files are read and understood in a thread, then chats are taken over one by one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from workbench.domain.errors import WorkbenchError
from workbench.engine.errand_intents import ImportChats
from workbench.engine.errands.adopting import Adoption
from workbench.engine.errands.watched_job import WatchedJob, sentences
from workbench.engine.events import ChatsListed
from workbench.engine.exchange.imported import Fresh, Imported, Wanted, merged
from workbench.engine.exchange.importing import import_files
from workbench.engine.store import StateStore
from workbench.engine.world import World

_NOT_IN_FILE = "its text is not in the file"
_NOTHING = "There is no chat in it."


async def import_chats(intent: ImportChats, world: World, watched: WatchedJob, states: StateStore) -> None:
    """Keep what the files hold; the note of the job says what did not come along."""
    imported = await _read(intent, world, watched)
    watched.move(total=len(imported.archives))
    adoption = Adoption(world.store, world.new_id, _nowhere)
    try:
        for archive in imported.archives:
            watched.go_on()
            await adoption.take(archive, imported)
            ids = tuple(one.id for one in adoption.adopted)
            watched.move(done=watched.job.done + 1, chats=ids)
    finally:
        said = [*imported.problems, *adoption.problems, "" if imported.archives else _NOTHING]
        watched.job = replace(watched.job, note=sentences(said))
        if adoption.adopted:
            with suppress(WorkbenchError):
                states.emit(ChatsListed(await world.store.chats()))
    watched.move(state="done" if adoption.adopted else "failed")


async def _read(intent: ImportChats, world: World, watched: WatchedJob) -> Imported:
    if world.exchange is None:
        raise WorkbenchError("There is no place to read files from here.")
    key = None if intent.key is None or world.elara is None else world.elara(intent.key)
    files = await world.exchange.read(intent.paths)
    watched.go_on()
    fresh = Fresh(world.utc.utc_now(), world.new_id)

    def understand() -> Imported:
        found = [import_files(group, fresh, key) for group in files.groups]
        return merged([*found, Imported(problems=files.problems, refused=len(files.problems))])

    return await watched.think("understand the files", understand)


def _nowhere(wanted: Wanted, when_utc: str) -> str:
    return _NOT_IN_FILE
