"""Makes a whole window a place to drop things on: shows where they go, and hands them on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.chat.drop_overlay import DropOverlay
from workbench.ui.chat.pasting import can_take


class DropTarget(QObject):
    """Watches a widget for drops; `dropped` has what was dropped, and only while it is being told.

    What is below the pointer may take a drop itself; everything else comes here. The overlay lies over `shown_on`,
    the part of the window in which things arrive.
    """

    dropped = Signal(QMimeData)

    def __init__(self, widget: QWidget, shown_on: QWidget | None = None) -> None:
        super().__init__(widget)
        self.overlay = DropOverlay(shown_on or widget)
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Follow a drag from when it comes to when it ends."""
        match event.type():
            case QEvent.Type.DragEnter if isinstance(event, QDragEnterEvent):
                return self._enter(event)
            case QEvent.Type.DragMove if isinstance(event, QDragMoveEvent):
                event.acceptProposedAction()
                return True
            case QEvent.Type.DragLeave:
                self.overlay.end()
                return True
            case QEvent.Type.Drop if isinstance(event, QDropEvent):
                self.overlay.end()
                event.acceptProposedAction()
                self.dropped.emit(event.mimeData())
                return True
            case _:
                return False

    def _enter(self, event: QDragEnterEvent) -> bool:
        if not can_take(event.mimeData()):
            return False
        event.acceptProposedAction()
        self.overlay.begin(event.mimeData())
        return True
