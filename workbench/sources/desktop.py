"""Installs the program in the menu of a Linux desktop, with its icon and file types, and removes it again."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from workbench.domain.about import Integrated
from workbench.domain.errors import WorkbenchError
from workbench.domain.translation import tr
from workbench.files.own_program import is_bundle
from workbench.files.writing import write_whole
from workbench.sources.resources import resource_path

READABLE = 0o644
ENTRY = "applications/context-workbench.desktop"
_SHOWN = ("applications", "icons", "mime")
# Made by the desktop's own tools out of what lies beside them; without that there is nothing to keep.
_MADE = {
    "applications": ("*.desktop", ("mimeinfo.cache",)),
    "mime": (
        "packages/*.xml",
        (
            *("aliases", "generic-icons", "globs", "globs2", "icons", "magic", "mime.cache", "subclasses"),
            *("treemagic", "types", "version", "XMLnamespaces", "application/vnd.context-workbench.*"),
        ),
    ),
}
_TOLD = (("update-desktop-database", "-q", "applications"), ("update-mime-database", "mime"))


class NotIntegrated(WorkbenchError):
    """The desktop's folder could not be written."""

    def __init__(self, folder: Path, reason: str, kept: str) -> None:
        super().__init__(
            tr(
                "{folder} cannot be changed ({reason}). {kept} Make the folder "
                "writable, or name another with --into DIR.",
                folder=folder,
                reason=reason,
                kept=kept,
            )
        )


Tell = Callable[[list[str]], None]


def integrate(folder: Path, command: tuple[str, ...], tell: Tell | None = None) -> Integrated:
    """Writes the menu entry, icon and file types; lists only what changed.

    On failure, `NotIntegrated` is raised and no new file is left.
    """
    before = {path for path in _places(folder) if path.exists()}
    written: list[Path] = []
    try:
        for path, content in _files(folder, command).items():
            if path not in before or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(path, content)
                path.chmod(READABLE)
                written.append(path)
    except OSError as problem:
        _remove((path for path in written if path not in before), folder)
        raise NotIntegrated(
            folder, problem.strerror or str(problem), tr("Nothing new was left there.")
        ) from None
    _refresh(folder, tell or _run)
    return Integrated(str(folder), command, tuple(map(str, written)))


def remove_integration(folder: Path, tell: Tell | None = None) -> Integrated:
    """Removes every file that `integrate` writes, and folders that become empty."""
    try:
        removed = _remove(_places(folder), folder)
        if removed:
            _refresh(folder, tell or _run)
            _clear_made(folder)
    except OSError as problem:
        raise NotIntegrated(folder, problem.strerror or str(problem), tr("Some files may be left.")) from None
    return Integrated(str(folder), (), removed=tuple(map(str, removed)))


def program_command() -> tuple[str, ...]:
    """Returns the command that starts this program, as a full path: a desktop has another PATH than a shell."""
    if is_bundle():
        return (sys.executable,)
    beside = Path(sys.executable).with_name("workbench")
    return (str(beside),) if beside.is_file() else (sys.executable, "-m", "workbench")


def _files(folder: Path, command: tuple[str, ...]) -> Mapping[Path, bytes]:
    shipped = resource_path("desktop")
    found = {folder / path.relative_to(shipped): path.read_bytes() for path in _shipped(shipped)}
    entry = folder / ENTRY
    return {**found, entry: with_command(found[entry].decode("utf-8"), command).encode("utf-8")}


def _places(folder: Path) -> list[Path]:
    shipped = resource_path("desktop")
    return [folder / path.relative_to(shipped) for path in _shipped(shipped)]


def _shipped(shipped: Path) -> list[Path]:
    return sorted(path for name in _SHOWN for path in (shipped / name).rglob("*") if path.is_file())


def with_command(entry: str, command: tuple[str, ...]) -> str:
    """Returns a menu entry that starts this command, whatever characters it contains."""
    line = " ".join((*map(_quote_argument, command), "%F"))
    lines = (_line(each, line, command[0]) for each in entry.splitlines())
    return "\n".join(lines) + "\n"


def _line(line: str, starts: str, program: str) -> str:
    if line.startswith("Exec="):
        return f"Exec={starts}"
    return f"TryExec={_escaped(program)}" if line.startswith("TryExec=") else line


def _quote_argument(word: str) -> str:
    """Quotes an argument for a desktop entry: as for a shell, with backslashes doubled again for the value."""
    inner = re.sub(r'(["`$\\])', r"\\\1", word.replace("%", "%%"))
    return _escaped(f'"{inner}"') if re.search(r'[\s"\'\\><~|&;$*?#()`%]', word) else word


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\")


def _refresh(folder: Path, tell: Tell) -> None:
    """Runs the desktop's own tools to update its caches, where they are installed."""
    for program, *options, name in _TOLD:
        found = shutil.which(program)
        if found is not None and (folder / name).is_dir():
            tell([found, *options, str(folder / name)])


def _run(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False)


def _remove(paths: Iterable[Path], folder: Path) -> tuple[Path, ...]:
    removed = []
    for path in paths:
        if path.is_file() or path.is_symlink():
            path.unlink()
            removed.append(path)
            _remove_empty(path.parent, folder)
    return tuple(removed)


def _remove_empty(path: Path, top: Path) -> None:
    while path != top and top in path.parents and path.is_dir() and not any(path.iterdir()):
        path.rmdir()
        path = path.parent


def _clear_made(folder: Path) -> None:
    for name, (sources, made) in _MADE.items():
        if not any((folder / name).glob(sources)):
            _remove((path for each in made for path in (folder / name).glob(each)), folder)
            _remove_empty(folder / name / "packages", folder)
