"""Widgets one below the other, each as high as its width asks for; only what changed is measured again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLayout, QLayoutItem, QScrollArea, QSizePolicy, QWidget

from workbench.ui.look.space import STRETCH, Margins, columns, fill, rows
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.labels import IconSpot, label, set_text


class StackItem(NamedTuple):
    """A widget in a stack: the gap above it, and how far it stands in."""

    widget: QWidget
    gap: int = 0
    indent: int = 0


class Stack(QWidget):
    """A column without a layout: a layout would ask every widget for its height whenever one of them grows."""

    height_changed = Signal()

    def __init__(self, margins: Margins = (0, 0, 0, 0), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._margins = margins
        self._stacked: list[StackItem] = []
        self._heights: dict[QWidget, tuple[int, int]] = {}
        self._misplaced = True
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def stack_items(self) -> tuple[StackItem, ...]:
        return tuple(self._stacked)

    def set_margins(self, margins: Margins) -> None:
        """Leave other room around everything: left, top, right, bottom."""
        if margins != self._margins:
            self._margins = margins
            self.remeasure()

    def set_stack_items(self, items: Sequence[StackItem]) -> None:
        """Show exactly these; widgets that no longer stand here are hidden and left to their owner."""
        if len(items) == len(self._stacked) and all(map(_is_same, items, self._stacked)):
            return
        wanted = {item.widget for item in items}
        for old in self._stacked:
            if old.widget not in wanted:
                old.widget.hide()
                self._heights.pop(old.widget, None)
        self._stacked = list(items)
        for item in self._stacked:
            if item.widget.parentWidget() is not self:
                item.widget.setParent(self)
            if item.widget.isHidden():
                item.widget.show()
        # Only while there is need: every event of every stack would be one for Python.
        if any(item.widget.layout() is not None for item in self._stacked):
            self.installEventFilter(self)
        else:
            self.removeEventFilter(self)
        self.remeasure()

    def put_aside(self, *widgets: QWidget) -> None:
        """Hide widgets that were made for this but have no place yet; Qt would show them with it, anywhere."""
        for widget in widgets:
            widget.hide()

    def forget(self, widget: QWidget) -> None:
        self._heights.pop(widget, None)

    def remeasure(self, widget: QWidget | None = None) -> None:
        """Say that something in here may have another height now; told on to what this stands in."""
        if widget is not None:
            self.forget(widget)
        self._misplaced = True
        above = self.parentWidget()
        if isinstance(above, Stack):
            above.remeasure(self)
        else:
            self.height_changed.emit()

    def place_all(self) -> None:
        """Put everything in its place now, where something may have moved since."""
        if not self._misplaced:
            return
        self._misplaced = False
        left, top, right, _ = self._margins
        y = top
        for number, item in enumerate(self._stacked):
            width = max(1, self.width() - left - right - item.indent)
            y += item.gap if number else 0
            height = self._height_of(item.widget, width)
            wanted = QRect(left + item.indent, y, width, height)
            if item.widget.geometry() != wanted:
                item.widget.setGeometry(wanted)
            if isinstance(item.widget, Stack):
                item.widget.place_all()
            y += height

    def heightForWidth(self, width: int) -> int:
        left, top, right, bottom = self._margins
        total = top + bottom
        for number, item in enumerate(self._stacked):
            total += item.gap if number else 0
            total += self._height_of(item.widget, max(1, width - left - right - item.indent))
        return total

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.heightForWidth(self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._misplaced = True
        self.place_all()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A widget with a layout of its own says by this event that it wants another size."""
        if watched is self and event.type() == QEvent.Type.LayoutRequest:
            # Others say it with every widget that is shown, and have told us already.
            for item in self._stacked:
                if item.widget.layout() is not None:
                    self.forget(item.widget)
            self.remeasure()
        return False

    def _height_of(self, widget: QWidget, width: int) -> int:
        known = self._heights.get(widget)
        if known is not None and known[0] == width:
            return known[1]
        height = measured(widget, width)
        self._heights[widget] = (width, height)
        return height


def _is_same(one: StackItem, other: StackItem) -> bool:
    return one.widget is other.widget and one[1:] == other[1:]


def measured(widget: QWidget, width: int) -> int:
    """How high a widget must be for a width."""
    wanted = widget.heightForWidth(width) if widget.hasHeightForWidth() else widget.sizeHint().height()
    return min(max(wanted, widget.minimumHeight(), 0), widget.maximumHeight())


def tell_height(widget: QWidget) -> None:
    """Tell the stack a widget stands in that it may have another height."""
    above = widget.parentWidget()
    if isinstance(above, Stack):
        above.remeasure(widget)


# Areas that scroll, and the widget without a ground that is scrolled in them.


def transparent() -> QWidget:
    """A widget that paints no ground of its own."""
    made = QWidget()
    made.setObjectName("transparent")
    return made


def scroll_area(content: QWidget, name: str) -> QScrollArea:
    """An area as wide as its content allows; `name` is spoken."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setWidget(content)
    area.setAccessibleName(name)
    return area


# What an empty pane shows: what is missing, and what to do next.


TEXT_WIDTH = 240


class EmptyState(QWidget):
    """An icon, a line, a second line that says what to do, and at most one button."""

    pressed = Signal()

    def __init__(
        self, icon: str, title: str, line: str, button_text: str = "", button_icon: str = "plus"
    ) -> None:
        super().__init__()
        self.title = label(title, "ui_heading", wrap=True)
        self.line = label(line, "small", "t3", wrap=True)
        self.icon = IconSpot(icon, "t3", 24)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        down = rows(self, (16, 16, 16, 16), 4)
        down.addStretch(1)
        down.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignHCenter)
        down.addSpacing(4)
        for text in (self.title, self.line):
            text.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
            text.setMaximumWidth(TEXT_WIDTH)
            fill(columns(down), STRETCH, (text, 100), STRETCH)
        self.button = on_click(button(button_text, icon=button_icon), self.pressed)
        if not button_text:
            self.button.hide()  # never shown before it has a place: it would be a window of its own
        down.addSpacing(8)
        down.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        down.addStretch(1)

    def say(self, title: str, line: str) -> None:
        set_text(self.title, title)
        set_text(self.line, line)


# A layout that fills rows and starts another one where there is no room.


class FlowLayout(QLayout):
    """Items beside each other, in as many rows as are needed."""

    def __init__(self, parent: QWidget | None = None, spacing: int = 6, row_spacing: int = 6) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._row_spacing = row_spacing
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)
        if parent is not None:
            parent.setLayout(self)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]  # Qt wants None past the end
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """It takes no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(hint.width() for hint in hints) + self.spacing() * max(0, len(hints) - 1)
        return self._with_margins(QSize(width, max((hint.height() for hint in hints), default=0)))

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return self._with_margins(size)

    def _with_margins(self, size: QSize) -> QSize:
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _arrange(self, rect: QRect, move: bool) -> int:
        margins = self.contentsMargins()
        room = rect.marginsRemoved(margins)
        x, y, row_height = room.left(), room.top(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            width = min(size.width(), max(room.width(), item.minimumSize().width()))
            if x > room.left() and x + width > room.left() + room.width():
                x, y, row_height = room.left(), y + row_height + self._row_spacing, 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), QSize(width, size.height())))
            x += width + self.spacing()
            row_height = max(row_height, size.height())
        return y + row_height - rect.top() + margins.bottom()
