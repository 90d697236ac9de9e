"""The settings file: TOML that people edit too, so comments, order and unknown entries stay; keys never get in."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import tomlkit
from tomlkit.exceptions import TOMLKitError

from workbench.domain.app_preferences import Preferences
from workbench.domain.errors import InvalidInput
from workbench.domain.reading.node import Place
from workbench.files.writing import FOLDER_MODE, write_whole
from workbench.settings.form import check_form, read_form, unknown_names, write_form
from workbench.settings.key_like import dotted, key_like
from workbench.settings.toml_edits import edited, take_out_keys

FILE_NAME = "settings.toml"
MOST_BYTES = 256 * 1024
_HEAD = "# Settings of Context Workbench. Keys do not belong here: `workbench keys provider` keeps them.\n\n"
_BELONGS = "`workbench keys provider` keeps keys encrypted"


class SettingsFile:
    """The settings of one data folder → PreferencesStore."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._problems: list[str] = []
        self._known = Preferences()

    @property
    def problems(self) -> tuple[str, ...]:
        """What was wrong when the file was last read."""
        return tuple(self._problems)

    def load(self) -> Preferences:
        """What the file says; a wrong entry has its default, a file that is no TOML is set aside."""
        self._problems = []
        entries = self._entries()
        for place in key_like(entries):
            self._tell(
                f"{dotted(place)} looks like a key. It is not used, and goes when settings are saved: {_BELONGS}."
            )
        take_out_keys(entries)
        for name, suggestion in unknown_names(entries):
            self._tell(f"{name} is no setting; it is left as it is{suggestion or '.'}")
        self._known = read_form(entries, self._complain)
        return self._known

    def save(self, preferences: Preferences) -> None:
        """Write what differs from what was read last; whatever else was changed in the file since stays."""
        new, old = write_form(preferences), write_form(self._known)
        for place in key_like(new):
            raise InvalidInput(dotted(place), f"looks like a key, and was not saved; {_BELONGS}")
        check_form(new, _refuse)
        text = self._read()
        if text is None:
            text, old = _HEAD, write_form(Preferences())
        self._write(edited(text, old, new))
        self._known = preferences

    def _entries(self) -> dict[str, Any]:
        """What is in the file; nothing where it cannot be read, which is said: no command must fail for that."""
        try:
            text = self._read()
        except InvalidInput as problem:
            self._tell(f"it {problem.reason}; the defaults are used.")
            return {}
        return {} if text is None else tomlkit.parse(text).unwrap()

    def _read(self) -> str | None:
        """The file as it is; None where there is none, or none any more because it could not be understood."""
        try:
            with open(self._path, "rb") as stream:
                content = stream.read(MOST_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise InvalidInput(str(self._path), _told("could not be read", problem)) from None
        wrong = _wrong_with(content)
        if wrong is None:
            return content.decode()
        self._set_aside(wrong)
        return None

    def _set_aside(self, why: str) -> None:
        number = 1
        while (aside := self._path.with_name(f"{FILE_NAME}.broken-{number}")).exists():
            number += 1
        try:
            self._path.rename(aside)
        except OSError as problem:
            raise InvalidInput(str(self._path), _told(f"{why}, and could not be renamed", problem)) from None
        self._tell(f"it {why}. It was kept as {aside.name}; the defaults are used.")

    def _write(self, text: str) -> None:
        try:
            path = self._path.resolve()
            path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            write_whole(path, text.encode())
        except OSError as problem:
            raise InvalidInput(str(self._path), _told("could not be written", problem)) from None

    def _complain(self, place: Place, words: str) -> None:
        self._tell(f"{dotted(place)}: {words}; the default is used.")

    def _tell(self, what: str) -> None:
        self._problems.append(f"{self._path}: {what}")


def _wrong_with(content: bytes) -> str | None:
    """Why this cannot be settings; without the reader's own words, which may quote what stands there."""
    if len(content) > MOST_BYTES:
        return "is far too large"
    try:
        tomlkit.parse(content.decode()).unwrap()
    except (TOMLKitError, ValueError, RecursionError) as problem:
        line = getattr(problem, "line", None)
        return "is not valid TOML" if line is None else f"is not valid TOML (line {line})"
    return None


def _refuse(place: Place, words: str) -> NoReturn:
    raise InvalidInput(dotted(place), f"{words}; nothing was saved")


def _told(what: str, problem: OSError) -> str:
    return f"{what} ({problem.strerror or type(problem).__name__}) and is as it was"
