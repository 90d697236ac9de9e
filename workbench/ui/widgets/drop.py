"""Taking what is dropped: always as a copy, because some sources delete what somebody took as moved."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent


def take_copy(event: QDropEvent) -> None:
    """Accept what is held or dropped as a copy, whatever its source would rather do."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
