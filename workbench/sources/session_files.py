"""Finds session files that other programs left on disk, without following links, and reads them line by line."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from workbench.domain.errors import InvalidInput
from workbench.domain.translation import tr
from workbench.files.folder_handles import open_folder
from workbench.files.folders import Folder
from workbench.files.reading import user_file_below
from workbench.files.writing import create_private, sync_stream

FOLDERS = {"claude": Path(".claude", "projects"), "codex": Path(".codex", "sessions")}
"""Where programs store their sessions, below the user's home folder."""

_ENDING = ".jsonl"
_DEEPEST = 8
_MOST_FILES = 20_000
_MOST_BYTES = 1024**3
_HEAD_BYTES = 256 * 1024


def session_files(folder: str, only: str = "") -> Iterator[tuple[str, Iterator[str]]]:
    """Yields the sessions in a folder with their lines; those of sub-agents come after the session that called them.

    With `only`, that session and its sub-agents'. Lines are read lazily, before the next file is opened.
    """
    try:
        root = open_folder(folder)
    except OSError as problem:
        raise InvalidInput(
            folder, tr("cannot read this folder: {strerror}", strerror=problem.strerror or problem)
        ) from problem
    with closing(root):
        found = sorted((steps for steps, _ in _files(root, ())), key=lambda steps: (len(steps), steps))
        for steps in found[:_MOST_FILES]:
            if (
                not only
                or "/".join(steps) == only
                or "/".join(steps).startswith(f"{only.removesuffix(_ENDING)}/")
            ):
                yield "/".join(steps), _lines(root, steps)


def find_session(folder: str, session: str) -> tuple[str, list[str]]:
    """Returns the path of the session with this id, and its lines; `InvalidInput` where there is none."""
    try:
        root = open_folder(folder)
    except OSError as problem:
        raise InvalidInput(
            folder, tr("cannot read this folder: {strerror}", strerror=problem.strerror or problem)
        ) from problem
    with closing(root):
        found = [
            steps for steps, _ in _files(root, ()) if session and steps[-1].endswith(f"{session}{_ENDING}")
        ]
    if not found:
        raise InvalidInput(
            folder, tr("has no session {session}", session=session or tr("of this conversation"))
        )
    steps = min(found, key=len)
    return str(Path(folder, *steps)), [
        line
        for name, lines in session_files(folder, "/".join(steps))
        if name == "/".join(steps)
        for line in lines
    ]


def create_session(path: str, content: bytes) -> None:
    """Writes a new session file that only its owner may read; `InvalidInput` where there is something already."""
    if not path.endswith(_ENDING):
        raise InvalidInput(
            path,
            tr("is no session file: its name has to end in {ending}; nothing was written", ending=_ENDING),
        )
    try:
        with create_private(Path(path)) as stream:
            stream.write(content)
            sync_stream(stream)
    except FileExistsError:
        raise InvalidInput(path, tr("is there already; nothing was written")) from None
    except OSError as problem:
        raise InvalidInput(
            path, tr("cannot be written: {strerror}", strerror=problem.strerror or problem)
        ) from None


class SessionHead(NamedTuple):
    """A session file with its first lines; `whole` says that those are all."""

    file: str
    modified: float
    bytes: int
    lines: tuple[str, ...] = ()
    whole: bool = False


def newest_sessions(folder: str, most: int) -> tuple[list[SessionHead], int]:
    """Returns the most recently written sessions, without those of sub-agents, and how many more there are."""
    try:
        root = open_folder(folder)
    except OSError:
        return [], 0
    with closing(root):
        found = {"/".join(steps): seen for steps, seen in _files(root, ())}
        sessions = [name for name in found if not _is_agents(name, found)]
        newest = sorted(sessions, key=lambda name: -found[name].st_mtime)
        return [_head(root, name, found[name]) for name in newest[:most]], max(0, len(newest) - most)


def _head(root: Folder, name: str, seen: os.stat_result) -> SessionHead:
    whole = seen.st_size <= _HEAD_BYTES
    lines: list[str] = []
    size = 0
    for line in _lines(root, tuple(name.split("/"))):
        size += len(line)
        if size > _HEAD_BYTES:
            break
        lines.append(line)
    return SessionHead(name, seen.st_mtime, seen.st_size, tuple(lines), whole)


def _is_agents(name: str, found: Collection[str]) -> bool:
    """Tells whether a file belongs to a sub-agent: it lies in a folder named like another session."""
    steps = name.split("/")
    return any(f"{'/'.join(steps[:end])}{_ENDING}" in found for end in range(1, len(steps)))


def _files(folder: Folder, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], os.stat_result]]:
    for name in folder.names():
        seen = folder.look(name)
        steps = (*above, name)
        if seen is None:
            continue
        if stat.S_ISDIR(seen.st_mode) and len(steps) < _DEEPEST:
            try:
                inner = folder.enter(name)
            except OSError:
                continue
            with closing(inner):
                yield from _files(inner, steps)
        elif stat.S_ISREG(seen.st_mode) and name.endswith(_ENDING):
            yield steps, seen


def _lines(root: Folder, steps: tuple[str, ...]) -> Iterator[str]:
    """Yields the lines of a file; one that cannot be opened yields a single line that is not JSON and says why."""
    try:
        with user_file_below(root, steps) as opened:
            rest = b""
            for piece in opened.pieces(_MOST_BYTES):
                *whole, rest = (rest + piece).split(b"\n")
                yield from (line.decode("utf-8", "replace") for line in whole)
            if rest:
                yield rest.decode("utf-8", "replace")
    except OSError as problem:
        yield tr("cannot be read: {problem}", problem=problem.strerror or problem)
