"""Reads the files of an import and writes those of an export, in a thread."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from workbench.domain.errors import InvalidInput, WorkbenchError
from workbench.domain.translation import tr
from workbench.files.reading import user_file
from workbench.files.writing import FOLDER_MODE, create_private, sync_folder, sync_stream
from workbench.ports.exchange_files import (
    LARGEST_FILE_BYTES,
    FileGroup,
    FilesFound,
    FoundFile,
    NamedFile,
    WritingStopped,
)

# Archives that are to be imported: looked through before anything is unpacked, and unpacked into memory only.


MOST_ENTRIES = 100_000
MOST_UNPACKED_BYTES = 8 * LARGEST_FILE_BYTES
_MIB = 1024 * 1024
_ENCRYPTED = 0x1
_PIECE = 1024 * 1024
_LONGEST_END = 65_557 + 76
_IN_LARGE_END = 0xFFFFFFFF
_SHORTEST_ENTRY = 47
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
    struct.error,
)
_NOTHING_KEPT = tr("Nothing of it was imported")


def is_archive(head: bytes) -> bool:
    """Tells whether the first bytes of a file are those of a zip archive."""
    return head in (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")


def open_archive(path: str, held: ExitStack, endings: Collection[str]) -> FileGroup:
    """Opens a zip archive for import; `InvalidInput` where it is damaged or unsafe."""
    opened = held.enter_context(user_file(path))
    try:
        # The number of entries stands at the end of the file: looked at before a list of them is made.
        _check_number(opened.seekable())
        archive = held.enter_context(zipfile.ZipFile(opened.seekable()))
        entries = [one for one in archive.infolist() if not one.is_dir()]
    except _BROKEN as problem:
        raise InvalidInput(
            "",
            tr(
                "the archive cannot be read ({problem}). {nothing_kept}",
                problem=problem,
                nothing_kept=_NOTHING_KEPT,
            ),
        ) from None
    for one in entries:
        _check(one)
    unpacked = sum(one.file_size for one in entries)
    if unpacked > MOST_UNPACKED_BYTES:
        size = f"{unpacked // _MIB:,} MiB"
        raise InvalidInput(
            "",
            tr(
                "unpacked it would have {size}. {nothing_kept}; unpack it, and import the folder",
                size=size,
                nothing_kept=_NOTHING_KEPT,
            ),
        )
    found = {
        one.filename: FoundFile(one.filename, partial(_unpacked, archive, one), one.file_size)
        for one in entries
    }
    wanted = {name for name in found if PurePosixPath(name).suffix.lower() in endings and _is_content(name)}
    if not wanted:
        kinds = sorted({PurePosixPath(name).suffix.lower() or "no ending" for name in found})[:8]
        raise InvalidInput(
            "", tr("there is no file in it to import; found: {kinds}", kinds=", ".join(kinds) or "nothing")
        )
    # What holds chats is JSON, as a rule; other text may be what was attached to them.
    files = tuple(
        found[name] for name in sorted(wanted, key=lambda name: (".json" not in name.lower(), name))
    )
    return FileGroup(files, found, archive=True)


def _check_number(file: BinaryIO) -> None:
    """Refuses an archive with too many entries, by the size of its directory; the count it states may be false."""
    file.seek(0, 2)
    file.seek(-min(file.tell(), _LONGEST_END), 2)
    tail = file.read()
    end, large = tail.rfind(b"PK\x05\x06"), tail.rfind(b"PK\x06\x06")
    length = struct.unpack_from("<I", tail, end + 12)[0] if 0 <= end <= len(tail) - 22 else 0
    if length == _IN_LARGE_END and 0 <= large <= len(tail) - 56:
        length = struct.unpack_from("<Q", tail, large + 40)[0]
    if length // _SHORTEST_ENTRY > MOST_ENTRIES:
        raise InvalidInput(
            "",
            tr(
                "there are more than {most_entries:,} files in it. {nothing_kept}",
                most_entries=MOST_ENTRIES,
                nothing_kept=_NOTHING_KEPT,
            ),
        )


def _check(one: zipfile.ZipInfo) -> None:
    """Refuses entries that a harmless archive does not contain: paths leading out, links, encrypted files."""
    name = one.filename
    steps = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in steps or ":" in steps[0] or "\0" in one.orig_filename:
        raise InvalidInput(
            "",
            tr(
                "a name in it leads out of it ({name!r}). {nothing_kept}",
                name=name[:80],
                nothing_kept=_NOTHING_KEPT,
            ),
        )
    if stat.S_ISLNK(one.external_attr >> 16):
        raise InvalidInput(
            "",
            tr(
                "there is a link in it ({name!r}). {nothing_kept}", name=name[:80], nothing_kept=_NOTHING_KEPT
            ),
        )
    if one.flag_bits & _ENCRYPTED:
        raise InvalidInput(
            "",
            tr(
                "it is encrypted ({name!r}). {nothing_kept}; unpack it, and import the folder",
                name=name[:80],
                nothing_kept=_NOTHING_KEPT,
            ),
        )


def _is_content(name: str) -> bool:
    """Tells whether an entry belongs to the content, not to macOS's metadata."""
    return not name.startswith("__MACOSX/") and not PurePosixPath(name).name.startswith("._")


