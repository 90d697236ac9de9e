"""Cards: a raised ground with a thin border, and the rows of a list in one."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import dashed_pen, fill_rounded, stroke_rounded
from workbench.ui.look.space import columns, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import Tone, tone_colours
from workbench.ui.widgets.labels import ElidedLabel

RADIUS = 10
ROW_HEIGHT = 52
ICON_ROOM = 32
HAIRLINE = 1


class Card(QFrame):
    """A raised ground; `tone` colours its border, `ground` is the token of its fill."""

    def __init__(self, tone: Tone | None = None, ground: str = "raised", dashed: bool = False) -> None:
        super().__init__()
        self._tone: Tone | None = tone
        self._ground = ground
        self._dashed = dashed
        self._rows: QVBoxLayout | None = None

    def set_tone(self, tone: Tone | None) -> None:
        """Give the border another tone, or its quiet line."""
        self._tone = tone
        self.update()

    def set_ground(self, ground: str) -> None:
        """Fill it with another token."""
        self._ground = ground
        self.update()

    def add_row(self, row: QWidget) -> None:
        """Put a row under those that are there, with a hairline between them."""
        if self._rows is None:
            self._rows = rows(self, (1, 1, 1, 1), HAIRLINE)
        self._rows.addWidget(row)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint ground and border."""
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

    def _visible_rows(self) -> list[QWidget]:
        if self._rows is None:
            return []
        found = [self._rows.itemAt(index).widget() for index in range(self._rows.count())]
        return [row for row in found if row.isVisibleTo(self)]


class CardRow(QWidget):
    """A row of a list in a card: icon, title with a line under it, a badge behind the title, an action at the end."""

    pressed = Signal()

    def __init__(
        self,
        icon: str,
        title: str,
        line: str = "",
        badge: QWidget | None = None,
        action: QWidget | None = None,
    ) -> None:
        super().__init__()
        self._icon = icon
        self._selected = False
        self._pressable = False
        self.title = ElidedLabel(title, "ui_label")
        self.line = ElidedLabel(line, "small", "t3")
        self.line.setVisible(bool(line))
        self.setMinimumHeight(ROW_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
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
        down.addWidget(self.line)
        down.addStretch(1)
        across.setStretchFactor(down, 1)
        self.end = columns(across, spacing=8)
        if action is not None:
            self.end.addWidget(action, 0, Qt.AlignmentFlag.AlignVCenter)

    def set_selected(self, selected: bool) -> None:
        """Show the row as the chosen one."""
        self._selected = selected
        self.update()

    def set_icon(self, icon: str) -> None:
        """Show another icon."""
        self._icon = icon
        self.update()

    def set_line(self, line: str) -> None:
        """Change the line under the title; an empty one goes away."""
        self.line.setText(line)
        self.line.setVisible(bool(line))

    def set_pressable(self, pressable: bool) -> None:
        """Let the whole row be chosen by pointer and keyboard."""
        self._pressable = pressable
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if pressable else Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover, pressable)
        self.setAccessibleName(self.title.text())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click anywhere chooses the row."""
        if (
            self._pressable
            and event.button() == Qt.MouseButton.LeftButton
            and self.rect().contains(event.position().toPoint())
        ):
            self.pressed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space and Enter choose the row."""
        if self._pressable and event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.pressed.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint ground and icon."""
        theme = theme_of(self)
        painter = QPainter(self)
        hovered = self._pressable and self.underMouse()
        if self._selected or hovered:
            painter.save()
            painter.setClipPath(self._card_outline())
            painter.fillRect(self.rect(), colour("sel" if self._selected else "raised_hover", theme))
            painter.restore()
        if self._icon:
            mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
            spot = QRectF(self.width() - 32 if mirrored else 12, 0, 20, self.height())
            paint_icon(painter, spot, self._icon, "t2", 20)

    def _card_outline(self) -> QPainterPath:
        """The round corners of the card, so that the ground of its first and last row does not fill them."""
        card = self.parentWidget()
        box = QRectF(card.rect() if isinstance(card, Card) else self.rect())
        path = QPainterPath()
        radius = RADIUS - 1.0 if isinstance(card, Card) else 0.0
        inside = box.adjusted(1, 1, -1, -1).translated(-self.pos()) if isinstance(card, Card) else box
        path.addRoundedRect(inside, radius, radius)
        return path
