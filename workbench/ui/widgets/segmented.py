"""A switch between a few views, all of them in sight."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import fill_rounded, stroke_rounded
from workbench.ui.look.theme import colour, theme_of

HEIGHT, RADIUS, PADDING = 28, 7, 12


class Segmented(QWidget):
    """Options are words, or pairs of a value and its word; `chosen` tells the value."""

    spoken_role = QAccessible.Role.PageTabList

    chosen = Signal(str)

    def __init__(self, options: Sequence[str | tuple[str, str]]) -> None:
        super().__init__()
        self._options = [(option, option) if isinstance(option, str) else option for option in options]
        self._current = 0
        self._hovered = -1
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", RADIUS)
        self._tell()

    def current(self) -> str:
        return self._options[self._current][0]

    def set_current(self, value: str) -> None:
        values = [each for each, _ in self._options]
        if value in values and values.index(value) != self._current:
            self._current = values.index(value)
            self._tell()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(sum(self._widths())) + 4, HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()), 0)
        if step:
            self._choose(min(max(self._current + step, 0), len(self._options) - 1))
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self._at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self._at(event.position().x())
        self.update()

    def leaveEvent(self, _event: object) -> None:
        self._hovered = -1
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self)
        painter = QPainter(self)
        fill_rounded(painter, QRectF(self.rect()), theme.sunken, RADIUS)
        for index, box in enumerate(self._boxes()):
            on = index == self._current
            if on:
                fill_rounded(painter, box, theme.raised, RADIUS - 2)
                stroke_rounded(painter, box, theme.btnline, RADIUS - 2)
            painter.setFont(font("small", 600 if on else 500))
            painter.setPen(colour("t1" if on or index == self._hovered else "t2", theme))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._options[index][1])

    def _choose(self, index: int) -> None:
        if 0 <= index != self._current:
            self._current = index
            self._tell()
            self.update()
            self.chosen.emit(self.current())

    def _tell(self) -> None:
        self.setAccessibleDescription(self._options[self._current][1])

    def _widths(self) -> list[float]:
        return [metrics("small", 600).horizontalAdvance(word) + 2 * PADDING for _, word in self._options]

    def _boxes(self) -> list[QRectF]:
        boxes, x = [], 2.0
        for width in self._widths():
            boxes.append(QRectF(x, 2, width, self.height() - 4))
            x += width
        return boxes

    def _at(self, x: float) -> int:
        return next((i for i, box in enumerate(self._boxes()) if box.left() <= x < box.right()), -1)
