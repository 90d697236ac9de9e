"""A chip: one attached file in the composer."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import Run, elided
from workbench.ui.widgets.card import DASHED, PanelLook
from workbench.ui.widgets.plain import shown, tip

ChipLook = Literal["plain", "out", "unseen", "stale", "secret", "pinned"]

HEIGHT, PADDING, ICON, GAP, CLOSE = 24, 9, 14, 5, 14
LONGEST_NAME_PX = 180.0
ICONS: dict[ChipLook, str] = {
    "out": "out",
    "unseen": "eye-off",
    "stale": "clock",
    "secret": "key",
    "pinned": "pin-filled",
}
"""What a state is shown by; a plain chip has an icon of its own."""
INKS: dict[ChipLook, str] = {
    "out": "err",
    "unseen": "warn",
    "stale": "warn",
    "secret": "warn",
    "pinned": "accent_text",
    "plain": "t2",
}


BORDERS: dict[ChipLook, str] = {"out": "errline", "pinned": "accent", "plain": "line2"}


class ChipPanel(PanelLook):
    """The round ground of a chip, with a border that shows the state it is in; mixed into a class of Qt's."""

    ground, border, radius = "raised", "line2", HEIGHT // 2
    padding = (PADDING, 0, 10, 0)

    def set_chip_look(self, look: ChipLook) -> None:
        self.border, self.dash = BORDERS.get(look, "warn"), DASHED if look == "out" else (0, 0)


class ChipButton(ChipPanel, QAbstractButton):
    """A chip that is pressed; a subclass says what stands in it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("ring_radius", HEIGHT // 2)

    def sizeHint(self) -> QSize:
        return self.runs_size(HEIGHT)


class Chip(ChipPanel, QWidget):
    """A file with its tokens or its state; Delete removes it, Space pins it, Enter opens it."""

    spoken_role = QAccessible.Role.Button

    removed = Signal()
    pinned = Signal()
    opened = Signal()

    padding = (PADDING, 0, PADDING, 0)

    def __init__(self, icon: str = "file") -> None:
        super().__init__()
        self._file_icon = icon
        self._name = self._figure = self._word = ""
        self._look: ChipLook = "plain"
        self._close_hovered = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", 12)

    def show(self, name: str = "", figure: str = "", look: ChipLook = "plain", word: str = "") -> None:
        """Show a file: its name, its figure (or a word instead), and the state it is in. Without a name: appear."""
        if not name:
            super().show()
            return
        self._name, self._figure, self._look, self._word = shown(name), figure, look, word
        self.setAccessibleName(self._name)
        self.setAccessibleDescription(word or figure)
        self.setToolTip(tip(name))
        self.updateGeometry()
        self.update()

    def add_tip(self, more: str) -> None:
        if more:
            self.setToolTip(tip(f"{self._name}\n{more}"))
            self.setAccessibleDescription(f"{self._behind()}, {more}")

    def look(self) -> ChipLook:
        return self._look

    def sizeHint(self) -> QSize:
        texts, measure = [self._fitting(), *filter(None, [self._behind()])], metrics("small")
        width = (
            2 * PADDING + ICON + CLOSE + GAP + sum(measure.horizontalAdvance(text) + GAP for text in texts)
        )
        return QSize(int(width + 0.999), HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace:
                self.removed.emit()
            case Qt.Key.Key_Space:
                self.pinned.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.opened.emit()
            case _:
                super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._close_box().contains(event.position())
        if over != self._close_hovered:
            self._close_hovered = over
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._close_hovered = False
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            (self.removed if self._close_box().contains(event.position()) else self.opened).emit()

    def update_look(self) -> None:
        look, ink = self._look, INKS[self._look]
        self.set_chip_look(look)
        self.runs = (
            Run(icon=ICONS.get(look, self._file_icon), token=ink, gap=GAP + 0.5),
            Run(self._fitting(), "err" if look == "out" else "t1", gap=GAP),
            Run(self._behind(), ink if self._word and look != "plain" else "t3"),
        )
        cross = "t1" if self._close_hovered else ink if look in ("out", "pinned") else "t3"
        self.end_runs = (Run(icon="x", token=cross, size=12, width=CLOSE),)

    def _behind(self) -> str:
        return self._word or self._figure

    def _fitting(self) -> str:
        return elided(font("small"), self._name, LONGEST_NAME_PX, Qt.TextElideMode.ElideMiddle)

    def _close_box(self) -> QRectF:
        return QRectF(self.width() - PADDING - CLOSE, 0, CLOSE, HEIGHT)
