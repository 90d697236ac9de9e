"""A chip: one attached file in the composer."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import dashed_pen, elided, fill_rounded, set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
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


def paint_chip(painter: QPainter, box: QRectF, look: ChipLook, hovered: bool = False) -> None:
    """Paint the ground of a chip, and the border of its state."""
    theme = theme_of()
    lines: dict[ChipLook, str | QPen] = {
        "out": dashed_pen(theme.errline, 1, 4, 3),
        "pinned": theme.accent,
        "plain": theme.line2,
    }
    fill_rounded(painter, box, theme.hover if hovered else theme.raised, HEIGHT / 2)
    stroke_rounded(painter, box, lines.get(look, theme.warn), HEIGHT / 2)


class Chip(QWidget):
    """A file with its tokens or its state; Delete removes it, Space pins it, Enter opens it."""

    spoken_role = QAccessible.Role.Button

    removed = Signal()
    pinned = Signal()
    opened = Signal()

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
        width = 2 * PADDING + ICON + GAP + self._name_width() + GAP + CLOSE
        if self._behind():
            width += GAP + metrics("small").horizontalAdvance(self._behind())
        return QSize(int(width + 0.999), HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

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

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, ink, x = QPainter(self), INKS[self._look], float(PADDING)
        paint_chip(painter, QRectF(self.rect()), self._look)
        paint_icon(painter, self._at(x, ICON), ICONS.get(self._look, self._file_icon), ink, ICON)
        x += ICON + GAP
        x = self._paint_text(painter, x, self._fitting(), "err" if self._look == "out" else "t1") + GAP
        if self._behind():
            token = ink if self._word and self._look != "plain" else "t3"
            self._paint_text(painter, x, self._behind(), token)
        cross = "t1" if self._close_hovered else ink if self._look in ("out", "pinned") else "t3"
        paint_icon(painter, self._close_box(), "x", cross, 12)

    def _paint_text(self, painter: QPainter, x: float, text: str, token: str) -> float:
        width = metrics("small").horizontalAdvance(text)
        set_text_style(painter, font("small"), colour(token, theme_of(self)))
        painter.drawText(self._at(x, width + 1), Qt.AlignmentFlag.AlignCenter, text)
        return x + width

    def _behind(self) -> str:
        return self._word or self._figure

    def _fitting(self) -> str:
        return elided(font("small"), self._name, LONGEST_NAME_PX, Qt.TextElideMode.ElideMiddle)

    def _name_width(self) -> float:
        return metrics("small").horizontalAdvance(self._fitting())

    def _at(self, x: float, width: float) -> QRectF:
        return QRectF(x, 0, width, HEIGHT)

    def _close_box(self) -> QRectF:
        return self._at(self.width() - PADDING - CLOSE, CLOSE)