def _unpacked(archive: zipfile.ZipFile, one: zipfile.ZipInfo) -> bytes:
    """Unpacks an entry into memory, never more than the size it states."""
    if one.file_size > LARGEST_FILE_BYTES:
        raise InvalidInput(
            "",
            tr(
                "larger than {largest_file_bytes} MiB; unpack it, and import it in parts",
                largest_file_bytes=LARGEST_FILE_BYTES // _MIB,
            ),
        )
    content = bytearray()
    try:
        with archive.open(one) as member:
            while piece := member.read(_PIECE):
                content += piece
                if len(content) > one.file_size:
                    raise InvalidInput("", tr("it is longer than the archive says"))
    except _BROKEN as problem:
        raise InvalidInput("", tr("it cannot be unpacked ({problem})", problem=problem)) from None
    return bytes(content)


# Finds the files that are to be imported: named, or in folders and archives; each is read in its turn.


_SHOWN = 5
_DEEPEST = 6
MOST_FILES = 100_000
ENDINGS = frozenset({".json", ".jsonl", ".md", ".markdown", ".txt"})
_ARCHIVES = frozenset({".zip"})


def read_paths(paths: Sequence[str]) -> FilesFound:
    """Finds the files to import, in groups that belong together, with the problems met."""
    finding = _FileSearch()
    single = [found for path in paths if not Path(path).is_dir() for found in finding.file(Path(path))]
    groups = [FileGroup(tuple(single))] if single else []
    for folder in (Path(path) for path in paths if Path(path).is_dir()):
        try:
            groups += finding.folder(folder)
        except InvalidInput as problem:
            finding.problems.append(f"{folder}: {problem}")
    return FilesFound(
        (*groups, *finding.archives),
        tuple(finding.problems),
        tuple(finding.passed_over),
        finding.held.close,
    )


@dataclass(slots=True)
class _FileSearch:
    """The files found so far; archives stay open until everything is read."""

    problems: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    archives: list[FileGroup] = field(default_factory=list)
    held: ExitStack = field(default_factory=ExitStack)

    def file(self, path: Path) -> Iterator[FoundFile]:
        """Yields the file if it can be imported; an archive is opened and collected instead."""
        try:
            with user_file(str(path)) as opened:
                head, size = opened.read(4), opened.status.st_size
            if is_archive(head):
                self.archives.append(open_archive(str(path), self.held, ENDINGS))
            elif size > LARGEST_FILE_BYTES:
                self.problems.append(tr("{path}: {too_large}; left out", path=path, too_large=_TOO_LARGE))
            else:
                yield FoundFile(path.name, partial(_read, path), size)
        except (OSError, ValueError, InvalidInput) as problem:
            self.problems.append(tr("{path}: {reason}; left out", path=path, reason=_reason(problem)))

    def folder(self, folder: Path) -> list[FileGroup]:
        """Returns one group per folder, since an export of several chats may have a folder for each."""
        inside = list(_walk(folder))
        beside = {
            path.relative_to(folder).as_posix(): FoundFile(path.name, partial(_read, path), size)
            for one in inside
            for path, size in (*one.others, *((path, 0) for path in one.files))
        }
        groups = []
        before = len(self.archives)
        for one in inside:
            files = tuple(found for path in one.files for found in self.file(path))
            self.passed_over += _skipped_lines(one)
            if files:
                groups.append(FileGroup(files, beside))
        if not groups and len(self.archives) == before and not any(one.files for one in inside):
            self.problems.append(tr("{folder}: there is no file in it to import", folder=folder))
        return groups


@dataclass(frozen=True, slots=True)
class _FolderContent:
    """One folder's files to import, its other files with sizes, and the kinds of entries not looked at."""

    folder: Path
    files: tuple[Path, ...]
    others: tuple[tuple[Path, int], ...]
    unread: tuple[str, ...]


