"""Writes the files of an export: all of them or none, over nothing that exists, readable by their owner only."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from workbench.domain.errors import WorkbenchError
from workbench.files.writing import FOLDER_MODE, create_private, sync_folder, sync_stream
from workbench.ports.exchange_files import NamedFile, WritingStopped

_PIECE_BYTES = 1024 * 1024
Stopped = Callable[[], bool]


def write_files(
    place: Path, files: Sequence[NamedFile], alone: bool, stopped: Stopped = lambda: False
) -> tuple[str, ...]:
    """Write them beside where they belong, then put each in its place; what goes wrong leaves nothing behind."""
    single = alone and len(files) == 1 and not place.is_dir()
    targets = [place] if single else [place.joinpath(*name.split("/")) for name, _ in files]
    _refuse_existing(targets)
    delivery = _Delivery(stopped)
    try:
        delivery.bring([body for _, body in files], targets, place.parent if single else place)
    except BaseException as problem:
        delivery.take_back()
        if isinstance(problem, OSError):
            raise _not_written(problem, place) from None
        raise
    return tuple(str(target) for target in targets)


class _Delivery:
    """What was made on the way, so that it can be taken back."""

    def __init__(self, stopped: Stopped) -> None:
        self._stopped = stopped
        self._made: list[Path] = []
        self._placed: list[Path] = []

    def bring(self, bodies: Sequence[bytes], targets: Sequence[Path], folder: Path) -> None:
        """Write everything into a hidden folder, which is on the disk before a name leads to it; then place it."""
        self._make(folder)
        # Its name is random and nobody else may look inside, so no link can be waiting in it.
        staged = Path(tempfile.mkdtemp(prefix=".workbench-", suffix=".part", dir=folder))
        try:
            ready = [staged / str(number) for number in range(len(bodies))]
            for path, body in zip(ready, bodies, strict=True):
                self._write(path, body)
            if self._stopped():
                raise WritingStopped
            for path, target in zip(ready, targets, strict=True):
                self._make(target.parent)
                _place(path, target)
                self._placed.append(target)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
        for parent in {target.parent for target in targets}:
            sync_folder(parent)

    def take_back(self) -> None:
        """Remove what was put in place, and the folders that were made for it."""
        for path in reversed(self._placed):
            with suppress(OSError):
                path.unlink()
        for folder in reversed(self._made):
            with suppress(OSError):
                folder.rmdir()

    def _make(self, folder: Path) -> None:
        missing = [one for one in (folder, *folder.parents) if not one.is_dir()]
        for one in reversed(missing):
            one.mkdir(mode=FOLDER_MODE)
            self._made.append(one)

    def _write(self, path: Path, body: bytes) -> None:
        with create_private(path) as stream:
            for start in range(0, max(1, len(body)), _PIECE_BYTES):
                if self._stopped():
                    raise WritingStopped
                stream.write(body[start : start + _PIECE_BYTES])
            sync_stream(stream)


def _place(ready: Path, target: Path) -> None:
    """Give a file its name, unless something has it; where a system knows no second names, it is renamed."""
    try:
        os.link(ready, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError:
        if os.path.lexists(target):
            raise _exists(target) from None
        ready.rename(target)


def _refuse_existing(targets: Sequence[Path]) -> None:
    for target in targets:
        if os.path.lexists(target):
            raise _exists(target)


def _exists(target: Path) -> WorkbenchError:
    return WorkbenchError(f"{target} exists already. Nothing was written; name another place.")


def _not_written(problem: OSError, place: Path) -> WorkbenchError:
    reason = problem.strerror or type(problem).__name__
    return WorkbenchError(
        f"{place} could not be written ({reason}). Nothing of it was left there, and the history is as it was. "
        "Name another place, or make room."
    )
