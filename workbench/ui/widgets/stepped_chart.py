"""The base of charts that are walked along: ←/→, Home and End go by place, Enter opens the one that is chosen."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAccessible, QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.ui.widgets.guided import with_more
from workbench.ui.widgets.plain import tip


class SteppedChart(QWidget):
    """A chart of places from left to right, each with a number; a subclass paints it.

    Signals:
        chosen: the number of the place that was chosen here; opened: that more of it is wanted.
    """

    spoken_role = QAccessible.Role.Chart

    chosen = Signal(int)
    opened = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._chosen: int | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("ring_radius", 6)
        self.setAccessibleName(name)

    @abstractmethod
    def numbers(self) -> Sequence[int]:
        """The numbers of its places, from left to right."""

    @abstractmethod
    def nearest_place(self, x: float) -> int | None:
        """The place that is nearest to a point; None where there is none."""

    @abstractmethod
    def told(self, place: int) -> str:
        """A place in a sentence, for those who hear it and for a tooltip."""

    def select(self, number: int | None) -> None:
        if number != self._chosen:
            self._chosen = number
            self.tell()
            self.update()

    def selected(self) -> int | None:
        return self._chosen if self._chosen in self.numbers() else None

    def selected_place(self) -> int | None:
        number = self.selected()
        return None if number is None else self.numbers().index(number)

    def tell(self) -> None:
        place = self.selected_place()
        self.setAccessibleDescription("" if place is None else self.told(place))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self.nearest_place(event.pos().x())
            words = "" if place is None else self.told(place)
            QToolTip.showText(event.globalPos(), tip(with_more(words)), self)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        count, number = len(self.numbers()), self.selected()
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self._step(1 if event.key() == Qt.Key.Key_Right else -1)
            case Qt.Key.Key_Home:
                self._step(-count)
            case Qt.Key.Key_End:
                self._step(count)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if number is not None:
                self.opened.emit(number)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self.nearest_place(event.position().x())
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self._choose(self.numbers()[place])

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        number = self.selected()
        if number is not None:
            self.opened.emit(number)

    def _step(self, by: int) -> None:
        numbers = self.numbers()
        if numbers:
            place = self.selected_place()
            at = len(numbers) - 1 if place is None else min(max(place + by, 0), len(numbers) - 1)
            self._choose(numbers[at])

    def _choose(self, number: int) -> None:
        if number != self._chosen:
            self.select(number)
            self.chosen.emit(number)
