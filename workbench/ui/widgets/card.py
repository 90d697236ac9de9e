"""Cards and panels: a ground with a border or hairlines, an icon before the words, and the rows of a list."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QVBoxLayout, QWidget

from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import dashed_pen, fill_rounded, stroke_rounded
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import Tone, tone_colours
from workbench.ui.widgets.labels import ElidedLabel

RADIUS = 10
ROW_HEIGHT = 52
ICON_ROOM = 32
HAIRLINE = 1


class LeadingIcon(NamedTuple):
    """An icon before what a card or panel says; `box` is where it is centred, 0 high for as high as the widget."""

    icon: str
    token: str = "t2"
    size: int = 16
    box: tuple[int, int, int, int] = (12, 0, 16, 0)

    def paint(self, painter: QPainter, height: int) -> None:
        left, top, width, high = self.box
        paint_icon(painter, QRectF(left, top, width, high or height), self.icon, self.token, self.size)


class Panel(QWidget):
    """A part of the window with a ground, hairlines along its edges or an icon; a subclass or an instance says which.

    Attributes:
        ground: the token of its fill; empty for none. line_above, line_below: whether it has a hairline there.
        line_inset: by how much hairlines are shorter at both ends. leading: its icon.
    """

    ground = ""
    line_above = line_below = False
    line_inset = 0
    leading: LeadingIcon | None = None

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = theme_of(self), QPainter(self)
        if self.ground:
            painter.fillRect(self.rect(), colour(self.ground, theme))
        for y, wanted in ((0, self.line_above), (self.height() - 1, self.line_below)):
            if wanted:
                box = QRectF(self.line_inset, y, self.width() - 2 * self.line_inset, HAIRLINE)
                painter.fillRect(box, colour("line", theme))
        if self.leading is not None:
            self.leading.paint(painter, self.height())


class Card(QFrame):
    """A raised ground; `tone` colours its border, `ground` is the token of its fill, `leading` its icon."""

    leading: LeadingIcon | None = None

    def __init__(self, tone: Tone | None = None, ground: str = "raised", dashed: bool = False) -> None:
        super().__init__()
        self._tone: Tone | None = tone
        self._ground = ground
        self._dashed = dashed
        self._rows: QVBoxLayout | None = None

    def add_row(self, row: QWidget) -> None:
        if self._rows is None:
            self._rows = rows(self, (1, 1, 1, 1), HAIRLINE)
        self._rows.addWidget(row)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self)
        painter = QPainter(self)
        box = QRectF(self.rect())
        fill_rounded(painter, box, getattr(theme, self._ground), RADIUS)
        line = tone_colours(theme, self._tone).line if self._tone else theme.line
        if self._dashed:
            stroke_rounded(painter, box, dashed_pen(theme.line2 if not self._tone else line, 1, 4, 3), RADIUS)
        else:
            stroke_rounded(painter, box, line, RADIUS)
        for row in self._visible_rows()[1:]:
            painter.fillRect(QRectF(1, row.y() - HAIRLINE, self.width() - 2, HAIRLINE), colour("line", theme))
        if self.leading is not None:
            self.leading.paint(painter, self.height())

    def _visible_rows(self) -> list[QWidget]:
        if self._rows is None:
            return []
        found = [self._rows.itemAt(index).widget() for index in range(self._rows.count())]
        return [row for row in found if row.isVisibleTo(self)]


class CardRow(Panel):
    """A row of a list in a card: icon, title with a line under it, a badge behind the title, an action at the end.

    A line that is a label may be several, all of which are seen.
    """

    def __init__(
        self,
        icon: str,
        title: str,
        line: str | QLabel = "",
        badge: QWidget | None = None,
        action: QWidget | None = None,
    ) -> None:
        super().__init__()
        self.set_icon(icon)
        self.title = ElidedLabel(title, "ui_label")
        whole = isinstance(line, QLabel)
        self.line = line if isinstance(line, QLabel) else ElidedLabel(line, "small", "t3")
        if not self.line.text():
            self.line.hide()  # never shown before it has a place: it would be a window of its own
        self.setMinimumHeight(ROW_HEIGHT)
        high = QSizePolicy.Policy.Minimum if whole else QSizePolicy.Policy.Fixed
        self.setSizePolicy(QSizePolicy.Policy.Preferred, high)
        across = columns(self, (12, 7, 12, 7), 8)
        if icon:
            across.addSpacing(ICON_ROOM)
        down = rows(across, spacing=1)
        down.addStretch(1)
        head = columns(down, spacing=6)
        head.addWidget(self.title)
        if badge is not None:
            head.addWidget(badge)
        head.addStretch(1)
        fill(down, self.line, STRETCH)
        across.setStretchFactor(down, 1)
        self.end = columns(across, spacing=8)
        if action is not None:
            self.end.addWidget(action, 0, Qt.AlignmentFlag.AlignVCenter)

    def set_icon(self, icon: str) -> None:
        self.leading = LeadingIcon(icon, size=20, box=(12, 0, 20, 0)) if icon else None
        self.update()

    def set_line(self, line: str) -> None:
        self.line.setText(line)
        self.line.setVisible(bool(line))


class Hairline(QWidget):
    """A line across, or an upright one; `look/dressing.py` gives it its colour."""

    def __init__(self, upright: bool = False) -> None:
        super().__init__()
        self.setObjectName("hairline")
        if upright:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)
