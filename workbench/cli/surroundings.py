"""What the system around the program offers: a display, Qt, a keyring; each with advice where it is missing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec

_Seen = tuple[str, str, str]


def surroundings(
    environment: Callable[[str], str | None], keyring_problem: Callable[[], str]
) -> tuple[_Seen, ...]:
    """(name, what was found, advice); the window's parts are not needed by any command."""
    return _display(environment), _qt(), _keyring(keyring_problem())


def _display(environment: Callable[[str], str | None]) -> _Seen:
    if sys.platform in ("darwin", "win32"):
        return "display", "the system's own", ""
    found = environment("WAYLAND_DISPLAY") or environment("DISPLAY")
    return "display", found or "none; the commands need none", ""


def _qt() -> _Seen:
    found = "there" if find_spec("PySide6") is not None else "not installed; the commands do not need it"
    return "Qt", found, ""


def _keyring(problem: str) -> _Seen:
    """A system without a keyring is no fault: a passphrase does."""
    return "keyring", f"none to trust ({problem}); a passphrase opens the store" if problem else "there", ""
