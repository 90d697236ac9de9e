"""What the window remembers from one start to the next: sizes, folds, the last chat, light or dark."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from PySide6.QtCore import QByteArray, QSettings

Mode = Literal["system", "light", "dark"]
MODES: tuple[Mode, ...] = ("system", "light", "dark")


class WindowMemory:
    """A small file beside the store; losing it loses no words."""

    def __init__(self, path: Path | None) -> None:
        self._settings = None if path is None else QSettings(str(path), QSettings.Format.IniFormat)
        self._here: dict[str, object] = {}

    def bytes_of(self, name: str) -> QByteArray:
        """What was remembered under a name; empty where nothing was."""
        found = self._get(name)
        return found if isinstance(found, QByteArray) else QByteArray()

    def text_of(self, name: str, otherwise: str = "") -> str:
        """Words that were remembered."""
        found = self._get(name)
        return found if isinstance(found, str) else otherwise

    def flag_of(self, name: str, otherwise: bool = False) -> bool:
        """Yes or no."""
        found = self._get(name)
        if isinstance(found, bool):
            return found
        return found == "true" if isinstance(found, str) else otherwise

    def keep(self, name: str, value: QByteArray | str | bool) -> None:
        """Remember something; where nothing can be written it holds until the end."""
        self._here[name] = value
        if self._settings is not None:
            self._settings.setValue(name, value)

    def flush(self) -> None:
        """Write it down now."""
        if self._settings is not None:
            self._settings.sync()

    @property
    def mode(self) -> Mode:
        """Light, dark, or as the system is."""
        kept = self.text_of("appearance")
        return next((mode for mode in MODES if mode == kept), "system")

    @property
    def calm(self) -> bool:
        """Whether nothing shall move."""
        return self.flag_of("reduced-motion")

    def _get(self, name: str) -> object:
        if name in self._here or self._settings is None:
            return self._here.get(name)
        return self._settings.value(name)
