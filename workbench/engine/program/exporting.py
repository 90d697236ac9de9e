"""Chats out of the store and into the files of a format: what the command and the window both do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence

from workbench.domain.errors import StoreDamaged
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.elara_format import enveloped
from workbench.engine.exchange.formats import ExportFormat, Files
from workbench.ports.folder import SealedFiles
from workbench.ports.history import HistoryStore

NOT_ENCRYPTED = "This export is not encrypted: keep it where only you can read it."
ELARA = "elara"


async def collect(store: HistoryStore, chats: Iterable[str]) -> AsyncIterator[ChatArchive | str]:
    """Each chat as a whole, or the id of one that is damaged: one bad page must not keep the rest."""
    for key in dict.fromkeys(chats):
        try:
            yield await store.archive(key)
        except StoreDamaged:
            yield key


def exported(
    chosen: ExportFormat, archives: Sequence[ChatArchive], seal: SealedFiles | None, seed_form: bool = False
) -> Files:
    """The files of an export; those of Elara sealed with the key that was given, else in its form for plain text.

    Elara reads what it writes since September 2025; `seed_form` is for versions before that.
    """
    files = chosen.export(archives)
    if chosen.name != ELARA:
        return files
    return tuple((name, enveloped(body, seal, seed_form)) for name, body in files)


def stands_alone(chosen: ExportFormat, files: Files) -> bool:
    """Whether the export is one file, which is named as a person likes; Elara's are a folder, however many."""
    return len(files) == 1 and chosen.name != ELARA


def is_encrypted(chosen: ExportFormat, seal: SealedFiles | None) -> bool:
    """Whether nobody can read the export without a key."""
    return chosen.name == ELARA and seal is not None


def damaged_words(chat: str) -> str:
    """What is said about a chat that could not be read."""
    return f"{chat}: damaged, and left out. `workbench history verify` says how far."
