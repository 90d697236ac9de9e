"""One writer per data folder: a second one is told who holds the lock."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from workbench.domain.errors import StoreInUse
from workbench.domain.translation import tr
from workbench.files.writing import write_whole
from workbench.storage.file_lock import FileLock

_LOCK = "writer.lock"
_BESIDE = "beside.lock"
_HOLDER = "writer.json"


class WriterLock:
    """The exclusive write lock of a data folder, released at the end of the process at the latest."""

    def __init__(self, folder: Path, now_utc: str) -> None:
        try:
            self._lock = FileLock(folder / _LOCK, alone=True, advice="")
        except StoreInUse:
            raise StoreInUse(str(folder), _advice(folder)) from None
        holder = {"process": os.getpid(), "program": Path(sys.argv[0]).name, "since_utc": now_utc}
        # A courtesy to who comes second: on a full disk it is left out, and the store says so itself.
        with suppress(OSError):
            write_whole(folder / _HOLDER, json.dumps(holder).encode())

    def close(self) -> None:
        self._lock.close()


def beside_writer(folder: Path) -> FileLock:
    """A shared lock for writing beside the holder of the write lock."""
    return FileLock(folder / _BESIDE, alone=False, advice=tr("Try again in a moment."))


def nobody_beside(folder: Path) -> bool:
    """Whether nobody writes beside the holder of the lock."""
    try:
        FileLock(folder / _BESIDE, alone=True, advice="").close()
    except StoreInUse:
        return False
    return True


def _advice(folder: Path) -> str:
    reading = tr("Commands that only read work meanwhile; close the other program to write.")
    try:
        holder = json.loads((folder / _HOLDER).read_text(encoding="utf-8"))
        who = tr(
            "{holder} (process {holder_2}) has it open since {holder_3}.",
            holder=holder["program"],
            holder_2=holder["process"],
            holder_3=holder["since_utc"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        who = tr("Another program has it open.")
    return f"{who} {reading}"
