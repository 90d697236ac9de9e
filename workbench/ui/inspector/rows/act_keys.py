"""The keys that tune a row, the same in the tree and in the drop order."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from workbench.ui.inspector.rows.row_acts import Act

_KEYS: dict[int, Act] = {
    Qt.Key.Key_Space: "pin",
    Qt.Key.Key_Plus: "earlier",
    Qt.Key.Key_Minus: "later",
    Qt.Key.Key_Delete: "leave_out",
}
# By what is typed as well: where + stands on a key differs from keyboard to keyboard.
_SIGNS: dict[str, Act] = {"+": "earlier", "-": "later", "−": "later"}
_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


def act_of(event: QKeyEvent) -> Act | None:
    """What a key does with a row; None where it does nothing."""
    if event.modifiers() & _COMMANDS:
        return None
    return _SIGNS.get(event.text()) or _KEYS.get(event.key())


def digit_of(event: QKeyEvent) -> int | None:
    """The digit that was typed."""
    plain = not event.modifiers() & _COMMANDS and event.text().isascii()
    return int(event.text()) if plain and event.text().isdecimal() else None
