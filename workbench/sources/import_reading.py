"""Reads the files that are to be imported: regular ones only, with a cap on size, folders two levels deep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.files.reading import user_file
from workbench.ports.exchange_files import LARGEST_FILE_BYTES, FilesFound, NamedFile

_SHOWN = 5
_ENDINGS = frozenset({".json", ".jsonl", ".md", ".markdown", ".txt"})


def read_paths(paths: Sequence[str]) -> FilesFound:
    """The files in groups that belong together, and what was unreadable."""
    problems: list[str] = []
    passed_over: list[str] = []
    single = [Path(path) for path in paths if not Path(path).is_dir()]
    groups = [single]
    for folder in (Path(path) for path in paths if Path(path).is_dir()):
        # An export of several chats is a folder of folders, one a chat.
        folders = (folder, *_folders(folder))
        inside = [_inside(one) for one in folders]
        passed_over += [said for one in folders for said in _others(one, deeper=one is not folder)]
        groups += inside
        if not any(inside):
            problems.append(f"{folder}: there is no file in it to import")
    read = tuple(_read_group(group, problems) for group in groups if group)
    return FilesFound(read, tuple(problems), tuple(passed_over))


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix.lower() in _ENDINGS)
    except OSError:
        return []


def _others(folder: Path, *, deeper: bool) -> list[str]:
    """What in a folder is no file to import, in words; a folder in it is looked into only once more."""
    try:
        found = [path for path in folder.iterdir() if path.suffix.lower() not in _ENDINGS]
    except OSError:
        return []
    others = [path for path in found if deeper or path.is_symlink() or not path.is_dir()]
    if not others:
        return []
    kinds = sorted({"folders" if one.is_dir() else one.suffix.lower() or "no ending" for one in others})
    shown = ", ".join(kinds[:_SHOWN]) + ("…" if len(kinds) > _SHOWN else "")
    things = "1 other thing in it was" if len(others) == 1 else f"{len(others):,} other things in it were"
    return [f"{folder}: {things} not read ({shown})"]


def _read_group(paths: Sequence[Path], problems: list[str]) -> tuple[NamedFile, ...]:
    files: list[NamedFile] = []
    for path in paths:
        try:
            files.append((path.name, _read(path)))
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
            problems.append(f"{path}: {reason}; left out")
    return tuple(files)


def _read(path: Path) -> bytes:
    with user_file(str(path)) as opened:
        content = opened.read(LARGEST_FILE_BYTES + 1)
    if len(content) > LARGEST_FILE_BYTES:
        raise ValueError(f"larger than {LARGEST_FILE_BYTES // 1024 // 1024} MiB; import it in parts")
    return content
