"""What the window remembers from one start to the next: sizes, folds, the last chat, light or dark."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QByteArray, QSettings

Mode = Literal["system", "light", "dark"]
MODES: tuple[Mode, ...] = ("system", "light", "dark")


class WindowMemory:
    """A small file beside the store, for its owner only; losing it loses no words."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._here: dict[str, object] = {}
        if path is not None and path.exists():
            kept = QSettings(str(path), QSettings.Format.IniFormat)
            self._here = {name: kept.value(name) for name in kept.allKeys()}

    def bytes_of(self, name: str) -> QByteArray:
        """What was remembered under a name; empty where nothing was."""
        found = self._here.get(name)
        return found if isinstance(found, QByteArray) else QByteArray()

    def text_of(self, name: str, otherwise: str = "") -> str:
        """Words that were remembered."""
        found = self._here.get(name)
        return found if isinstance(found, str) else otherwise

    def flag_of(self, name: str, otherwise: bool = False) -> bool:
        """Yes or no."""
        found = self._here.get(name)
        if isinstance(found, bool):
            return found
        return found == "true" if isinstance(found, str) else otherwise

    def keep(self, name: str, value: QByteArray | str | bool) -> None:
        """Remember something; where nothing can be written it holds until the end."""
        self._here[name] = value

    def flush(self) -> None:
        """Write it down, once there is a data folder: making that is the store's business."""
        if self._path is None or not self._path.parent.is_dir():
            return
        with suppress(OSError):
            self._path.touch(mode=0o600)
            self._path.chmod(0o600)
        kept = QSettings(str(self._path), QSettings.Format.IniFormat)
        for name, value in self._here.items():
            kept.setValue(name, value)
        kept.sync()

    @property
    def mode(self) -> Mode:
        """Light, dark, or as the system is."""
        kept = self.text_of("appearance")
        return next((mode for mode in MODES if mode == kept), "system")

    @property
    def calm(self) -> bool:
        """Whether nothing shall move."""
        return self.flag_of("reduced-motion")
