"""An export as a job: chats are read one by one, made into files in a thread, and written all or nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence

from workbench.domain.errors import InvalidInput, NotKept, StoreDamaged, WorkbenchError
from workbench.domain.record import ChatArchive
from workbench.engine.errand_intents import ExportChats
from workbench.engine.errands.watched_job import JobStopped, WatchedJob, sentences
from workbench.engine.exchange.elara_format import plain_envelope
from workbench.engine.exchange.formats import ExportFormat, Files, find_format, left_out
from workbench.engine.world import World
from workbench.ports.exchange_files import WritingStopped
from workbench.ports.folder import SealedFiles
from workbench.ports.history import HistoryStore

# Chats out of the store and into the files of a format: what the command and the window both do.

NOT_ENCRYPTED = "This export is not encrypted: keep it where only you can read it."
ELARA = "elara"


async def collect(store: HistoryStore, chats: Iterable[str]) -> AsyncIterator[ChatArchive | str]:
    """Each chat as a whole, or the id of one that is damaged: one bad page must not keep the rest."""
    for key in dict.fromkeys(chats):
        try:
            yield await store.archive(key)
        except StoreDamaged:
            yield key


def exported(chosen: ExportFormat, archives: Sequence[ChatArchive], seal: SealedFiles | None) -> Files:
    """The files of an export; those of Elara sealed with the key that was given, else in its form for plain text."""
    files = chosen.export(archives)
    if chosen.name != ELARA:
        return files
    return tuple((name, seal.seal(body) if seal else plain_envelope(body)) for name, body in files)


def stands_alone(chosen: ExportFormat, files: Files) -> bool:
    """Whether the export is one file, which is named as a person likes; Elara's are a folder, however many."""
    return len(files) == 1 and chosen.name != ELARA


def is_encrypted(chosen: ExportFormat, seal: SealedFiles | None) -> bool:
    """Whether nobody can read the export without a key."""
    return chosen.name == ELARA and seal is not None


def damaged_words(chat: str) -> str:
    """What is said about a chat that could not be read."""
    return f"{chat}: damaged, and left out. `workbench history verify` says how far."


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
