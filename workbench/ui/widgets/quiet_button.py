"""Small buttons beside a message: grey until they are pointed at or reached by keyboard."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QEnterEvent, QFocusEvent, QPaintEvent

from workbench.ui.widgets.buttons import ToolButton
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.timer import single_shot

DONE_MS = 1_500


class QuietButton(ToolButton):
    """An icon in grey; `shy`, it is not seen at all until its message is pointed at or it has the focus."""

    def __init__(self, icon: str, name: str, side: int = 28, *, shy: bool = False) -> None:
        super().__init__(icon, name, side)
        self._name, self._own = name, icon
        self._shy, self._revealed = shy, False
        self.set_icon(icon, "t3")
        self.setToolTip(tip(name))
        self._done: QTimer | None = None

    def reveal(self, revealed: bool) -> None:
        """Show a shy button, or hide it again."""
        if revealed != self._revealed:
            self._revealed = revealed
            self._tell_line()

    def takes_room(self) -> bool:
        """Whether it is seen, so that others must make room."""
        return not self._shy or self._revealed or self.hasFocus()

    def say_done(self, word: str) -> None:
        """Show for a moment that what it does was done."""
        self.set_icon("check", "ok")
        self.setAccessibleName(word)
        if self._done is None:
            self._done = single_shot(self, self._back)
        self._done.start(DONE_MS)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._follow()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._follow()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._follow()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._follow()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.takes_room() or self.isDown():
            super().paintEvent(event)

    def _follow(self) -> None:
        if self._done is None or not self._done.isActive():
            self.set_icon(self._own, "t1" if self.hasFocus() or self.underMouse() else "t3")
        self._tell_line()

    def _tell_line(self) -> None:
        self.update()
        line = self.parentWidget()
        if self._shy and line is not None:
            line.update()

    def _back(self) -> None:
        self.setAccessibleName(self._name)
        self._follow()
