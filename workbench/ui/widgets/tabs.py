"""Tabs: the current one is underlined; a count may stand behind a name."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar

from workbench.ui.formatting import tokens
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import fill_rounded, set_text_style
from workbench.ui.look.theme import colour, theme_of

HEIGHT, INSET, PADDING = 36, 8, 14
COUNT_HEIGHT, COUNT_GAP = 16, 6


class Tabs(QTabBar):
    """A row of tabs that does not jump when another one becomes the current one."""

    def __init__(self, names: tuple[str, ...] = ()) -> None:
        super().__init__()
        self._counts: dict[int, int] = {}
        self._hovered = -1
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setMouseTracking(True)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setUsesScrollButtons(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setProperty("ring", False)
        for name in names:
            self.addTab(name)

    def set_count(self, index: int, count: int) -> None:
        """Show a count behind a tab's name; 0 shows none."""
        if self._counts.get(index, 0) != count:
            self._counts[index] = count
            self.setTabText(index, self.tabText(index))
            self.update()

    def count_of(self, index: int) -> int:
        return self._counts.get(index, 0)

    def tabSizeHint(self, index: int) -> QSize:
        """Measured in the weight of the current tab, so that none moves when it becomes that."""
        width = metrics("ui", 600).horizontalAdvance(self.tabText(index)) + 2 * PADDING
        count = self._counts.get(index, 0)
        return QSize(round(width + (self._count_width(count) + COUNT_GAP if count else 0)), HEIGHT)

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.tabAt(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        for index in range(self.count()):
            self._paint_tab(painter, index)

    def _paint_tab(self, painter: QPainter, index: int) -> None:
        theme = theme_of(self)
        box = QRectF(self.tabRect(index))
        current = index == self.currentIndex()
        token = "t1" if current or index == self._hovered else "t2"
        count = self._counts.get(index, 0)
        painter.setFont(font("ui", 600 if current else 500))
        painter.setPen(colour(token if self.isTabEnabled(index) else "t3", theme))
        room = self._count_width(count) + COUNT_GAP if count else 0.0
        text = box.adjusted(0, 0, -room, 0)
        painter.drawText(text, Qt.AlignmentFlag.AlignCenter, self.tabText(index))
        if count:
            self._paint_count(painter, box, count)
        if current:
            line = QRectF(box.left() + INSET, box.bottom() - 2, box.width() - 2 * INSET, 2)
            painter.fillRect(line, colour("accent", theme))
        if current and self.hasFocus() and self.window().testAttribute(_BY_KEYBOARD):
            painter.setPen(colour("accent", theme))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawRoundedRect(box.adjusted(3.5, 4.5, -3.5, -6.5), 5, 5)

    def _paint_count(self, painter: QPainter, box: QRectF, count: int) -> None:
        theme = theme_of(self)
        width = self._count_width(count)
        pill = QRectF(
            QPointF(box.right() - PADDING - width, box.center().y() - COUNT_HEIGHT / 2),
            QSize(1, COUNT_HEIGHT).toSizeF(),
        )
        pill.setWidth(width)
        fill_rounded(painter, pill, theme.sunken, COUNT_HEIGHT / 2)
        set_text_style(painter, font("meta", 500), colour("t2", theme))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, tokens(count))

    def _count_width(self, count: int) -> float:
        return max(COUNT_HEIGHT, metrics("meta", 500).horizontalAdvance(tokens(count)) + 10)

    def _hover(self, index: int) -> None:
        if index != self._hovered:
            self._hovered = index
            self.update()


_BY_KEYBOARD = Qt.WidgetAttribute.WA_KeyboardFocusChange
