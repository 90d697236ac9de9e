"""Which tools the chats of a workspace have: a row each, with a switch and what its definition costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.ui import formatting
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import fill_rounded
from workbench.ui.look.space import S2, columns
from workbench.ui.look.theme import theme_of
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.plain import shown
from workbench.ui.workspace.rows import Section, end_figure

ROW_HEIGHT = 31
WIDTH, HEIGHT, KNOB = 28, 16, 12
NAME_WIDTH = 66


@dataclass(frozen=True, slots=True)
class ToolValue:
    """A tool as it is shown; `tokens` is what it costs in every request, None where it is off or not counted."""

    name: str
    line: str
    on: bool
    tokens: int | None = None
    icon: str = "tool"


class Switch(QAbstractButton):
    """On or off; Space turns it."""

    def __init__(self, name: str, on: bool) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setChecked(on)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", HEIGHT // 2)

    def sizeHint(self) -> QSize:
        """Always the same."""
        return QSize(WIDTH, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the track and the knob."""
        theme, painter = theme_of(self), QPainter(self)
        on, mirrored = self.isChecked(), self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        painter.setOpacity(1.0 if self.isEnabled() else 0.45)
        fill_rounded(painter, QRectF(self.rect()), theme.accent if on else theme.edge, HEIGHT / 2)
        x = WIDTH - KNOB - 2 if on != mirrored else 2
        fill_rounded(painter, QRectF(x, 2, KNOB, KNOB), theme.on_accent if on else theme.surface, KNOB / 2)


class ToolRow(QWidget):
    """One tool."""

    switched = Signal(str, bool)

    def __init__(self, value: ToolValue) -> None:
        super().__init__()
        self.value = value
        self.setFixedHeight(ROW_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        name = ElidedLabel(shown(value.name, 60), "ui_label", "t1" if value.on else "t3")
        name.setMinimumWidth(NAME_WIDTH)
        line = ElidedLabel(shown(value.line, 120), "small", "t3")
        line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.switch = Switch(
            self.tr("{tool}, {line}").format(tool=shown(value.name, 60), line=shown(value.line, 120)),
            value.on,
        )
        cost = "" if value.tokens is None else formatting.tokens(value.tokens)
        self.figure = end_figure(cost if value.on else "0", "t2" if value.on else "t3")
        across = columns(self, (34, 0, 12, 0), S2)
        across.addWidget(name)
        across.addWidget(line, 1)
        across.addWidget(self.switch)
        across.addWidget(self.figure)
        self.switch.clicked.connect(lambda on: self.switched.emit(value.name, on))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the icon."""
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        spot = QRectF(self.width() - 28 if mirrored else 12, 0, 16, self.height())
        paint_icon(QPainter(self), spot, self.value.icon, "t2" if self.value.on else "t3", 16)


class ToolsSection(Section):
    """The tools that there are; what is pressed is told, and whoever knows how switches it.

    Signals:
        switched: a tool by its name, and whether it is on.
    """

    switched = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__("", "", icon="tool")
        self.title.setText(self.tr("Tools"))

    def show_tools(self, tools: Sequence[ToolValue]) -> None:
        """Show these; without any there is nothing to say."""
        values = tuple(tools)
        self.setVisible(bool(values))
        if values != self._shown:
            made = [ToolRow(value) for value in values]
            for row in made:
                row.switched.connect(self.switched)
            self.show_rows(made, values)
        total = sum(value.tokens or 0 for value in values if value.on)
        words = self.tr("{n} tokens of definitions").format(n=formatting.tokens(total))
        self.say(words if any(value.on for value in values) else self.tr("all off"))
