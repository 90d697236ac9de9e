"""What the window remembers between starts: sizes, folded parts, the last chat, light or dark."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QByteArray, QSettings

if TYPE_CHECKING:  # the first paint has no words
    from workbench.ui.look.fonts import TextSizes

Mode = Literal["system", "light", "dark", "contrast"]
SCALE, SCALES = "scale", ("1", "1.25", "1.5", "1.75", "2", "2.5")
MODES: tuple[Mode, ...] = ("system", "light", "dark", "contrast")


class WindowMemory:
    """Saves these in a small file beside the store, readable by its owner only; it contains no user content."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._here: dict[str, object] = {}
        if path is not None and path.exists():
            kept = QSettings(str(path), QSettings.Format.IniFormat)
            self._here = {name: kept.value(name) for name in kept.allKeys()}

    def bytes_of(self, name: str) -> QByteArray:
        """The value saved under a name; empty if there is none."""
        found = self._here.get(name)
        return found if isinstance(found, QByteArray) else QByteArray()

    def text_of(self, name: str, otherwise: str = "") -> str:
        found = self._here.get(name)
        return found if isinstance(found, str) else otherwise

    def flag_of(self, name: str, otherwise: bool = False) -> bool:
        found = self._here.get(name)
        if isinstance(found, bool):
            return found
        return found == "true" if isinstance(found, str) else otherwise

    def keep(self, name: str, value: QByteArray | str | bool) -> None:
        """Remember a value; it is written by `flush`, and kept in memory if nothing can be written."""
        self._here[name] = value

    def flush(self) -> None:
        """Write everything to the file, if the data folder exists; only the store creates that."""
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
        kept = self.text_of("appearance")
        return next((mode for mode in MODES if mode == kept), "system")

    @property
    def sizes(self) -> TextSizes:
        """The saved text sizes; the defaults if they are not valid."""
        from workbench.ui.look.fonts import CHAT_SIZES, CODE_SIZES, ZOOMS, TextSizes

        usual = TextSizes()
        with suppress(ValueError):
            zoom, chat, code = self.text_of("text-sizes").split()
            found = TextSizes(float(zoom), int(chat), int(code))
            if found.zoom in ZOOMS and found.chat_px in CHAT_SIZES and found.code_px in CODE_SIZES:
                return found
        return usual

    @property
    def scale(self) -> str:
        """The scale factor of the whole program from the next start on; "1" if none was chosen."""
        kept = self.text_of(SCALE)
        return kept if kept in SCALES else SCALES[0]

    def keep_sizes(self, sizes: TextSizes) -> None:
        self.keep("text-sizes", f"{sizes.zoom} {sizes.chat_px} {sizes.code_px}")

    @property
    def calm(self) -> bool:
        return self.flag_of("reduced-motion")
