"""Widgets one below the other, each as high as its width asks for; only what changed is measured again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.look.space import Margins


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