def _walk(folder: Path) -> Iterator[_FolderContent]:
    """Yields a folder and its subfolders to some depth; links are not followed."""
    waiting, seen = [(folder, 0)], 0
    while waiting:
        here, depth = waiting.pop()
        entries = _entries(here)
        seen += len(entries)
        if seen > MOST_FILES:
            raise InvalidInput(
                "",
                tr(
                    "there are more than {most_files:,} files in it; import it in parts",
                    most_files=MOST_FILES,
                ),
            )
        folders = [here / entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        wanted = ENDINGS | _ARCHIVES
        plain = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
        files = tuple(here / entry.name for entry in plain if _suffix(entry) in wanted)
        others = tuple(
            (here / entry.name, entry.stat(follow_symlinks=False).st_size)
            for entry in plain
            if _suffix(entry) not in wanted
        )
        links = len(entries) - len(folders) - len(files) - len(others)
        deeper = folders if depth >= _DEEPEST else []
        yield _FolderContent(here, files, others, ("folders",) * len(deeper) + ("links",) * links)
        if not deeper:
            waiting += [(inner, depth + 1) for inner in reversed(folders)]


def _suffix(entry: os.DirEntry[str]) -> str:
    return Path(entry.name).suffix.lower()


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def _skipped_lines(one: _FolderContent) -> list[str]:
    """Lists in words what in a folder was not read."""
    kinds = [*(path.suffix.lower() or tr("no ending") for path, _ in one.others), *one.unread]
    if not kinds:
        return []
    named = sorted(set(kinds))
    shown = ", ".join(named[:_SHOWN]) + ("…" if len(named) > _SHOWN else "")
    things = (
        tr("1 other thing in it was")
        if len(kinds) == 1
        else tr("{n:,} other things in it were", n=len(kinds))
    )
    return [tr("{folder}: {things} not read ({shown})", folder=one.folder, things=things, shown=shown)]


_TOO_LARGE = tr(
    "larger than {largest_file_bytes} MiB; import it in parts",
    largest_file_bytes=LARGEST_FILE_BYTES // 1024 // 1024,
)


def _read(path: Path) -> bytes:
    try:
        with user_file(str(path)) as opened:
            content = opened.read(LARGEST_FILE_BYTES + 1)
    except (OSError, ValueError) as problem:
        raise InvalidInput("", _reason(problem)) from None
    if len(content) > LARGEST_FILE_BYTES:
        raise InvalidInput("", _TOO_LARGE)
    return content


def _reason(problem: Exception) -> str:
    return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__


# Writes the files of an export: all of them or none, over nothing that exists, readable by their owner only.


_PIECE_BYTES = 1024 * 1024
Stopped = Callable[[], bool]


def write_files(
    place: Path, files: Sequence[NamedFile], alone: bool, stopped: Stopped = lambda: False
) -> tuple[str, ...]:
    """Writes all files into a hidden folder, then moves each into place; on failure nothing is left behind."""
    single = alone and len(files) == 1 and not place.is_dir()
    targets = [place] if single else [place.joinpath(*name.split("/")) for name, _ in files]
    _refuse_existing(targets)
    delivery = _StagedWrite(stopped)
    try:
        delivery.write_and_place([body for _, body in files], targets, place.parent if single else place)
    except BaseException as problem:
        delivery.undo()
        if isinstance(problem, OSError):
            raise _not_written(problem, place) from None
        raise
    return tuple(str(target) for target in targets)


class _StagedWrite:
    """Writes files in two steps, and remembers what it created so that it can be undone."""

    def __init__(self, stopped: Stopped) -> None:
        self._stopped = stopped
        self._made: list[Path] = []
        self._placed: list[Path] = []

    def write_and_place(self, bodies: Sequence[bytes], targets: Sequence[Path], folder: Path) -> None:
        """Writes all files into a hidden folder and syncs them to disk, then gives each its name."""
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

    def undo(self) -> None:
        """Removes the files and folders that were created."""
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
    """Gives a file its final name unless that exists; by hard link, or by renaming where there are none."""
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
    return WorkbenchError(
        tr("{target} exists already. Nothing was written; name another place.", target=target)
    )


def _not_written(problem: OSError, place: Path) -> WorkbenchError:
    reason = problem.strerror or type(problem).__name__
    return WorkbenchError(
        tr(
            "{place} could not be written ({reason}). Nothing of it was left "
            "there, and the history is as it was. Name another place, or make room.",
            place=place,
            reason=reason,
        )
    )


class FolderExchange:
    """Files and folders on this computer → ExchangeFiles."""

    async def read(self, paths: Sequence[str]) -> FilesFound:
        """Finds and opens the files to import."""
        return await asyncio.to_thread(read_paths, paths)

    async def write(
        self, place: str, files: Sequence[NamedFile], *, alone: bool, stopped: Callable[[], bool]
    ) -> tuple[str, ...]:
        """Writes the files of an export, all or none."""
        return await asyncio.to_thread(write_files, Path(place), files, alone, stopped)
