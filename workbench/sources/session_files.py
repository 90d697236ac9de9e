"""Sessions that other programs left on disk: their files are found without following a link, and read line by line."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from workbench.domain.errors import InvalidInput
from workbench.files.folder_handles import open_folder
from workbench.files.folders import Folder
from workbench.files.reading import user_file_below

FOLDERS = {"claude": Path(".claude", "projects"), "codex": Path(".codex", "sessions")}
"""Where programs keep their sessions, below a person's home."""

_ENDING = ".jsonl"
_DEEPEST = 8
_MOST_FILES = 20_000
_MOST_BYTES = 1024**3


def session_files(folder: str) -> Iterator[tuple[str, Iterator[str]]]:
    """The sessions in a folder, by name; those of sub-agents stand after the session that called them.

    Lines are read as they are asked for, before the next file is."""
    try:
        root = open_folder(folder)
    except OSError as problem:
        raise InvalidInput(folder, f"cannot read this folder: {problem.strerror or problem}") from problem
    with closing(root):
        found = sorted(_files(root, ()), key=lambda steps: (len(steps), steps))
        for steps in found[:_MOST_FILES]:
            yield "/".join(steps), _lines(root, steps)


def _files(folder: Folder, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
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
            yield steps


def _lines(root: Folder, steps: tuple[str, ...]) -> Iterator[str]:
    """The lines of a file; one that cannot be opened any more has a single line that is no JSON, so that it is said."""
    try:
        with user_file_below(root, steps) as opened:
            rest = b""
            for piece in opened.pieces(_MOST_BYTES):
                *whole, rest = (rest + piece).split(b"\n")
                yield from (line.decode("utf-8", "replace") for line in whole)
            if rest:
                yield rest.decode("utf-8", "replace")
    except OSError as problem:
        yield f"cannot be read: {problem.strerror or problem}"
