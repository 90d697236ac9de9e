"""A scroll area that stays at the end while the user reads there, and elsewhere keeps the visible text in place."""

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
STRIP_GAP_PX = 14
NEAR_END_PX = 8
SLACK_PX = 60
"""Messages that are a little lower in a wider view, without its strip, fill it too."""
BATCH_MS, FRAME_MS = 4, 16
OPENED_MS = 250
"""So long nothing is created that isn't seen: the request of a chat that was opened is built and shown first."""
SEEN = Qt.WidgetAttribute.WA_WState_Visible
LEAST_LIVE = 30
"""So many messages get widgets even if they are not near, where a scroll bar is to show a usual chat's length."""


class FollowingScroll(QScrollArea):
    """Scrolls the column of messages; creates the widgets of those nearby, a few milliseconds at a time.

    Signals:
        settled: the layout is done, or the view was scrolled.
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
        # What has a ground of its own is moved, not painted again; and where it grows, only what is new is painted.
        self.column.setObjectName("surface")
        self.column.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.floating: tuple[QWidget, ...] = ()
        self._strip: QWidget | None = None
        self._settle_timer, self._batch_timer = QTimer(self), QTimer(self)
        self._settle_timer.setSingleShot(True)
        self._settle_timer.timeout.connect(self.settle)
        self._batch_timer.timeout.connect(self.make_more)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def follows(self) -> bool:
        """Whether the end stays visible while an answer grows."""
        return self._following

    def open_items(self, items: tuple[Item, ...]) -> None:
        """Show other messages: the visible ones at the end now, the rest in later turns of the event loop."""
        self.column.open_at(items, len(items))
        self._following = True
        self._set_margins()
        width, enough = max(1, self.viewport().width()), self.viewport().height() + SLACK_PX
        while self.column.heightForWidth(width) < enough and self.column.make_earlier():
            pass
        self._batch_timer.start(OPENED_MS)

    def to_end(self) -> None:
        if not self.column.reaches_end():
            self.open_items(self.column.items())
        self._following = True
        self.settle()

    def lay_strip(self, strip: QWidget | None) -> None:
        """Put a strip in the place of the scroll bar, as wide as its hint; None for the scroll bar itself."""
        usual, off = Qt.ScrollBarPolicy.ScrollBarAsNeeded, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        width = 0 if strip is None else strip.sizeHint().width()
        if strip is not self._strip:
            for other in filter(None, (self._strip, strip)):
                other.setVisible(other is strip)
            self._strip = strip
            self.setVerticalScrollBarPolicy(usual if strip is None else off)
        if self.viewportMargins().right() != width:
            self.setViewportMargins(0, 0, width, 0)
        if strip is not None:
            strip.setGeometry(self.width() - width, 0, width, self.height())

    def to_message(self, key: str, share: float = 0.0) -> bool:
        """Scroll to a message, or to a part of it; returns False if there is none with this key."""
        places = [place for place, item in enumerate(self.column.items()) if item.key == key]
        if not places:
            return False
        self._following = False
        if self.column.view(key) is None:
            self._open_around(places[0])
        self.settle()
        view = self.column.view(key)
        if view is not None:
            self._scroll_to(view.y() + (round(share * view.height()) or -TOP_PX))
        return True

    def parts_in_sight(self) -> list[tuple[str, float, float]]:
        """The messages in view, each with where the view begins and ends in it."""
        top, high = self.verticalScrollBar().value(), self.viewport().height()
        found: list[tuple[str, float, float]] = []
        for item in self.column.items()[self.column.first : self.column.last]:
            view = self.column.view(item.key)
            if (
                view is None
                or view.height() <= 0
                or view.y() + view.height() <= top
                or view.y() >= top + high
            ):
                continue
            begin, end = ((at - view.y()) / view.height() for at in (top, top + high))
            found.append((item.key, max(0.0, begin), min(1.0, end)))
        return found

    def bring(self, key: str) -> None:
        """Create the widget of a message, scrolling there; if it has one, do nothing."""
        self._following = False
        if self.column.view(key) is None:
            self.to_message(key)

    def show_spot(self, spot: Spot) -> None:
        """Scroll until a place in a message is well visible; if it is, do nothing."""
        self._following = False
        y = round(spot.widget.mapTo(self.column, spot.box.topLeft()).y())
        top, height = self.verticalScrollBar().value(), self.viewport().height()
        if not top + TOP_PX <= y <= top + height - spot.box.height() - TOP_PX:
            self._scroll_to(y - height // 3)
        self._anchor = self._first_visible()

    def key_in_sight(self) -> str:
        first = self._first_visible()
        shown = (item.key for item in self.column.items()[self.column.first : self.column.last])
        return next((key for key in shown if first and self.column.view(key) is first[0]), "")

    def make_in_turns(self) -> None:
        """Create nearby widgets a few at a time, so that scrolling and typing are painted in between."""
        if not self._batch_timer.isActive() or self._batch_timer.interval() != FRAME_MS:
            self._batch_timer.start(FRAME_MS)

    def make_more(self) -> None:
        """Create widgets for a few milliseconds, at least one: those above, and those below if the end is missing."""
        clock = QElapsedTimer()
        clock.start()
        more, above, below = True, self._surplus_above(), self._surplus_below()
        while more:
            few = self._strip is None and self.column.last - self.column.first < LEAST_LIVE
            wanted = few or above < 0
            if wanted and self.column.make_earlier():
                below -= self.column.leave_one(below, below=True)
            elif below < 0 and self.column.make_later():
                above -= self.column.leave_one(above, below=False)
            else:
                more = self.column.leave_spare()
            if clock.elapsed() >= BATCH_MS:
                break
        if not more:
            self._batch_timer.stop()
        elif self._batch_timer.interval() != FRAME_MS:
            self._batch_timer.setInterval(FRAME_MS)
        self.settle()

    def finish_drawing(self) -> None:
        """Create, read and draw everything that is due; for pictures, which must not be half done."""
        while self._batch_timer.isActive():
            self.make_more()
        for view in self.column.views():
            view.read_all()
        self.ink.finish()
        self.settle()

    def settle(self) -> None:
        """Lay out now; at the end, stay at the end, elsewhere keep the first visible message where it is."""
        if self._settling:
            return
        self._settling = True
        self._settle_timer.stop()
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
        self._anchor = self._first_visible()
        self._settling = False
        self.settled.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Scroll by moving pixels; Qt would repaint everything while a widget floats over the view."""
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
        self.lay_strip(self._strip)
        self.settle()

    def _open_around(self, place: int) -> None:
        """Start again at a message far away: it and what follows first, what is above it in later turns."""
        self.column.open_at(self.column.items(), place)
        self._set_margins()
        width, enough = max(1, self.viewport().width()), 2 * self.viewport().height()
        while self.column.heightForWidth(width) < enough and self.column.make_later():
            pass
        self.make_in_turns()

    def _settle_soon(self) -> None:
        if not self._settling:
            self._settle_timer.start(0)

    def _first_visible(self) -> tuple[QWidget, int] | None:
        """The first visible widget, and by how much its top is scrolled out of view."""
        top = self.verticalScrollBar().value()
        for place in self.column.stack_items():
            if place.widget.geometry().bottom() >= top and place.widget.height() > 0:
                return place.widget, top - place.widget.y()
        return None

    def _scroll_to(self, y: int) -> None:
        self.verticalScrollBar().setValue(max(0, y))

    def _set_margins(self) -> None:
        """Centre the column in the pane, with or without a scroll bar."""
        least = NARROW_SIDE_PX if self.width() < NARROW_PX else SIDE_PX
        side = max(least, (self.width() - WIDEST_PX) // 2)
        bar = self.width() - self.viewport().width()
        top = TOP_PX + (EARLIER_PX if self.column.first else 0)
        beside = max(0 if self._strip is None else STRIP_GAP_PX, side - bar)
        self.column.set_margins((max(0, side), top, beside, BOTTOM_PX))

    def _surplus_above(self) -> int:
        """How many pixels above the view are laid out beyond the two screens that should be."""
        return self.verticalScrollBar().value() - 2 * self.viewport().height()

    def _surplus_below(self) -> int:
        bar = self.verticalScrollBar()
        return bar.maximum() - bar.value() - 2 * self.viewport().height()

    def _on_scrolled(self, value: int) -> None:
        if self._settling:
            return
        at_end = value >= self.verticalScrollBar().maximum() - NEAR_END_PX
        self._following = at_end and self.column.reaches_end()
        self._anchor = self._first_visible()
        above = self.column.first and self._surplus_above() < 0
        if above or (not self.column.reaches_end() and self._surplus_below() < 0):
            self.make_in_turns()
        self.settled.emit()
