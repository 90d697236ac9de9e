"""Checks of the system around the program: display, Qt, keyring, and files that other users can read."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

from workbench.domain.translation import tr

_Seen = tuple[str, str, str]


def surroundings(
    environment: Callable[[str], str | None], keyring_problem: Callable[[], str]
) -> tuple[_Seen, ...]:
    """Returns (name, what was found, advice) for display, Qt and keyring; no command needs any of them."""
    return _display(environment), _qt(), _keyring(keyring_problem())


def open_to_others(paths: Iterable[Path]) -> tuple[_Seen, ...]:
    """Returns (name, what was found, advice) for each file that other users of this computer can read."""
    if sys.platform == "win32":  # rights are lists there, which these numbers do not show
        return ()
    return tuple(
        (
            "access",
            tr("other users of this computer can read {path}", path=path),
            tr("Close it to them: chmod 600 {path}", path=path),
        )
        for path in paths
        if _others_can_read(path)
    )


def _others_can_read(path: Path) -> bool:
    try:
        file, *above = (os.stat(one).st_mode for one in (path, *path.absolute().parents))
    except OSError:
        return False
    return any(
        file & may_read and all(folder & may_enter for folder in above)
        for may_read, may_enter in ((stat.S_IRGRP, stat.S_IXGRP), (stat.S_IROTH, stat.S_IXOTH))
    )


def _display(environment: Callable[[str], str | None]) -> _Seen:
    if sys.platform in ("darwin", "win32"):
        return "display", tr("the system's own"), ""
    found = environment("WAYLAND_DISPLAY") or environment("DISPLAY")
    return "display", found or tr("none; the commands need none"), ""


def _qt() -> _Seen:
    found = (
        tr("there") if find_spec("PySide6") is not None else tr("not installed; the commands do not need it")
    )
    return "Qt", found, ""


def _keyring(problem: str) -> _Seen:
    """Reports the keyring; having none is no fault, since a passphrase unlocks the store too."""
    return (
        "keyring",
        tr("none to trust ({problem}); a passphrase opens the store", problem=problem)
        if problem
        else tr("there"),
        "",
    )
