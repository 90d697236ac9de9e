"""A scroll area that stays at the end while one reads there, and elsewhere keeps what is in sight where it is."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from workbench.ui.chat.messages.feed import Item
from workbench.ui.chat.text.block_stack import Spot
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.transcript.feed_column import FeedColumn

WIDEST_PX = 720
SIDE_PX, NARROW_SIDE_PX, NARROW_PX = 24, 20, 500
TOP_PX, BOTTOM_PX = 16, 12
EARLIER_PX = 32
NEAR_END_PX = 8
BATCH_MS, FRAME_MS = 4, 16
SEEN = Qt.WidgetAttribute.WA_WState_Visible
LEAST_LIVE = 30
"""So many messages are made without being near: the scroll bar of a usual chat tells how long it is."""


class FollowingScroll(QScrollArea):
    """Holds the column of messages; makes those that come near, a few milliseconds at a time.

    Signals:
        settled: everything is in its place, or something was scrolled.
    """

    settled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._following, self._settling = True, False
        self._anchor: tuple[QWidget, int] | None = None
        self.ink = Ink(self)
        self.column = FeedColumn(self.ink)
        self.column.height_changed.connect(self._settle_soon)
        self.setWidget(self.column)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.viewport().setAutoFillBackground(False)
        self.column.setObjectName("surface")  # what has a ground of its own is moved, not painted again
        self.floating: tuple[QWidget, ...] = ()
        self._soon, self._batches = QTimer(self), QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.settle)
        self._batches.timeout.connect(self.make_more)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def follows(self) -> bool:
        """Whether the end is kept in sight while an answer grows."""
        return self._following

    def open_items(self, items: tuple[Item, ...]) -> None:
        """Show other messages: the end first, as much as is seen; the rest in turns."""
        self.column.open_at(items, len(items))
        self._following = True
        self._set_margins()
        width, enough = max(1, self.viewport().width()), self.viewport().height() + 200
        while self.column.heightForWidth(width) < enough and self.column.make_earlier():
            pass
        self.make_in_turns()

    def to_end(self) -> None:
        if not self.column.reaches_end():
            self.open_items(self.column.items())
        self._following = True
        self.settle()

    def to_message(self, key: str) -> bool:
        """Bring a message into sight; False where there is none of that name."""
        places = [place for place, item in enumerate(self.column.items()) if item.key == key]
        if not places:
            return False
        self._following = False
        if self.column.view(key) is None:
            self._open_around(places[0])
        self.settle()
        view = self.column.view(key)
        if view is not None:
            self._scroll_to(view.y() - TOP_PX)
        return True

    def bring(self, key: str) -> None:
        """See that a message has its widget; where it has one, nothing moves."""
        self._following = False
        if self.column.view(key) is None:
            self.to_message(key)

    def show_spot(self, spot: Spot) -> None:
        """Scroll until a place in a message is well in sight; where it is, nothing moves."""
        self._following = False
        y = round(spot.widget.mapTo(self.column, spot.box.topLeft()).y())
        top, height = self.verticalScrollBar().value(), self.viewport().height()
        if not top + TOP_PX <= y <= top + height - spot.box.height() - TOP_PX:
            self._scroll_to(y - height // 3)
        self._anchor = self._first_in_sight()

    def key_in_sight(self) -> str:
        first = self._first_in_sight()
        shown = (item.key for item in self.column.items()[self.column.first : self.column.last])
        return next((key for key in shown if first and self.column.view(key) is first[0]), "")

    def make_in_turns(self) -> None:
        """Make what is near, a little at a time: what is scrolled or typed meanwhile is painted in between."""
        if not self._batches.isActive():
            self._batches.start(FRAME_MS)

    def make_more(self) -> None:
        """A few milliseconds' work, one message at least: those above, and below where the end is not there yet."""
        clock = QElapsedTimer()
        clock.start()
        more, above, below = True, self._room_above(), self._room_below()
        while more:
            wanted = above < 0 or self.column.last - self.column.first < LEAST_LIVE
            if wanted and self.column.make_earlier():
                below -= self.column.leave_one(below, below=True)
            elif below < 0 and self.column.make_later():
                above -= self.column.leave_one(above, below=False)
            else:
                more = self.column.leave_spare()
            if clock.elapsed() >= BATCH_MS:
                break
        if not more:
            self._batches.stop()
        self.settle()

    def finish_drawing(self) -> None:
        """Make, read and draw everything that is due now; for pictures, which must not be taken half done."""
        while self._batches.isActive():
            self.make_more()
        for view in self.column.views():
            view.read_all()
        self.ink.finish()
        self.settle()

    def settle(self) -> None:
        """Lay out now; at the end the end stays in sight, elsewhere what is in sight stays where it is."""
        if self._settling:
            return
        self._settling = True
        self._soon.stop()
        self._set_margins()
        width = max(1, self.viewport().width())
        self.column.resize(width, self.column.heightForWidth(width))
        self.column.place_all()
        bar = self.verticalScrollBar()
        if self._following:
            bar.setValue(bar.maximum())
        elif self._anchor is not None and any(
            place.widget is self._anchor[0] for place in self.column.stack_items()
        ):
            self._scroll_to(self._anchor[0].y() + self._anchor[1])
        self._anchor = self._first_in_sight()
        self._settling = False
        self.settled.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Move what is painted already; Qt would paint all of it again as long as anything lies over it."""
        over = [widget for widget in self.floating if widget.isVisible()]
        for widget in over:
            widget.setAttribute(SEEN, False)
        super().scrollContentsBy(dx, dy)
        for widget in over:
            widget.setAttribute(SEEN, True)
            box = widget.geometry().translated(-self.column.pos())
            self.column.update(box)
            self.column.update(box.translated(dx, dy))  # its picture was moved along

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_End:
            self.to_end()
        elif event.key() == Qt.Key.Key_Home:
            self._scroll_to(0)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.settle()

    def _open_around(self, place: int) -> None:
        """Begin anew with a message far away: it and what follows first, what stands above it in turns."""
        self.column.open_at(self.column.items(), place)
        self._set_margins()
        width, enough = max(1, self.viewport().width()), 2 * self.viewport().height()
        while self.column.heightForWidth(width) < enough and self.column.make_later():
            pass
        self.make_in_turns()

    def _settle_soon(self) -> None:
        if not self._settling:
            self._soon.start(0)

    def _first_in_sight(self) -> tuple[QWidget, int] | None:
        """The first message in sight, and how far the view begins below its top."""
        top = self.verticalScrollBar().value()
        for place in self.column.stack_items():
            if place.widget.geometry().bottom() >= top and place.widget.height() > 0:
                return place.widget, top - place.widget.y()
        return None

    def _scroll_to(self, y: int) -> None:
        self.verticalScrollBar().setValue(max(0, y))

    def _set_margins(self) -> None:
        """The column stands in the middle of the pane, whether there is a scroll bar or not."""
        least = NARROW_SIDE_PX if self.width() < NARROW_PX else SIDE_PX
        side = max(least, (self.width() - WIDEST_PX) // 2)
        bar = self.width() - self.viewport().width()
        top = TOP_PX + (EARLIER_PX if self.column.first else 0)
        self.column.set_margins((max(0, side), top, max(0, side - bar), BOTTOM_PX))

    def _room_above(self) -> int:
        """How much more there is above than has to be: two screens."""
        return self.verticalScrollBar().value() - 2 * self.viewport().height()

    def _room_below(self) -> int:
        bar = self.verticalScrollBar()
        return bar.maximum() - bar.value() - 2 * self.viewport().height()

    def _on_scrolled(self, value: int) -> None:
        if self._settling:
            return
        at_end = value >= self.verticalScrollBar().maximum() - NEAR_END_PX
        self._following = at_end and self.column.reaches_end()
        self._anchor = self._first_in_sight()
        above = self.column.first and self._room_above() < 0
        if above or (not self.column.reaches_end() and self._room_below() < 0):
            self.make_in_turns()
        self.settled.emit()
