"""Panels and cards: what is painted behind and between widgets, and the rows of a list in a card."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import Run, dashed_pen, fill_rounded, paint_runs, paint_shadow, stroke_rounded
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import TONES, Tone
from workbench.ui.widgets.labels import ElidedLabel

RADIUS = 10
ROW_HEIGHT = 52
ICON_ROOM = 32
HAIRLINE = 1
DASHED = (4, 3)
"""The dashes of a border around what is only offered, or left out."""


class LeadingIcon(NamedTuple):
    """An icon before what a card or panel says; `box` is where it is centred, 0 high for as high as the widget."""

    icon: str
    token: str = "t2"
    size: int = 16
    box: tuple[int, int, int, int] = (12, 0, 16, 0)

    def paint(self, painter: QPainter, height: int) -> None:
        left, top, width, high = self.box
        paint_icon(painter, QRectF(left, top, width, high or height), self.icon, self.token, self.size)


if TYPE_CHECKING:
    _AnyWidget = QWidget
else:
    _AnyWidget = object  # the class that it is mixed into has the widget


class PanelLook(_AnyWidget):
    """Paints what is behind a widget's children: a ground, a border, lines along its edges, an icon.

    Mixed into a class of Qt's (`Panel` is the usual one). A subclass or an instance sets the attributes; colours are
    names of fields of `Theme`, empty for none.

    Attributes:
        ground, border: its fill and its outline, with corners of `radius`.
        shadow_margin: how much of the widget, all around, is left to the shadow of the box; 0 for no shadow.
        line_above, line_below: whether it has a line there, of colour `line_token`, `line_inset` shorter at both ends.
        dash: how long the dashes of border and lines are, and their gaps; zeros for unbroken ones.
        stripe, stripe_width: a bar along its left edge.
        opacity: of everything it paints.
        inside_card: whether it lies in a card whose round corners cut what it paints.
        leading: its icon. runs, end_runs: a line of words and icons from its beginning, and from its end, within
            `padding` (left, top, right, bottom); `centred`: in the middle.
    """

    ground = border = stripe = ""
    border_width = 1.0
    radius = 0.0
    dash = (0, 0)
    shadow_margin = 0
    line_token = "line"
    line_above = line_below = False
    line_inset = 0
    stripe_width = 3
    opacity = 1.0
    inside_card = False
    leading: LeadingIcon | None = None
    runs: tuple[Run, ...] = ()
    end_runs: tuple[Run, ...] = ()
    padding = (0, 0, 0, 0)
    centred = False

    def update_look(self) -> None:
        """Set the attributes that follow from a state, such as hovering; called before each painting."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        self.update_look()
        painter, margin = QPainter(self), self.shadow_margin
        box = QRectF(self.rect()).adjusted(margin, margin, -margin, -margin)
        painter.setOpacity(self.opacity)
        if self.inside_card:
            painter.setClipPath(self.inside_of_card())
        self._paint_box(painter, box)
        if self.leading is not None:
            self.leading.paint(painter, self.height())
        if self.runs or self.end_runs:
            left, top, right, bottom = self.padding
            room = box.adjusted(left, top, -right, -bottom)
            if self.centred:
                room.setLeft(room.left() + max(0.0, (room.width() - self._runs_width()) / 2))
            paint_runs(painter, room, self.runs, self.end_runs)

    def _paint_box(self, painter: QPainter, box: QRectF) -> None:
        theme = theme_of(self)
        if self.shadow_margin:
            paint_shadow(painter, box, theme, self.radius)
        if self.ground and self.radius:
            fill_rounded(painter, box, colour(self.ground, theme), self.radius)
        elif self.ground:
            painter.fillRect(self.rect(), colour(self.ground, theme))
        if self.stripe:
            self._paint_stripe(painter, box)
        for y, wanted in ((0, self.line_above), (self.height() - 1, self.line_below)):
            if wanted:
                self._paint_line(painter, y)
        if self.border:
            ink = colour(self.border, theme)
            line = dashed_pen(ink, self.border_width, *self.dash) if any(self.dash) else ink
            stroke_rounded(painter, box, line, self.radius, self.border_width)

    def runs_size(self, height: int) -> QSize:
        """How large it must be for all its words to be seen."""
        self.update_look()
        left, _, right, _ = self.padding
        return QSize(int(left + self._runs_width() + right + 0.999), height)

    def _runs_width(self) -> float:
        pieces = (*self.runs, *self.end_runs)
        return sum(run.needs() + run.gap for run in pieces) - (pieces[-1].gap if pieces else 0)

    def _paint_line(self, painter: QPainter, y: int) -> None:
        ink, left = colour(self.line_token, theme_of(self)), self.line_inset
        right = self.width() - left
        if any(self.dash):
            painter.setPen(dashed_pen(ink, 1, *self.dash))
            painter.drawLine(left, y, right, y)
        else:
            painter.fillRect(left, y, right - left, HAIRLINE, ink)

    def _paint_stripe(self, painter: QPainter, box: QRectF) -> None:
        """Along the left edge, not over round corners."""
        painter.save()
        if self.radius:
            inside = QPainterPath()
            inside.addRoundedRect(box, self.radius, self.radius)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipPath(inside)
        painter.fillRect(QRectF(0, 0, self.stripe_width, box.height()), colour(self.stripe, theme_of(self)))
        painter.restore()

    def inside_of_card(self) -> QPainterPath:
        """What is within the border of the widget that it lies in, in its own coordinates."""
        path = QPainterPath()
        card: QWidget | None = self.parentWidget()
        box = QRectF(self.rect()) if card is None else QRectF(card.rect()).translated(-self.x(), -self.y())
        path.addRoundedRect(box.adjusted(1, 1, -1, -1), RADIUS - 1, RADIUS - 1)
        return path


class Panel(PanelLook, QWidget):
    """A plain widget with a ground, a border, lines or an icon."""


class Card(Panel):
    """A box with a border and round corners; `tone` colours its border, `ground` is its fill.

    Rows that are added with `add_row` have a line between them.
    """

    radius = RADIUS

    def __init__(self, tone: Tone | None = None, ground: str = "raised", dashed: bool = False) -> None:
        super().__init__()
        self.border = TONES[tone].line if tone else "line2" if dashed else "line"
        self.ground, self.dash = ground, DASHED if dashed else (0, 0)
        self._rows: QVBoxLayout | None = None

    def add_row(self, row: QWidget) -> None:
        if self._rows is None:
            self._rows = rows(self, (1, 1, 1, 1), HAIRLINE)
        self._rows.addWidget(row)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._rows is not None:
            painter, ink = QPainter(self), colour("line", theme_of(self))
            found = [self._rows.itemAt(index).widget() for index in range(self._rows.count())]
            for row in [row for row in found if row.isVisibleTo(self)][1:]:
                painter.fillRect(1, row.y() - HAIRLINE, self.width() - 2, HAIRLINE, ink)


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
    """A thin line across, or an upright one; its colour comes from the palette that `look/proxy_style.py` gives it."""

    def __init__(self, upright: bool = False) -> None:
        super().__init__()
        self.setObjectName("hairline")
        if upright:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)
