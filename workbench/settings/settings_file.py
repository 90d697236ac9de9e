"""The settings file: TOML that people edit too, so comments, order and unknown entries stay; keys never get in.

A file that cannot be understood is left where and as it is: it may say where requests go, so nothing is sent by it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import tomlkit
from tomlkit.exceptions import TOMLKitError

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.node import JsonPath
from workbench.domain.settings.app_preferences import Preferences
from workbench.domain.settings.settings_problem import SavingOff, SettingsProblem, blocking
from workbench.files.reading import broken_link, user_file
from workbench.files.writing import FOLDER_MODE, write_whole
from workbench.settings.form import check_form, write_form
from workbench.settings.key_like import dotted, key_like
from workbench.settings.positions import Position, mistake_in
from workbench.settings.toml_check import KEYS_BELONG, TomlCheck
from workbench.settings.toml_edits import edited

FILE_NAME = "settings.toml"
MOST_BYTES = 256 * 1024
_HEAD = "# Settings of Context Workbench. Keys do not belong here: `workbench keys provider` keeps them.\n\n"


class SettingsFile:
    """The settings of one data folder → PreferencesStore."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._problems: tuple[SettingsProblem, ...] = ()
        self._known = Preferences()
        self._seen = False

    @property
    def problems(self) -> tuple[SettingsProblem, ...]:
        """What was wrong when the file was last read."""
        return self._problems

    def load(self) -> Preferences:
        """What the file says; what is wrong has its default, and the file is left as it is."""
        text, wrong = self._read()
        if text is None and wrong is None and self._seen:
            # Deleted, or a disk that is away: who goes on without it has to say so.
            words = "the file was there and is gone; put it back, or start again to go on without it"
            wrong = SettingsProblem(str(self._path), words)
        self._known, self._problems = Preferences(), () if wrong is None else (wrong,)
        if text is not None:
            self._seen = True
            looked = TomlCheck(str(self._path), text)
            self._known, self._problems = looked.preferences, tuple(looked.problems)
        return self._known

    def save(self, preferences: Preferences) -> None:
        """Write what differs from what was read last; whatever else was changed in the file since stays."""
        new, old = write_form(preferences), write_form(self._known)
        for place in key_like(new):
            raise InvalidInput(dotted(place), f"looks like a key, and was not saved; {KEYS_BELONG}")
        check_form(new, _refuse)
        text, wrong = self._read()
        if text is not None:
            wrong = blocking(tuple(TomlCheck(str(self._path), text).problems))
        if wrong is not None:
            raise SavingOff(wrong)
        if text is None:
            text, old = _HEAD, write_form(Preferences())
        self._write(edited(text, old, new))
        self._known = preferences

    def _read(self) -> tuple[str | None, SettingsProblem | None]:
        """The file's text, where there is one that can be understood; else what is wrong with it, if anything is."""
        try:
            with user_file(str(self._path)) as opened:
                content = opened.read(MOST_BYTES + 1)
        except FileNotFoundError:
            link = broken_link(self._path)
            words = f"the file could not be read (the link {link} leads nowhere)"
            return None, None if link is None else SettingsProblem(str(self._path), words)
        except OSError as problem:
            return None, SettingsProblem(str(self._path), f"the file {_told('could not be read', problem)}")
        wrong = _wrong_with(content)
        if wrong is None:
            return content.decode(), None
        words, at = wrong
        return None, SettingsProblem(str(self._path), words, *(at or ()))

    def _write(self, text: str) -> None:
        try:
            path = self._path.resolve()
            path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            write_whole(path, text.encode())
        except OSError as problem:
            words = f"{_told('could not be written', problem)} and is as it was"
            raise InvalidInput(str(self._path), words) from None


def _wrong_with(content: bytes) -> tuple[str, Position | None] | None:
    """Why this cannot be settings, and where; without the reader's own words, which may quote what stands there."""
    if len(content) > MOST_BYTES:
        return "the file is far too large", None
    try:
        tomlkit.parse(content.decode()).unwrap()
    except (TOMLKitError, ValueError, RecursionError) as problem:
        line, column = getattr(problem, "line", 1), getattr(problem, "col", 0)
        return "this is not valid TOML", mistake_in(content) or Position(line, column + 1)
    return None


def _refuse(place: JsonPath, words: str) -> NoReturn:
    raise InvalidInput(dotted(place), f"{words}; nothing was saved")


def _told(what: str, problem: OSError) -> str:
    return f"{what} ({problem.strerror or str(problem) or type(problem).__name__})"
