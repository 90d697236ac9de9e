"""An export as a job: chats are read one by one, made into files in a thread, and written all or nothing."""

from __future__ import annotations

from workbench.domain.errors import InvalidInput, NotKept, WorkbenchError
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.formats import Files, find_format, left_out
from workbench.engine.program.exporting import (
    ELARA,
    NOT_ENCRYPTED,
    collect,
    damaged_words,
    exported,
    is_encrypted,
    stands_alone,
)
from workbench.engine.program.watched_job import JobStopped, WatchedJob, sentences
from workbench.engine.program_intents import ExportChats
from workbench.engine.world import World
from workbench.ports.exchange_files import WritingStopped
from workbench.ports.folder import SealedFiles


async def export_chats(intent: ExportChats, world: World, watched: WatchedJob) -> None:
    """Write the chats; the note of the job says what the format has no place for."""
    chosen, seal = find_format(intent.format), _seal(intent, world)
    archives, damaged = await _archives(intent, world, watched)
    if not archives:
        raise NotKept(sentences(["There are no chats to export.", *damaged]))
    files = await watched.think("make the files", lambda: exported(chosen, archives, seal))
    written = await _write(intent, files, stands_alone(chosen, files), world, watched)
    said = [*damaged, left_out(chosen, archives), "" if is_encrypted(chosen, seal) else NOT_ENCRYPTED]
    watched.move(
        state="done",
        note=sentences(said),
        place=written[0] if len(written) == 1 else intent.path,
        written_bytes=sum(len(body) for _, body in files),
    )


async def _archives(
    intent: ExportChats, world: World, watched: WatchedJob
) -> tuple[list[ChatArchive], list[str]]:
    keys = tuple(dict.fromkeys(intent.chats)) or tuple(chat.id for chat in await world.store.chats())
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
        raise WorkbenchError("There is no place to write files to here.")
    watched.go_on()
    try:
        # Waited for to its end, also when it is to end: it takes back what it wrote.
        return await world.exchange.write(intent.path, files, alone=alone, stopped=watched.stopper.stopped)
    except WritingStopped:
        raise JobStopped from None


def _seal(intent: ExportChats, world: World) -> SealedFiles | None:
    elara = intent.format == ELARA
    if not elara and (intent.key is not None or intent.plaintext):
        raise InvalidInput("format", "only Elara's files have a key of their own")
    if not elara or (intent.plaintext and intent.key is None):
        return None
    if intent.key is None or intent.plaintext or world.elara is None:
        raise InvalidInput(
            "format", "Elara's files need either a key, or the word that they may be in the clear"
        )
    return world.elara(intent.key)
