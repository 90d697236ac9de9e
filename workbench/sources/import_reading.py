"""Finds the files that are to be imported: named, or in folders and archives; each is read in its turn."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from workbench.domain.errors import InvalidInput
from workbench.files.reading import user_file
from workbench.ports.exchange_files import LARGEST_FILE_BYTES, FileGroup, FilesFound, FoundFile
from workbench.sources.import_archive import is_archive, open_archive

_SHOWN = 5
_DEEPEST = 6
MOST_FILES = 100_000
ENDINGS = frozenset({".json", ".jsonl", ".md", ".markdown", ".txt"})
_ARCHIVES = frozenset({".zip"})


def read_paths(paths: Sequence[str]) -> FilesFound:
    """The files in groups that belong together, and what was unreadable."""
    finding = _Finding()
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
class _Finding:
    """What was found so far; archives are held open until everything is read."""

    problems: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    archives: list[FileGroup] = field(default_factory=list)
    held: ExitStack = field(default_factory=ExitStack)

    def file(self, path: Path) -> Iterator[FoundFile]:
        """The file, where it is one to import; an archive is opened beside it."""
        try:
            with user_file(str(path)) as opened:
                head, size = opened.read(4), opened.status.st_size
            if is_archive(head):
                self.archives.append(open_archive(str(path), self.held, ENDINGS))
            elif size > LARGEST_FILE_BYTES:
                self.problems.append(f"{path}: {_TOO_LARGE}; left out")
            else:
                yield FoundFile(path.name, partial(_read, path), size)
        except (OSError, ValueError, InvalidInput) as problem:
            self.problems.append(f"{path}: {_reason(problem)}; left out")

    def folder(self, folder: Path) -> list[FileGroup]:
        """A group for each folder in it: an export of several chats may be a folder for each."""
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
            self.passed_over += _told(one)
            if files:
                groups.append(FileGroup(files, beside))
        if not groups and len(self.archives) == before and not any(one.files for one in inside):
            self.problems.append(f"{folder}: there is no file in it to import")
        return groups


@dataclass(frozen=True, slots=True)
class _Inside:
    """A folder: its files to import, other files with their sizes, and kinds of what is not looked at."""

    folder: Path
    files: tuple[Path, ...]
    others: tuple[tuple[Path, int], ...]
    unread: tuple[str, ...]


def _walk(folder: Path) -> Iterator[_Inside]:
    """The folder and those in it, some levels deep; links lead elsewhere, and are not followed."""
    waiting, seen = [(folder, 0)], 0
    while waiting:
        here, depth = waiting.pop()
        entries = _entries(here)
        seen += len(entries)
        if seen > MOST_FILES:
            raise InvalidInput("", f"there are more than {MOST_FILES:,} files in it; import it in parts")
        folders = [here / entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        wanted = ENDINGS | _ARCHIVES
        plain = [entry for entry in entries if entry.is_file(follow_symlinks=False)]
        files = tuple(here / entry.name for entry in plain if _ending(entry) in wanted)
        others = tuple(
            (here / entry.name, entry.stat(follow_symlinks=False).st_size)
            for entry in plain
            if _ending(entry) not in wanted
        )
        links = len(entries) - len(folders) - len(files) - len(others)
        deeper = folders if depth >= _DEEPEST else []
        yield _Inside(here, files, others, ("folders",) * len(deeper) + ("links",) * links)
        if not deeper:
            waiting += [(inner, depth + 1) for inner in reversed(folders)]


def _ending(entry: os.DirEntry[str]) -> str:
    return Path(entry.name).suffix.lower()


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def _told(one: _Inside) -> list[str]:
    """What in a folder is no file to import, in words."""
    kinds = [*(path.suffix.lower() or "no ending" for path, _ in one.others), *one.unread]
    if not kinds:
        return []
    named = sorted(set(kinds))
    shown = ", ".join(named[:_SHOWN]) + ("…" if len(named) > _SHOWN else "")
    things = "1 other thing in it was" if len(kinds) == 1 else f"{len(kinds):,} other things in it were"
    return [f"{one.folder}: {things} not read ({shown})"]


_TOO_LARGE = f"larger than {LARGEST_FILE_BYTES // 1024 // 1024} MiB; import it in parts"


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
