"""The command "What is this?": finds the visible parts of the window, and explains them with the figures they show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QWidget

from workbench.domain.guide import GuidePage
from workbench.domain.segment import LayerName
from workbench.engine.state import ChatState
from workbench.ui.explain.cards import Part
from workbench.ui.explain.overlay import Explained, ExplainOverlay
from workbench.ui.explain.words import card_text
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.view import SegmentTree
from workbench.ui.widgets.motion import single_shot
from workbench.ui.window.main_window import MainWindow
from workbench.ui.wishes import OpenGuide

LEAST_SEEN = 0.6
"""The share of a part that must be visible, neither covered nor scrolled away, for it to be explained."""
LAYERS: tuple[LayerName, ...] = ("L4_STRIP", "L2_PREVIOUS", "L3_TURN", "L1_SYSTEM", "L5_USER")
"""The layers whose row may serve as the example of a layer: the first of these that is visible."""
AROUND, LEVEL, FLAT = (6, 4), (6, 0), (6, -1)
"""Margins of the ring around a part, horizontal and vertical; smaller where a part has close neighbours."""
INSET = 5


class Spot(NamedTuple):
    """A part of the window, and its rectangle in the widget that is explained."""

    part: Part
    box: QRect


class Explaining(QObject):
    """Opens and closes the explanation, and updates it when the window under it changes."""

    def __init__(self, window: MainWindow, chat: Callable[[], ChatState | None]) -> None:
        super().__init__(window)
        self._window, self._chat = window, chat
        self.overlay: ExplainOverlay | None = None
        self._watched: list[QWidget] = []
        self._soon = single_shot(self, self.refresh)

    def toggle(self) -> None:
        if self.overlay is not None:
            self.close()
            return
        floating = self._window.inspector.window()
        apart = floating is not self._window and floating.isActiveWindow()
        self.overlay = ExplainOverlay(floating if apart else self._window.columns)
        self.overlay.closed.connect(self._on_closed)
        self.overlay.tour_wished.connect(lambda: self._window.wishes.run("tour"))
        self.overlay.guide_wished.connect(lambda page: self._window.wishes.run(OpenGuide(page)))
        self._watch()
        self.overlay.show()
        self.overlay.raise_()
        self.refresh()

    def close(self) -> None:
        if self.overlay is not None:
            self.overlay.leave()

    def guide_page(self) -> GuidePage:
        """The guide page about the card that is being read; empty if there is none."""
        return "" if self.overlay is None else self.overlay.guide_page()

    def refresh(self) -> None:
        """Update the figures in the explanation and the places it points at."""
        if self.overlay is not None:
            chat, found = self._chat(), spots(self._window, self.overlay.parentWidget())
            cards = [(card_text(part, chat), box) for part, box in found]
            self.overlay.raise_()
            self.overlay.explain([Explained(card, box) for card, box in cards if card is not None])

    def refresh_soon(self) -> None:
        """Refresh after all layouts have settled."""
        if self.overlay is not None:
            self._soon.start()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self._soon.start()
        return False

    def _watch(self) -> None:
        """Watch the explained widgets for moves and resizes, only while the explanation is open."""
        inspector = self._window.inspector
        layers = inspector.layers
        self._watched = [
            inspector, inspector.block, inspector.pages, layers.tree, layers.drop_fold, layers.turns_fold,
            layers.what_if_fold, self._window.chat.composer, self._window.left, self.overlay or self._window.columns,
        ]  # fmt: skip
        for one in self._watched:
            one.installEventFilter(self)

    def _on_closed(self) -> None:
        for one in self._watched:
            one.removeEventFilter(self)
        self._watched, self.overlay = [], None
        self._soon.stop()


def spots(window: MainWindow, host: QWidget) -> list[Spot]:
    """The parts of the window that are visible in `host`, in the order in which they are explained."""
    found = (Spot(part, box) for part, box in _parts(window, _VisibleParts(window, host)))
    return [spot for spot in found if not spot.box.isEmpty()]


def _parts(window: MainWindow, seen: _VisibleParts) -> Iterator[tuple[Part, QRect]]:
    inspector, strip = window.inspector, window.chat.composer.strip
    layers, block = inspector.layers, inspector.block
    bar = seen.box(block.bar, block.legend)
    yield Part("budget", newest=bar.isEmpty()), seen.box(strip.bar, around=FLAT) if bar.isEmpty() else bar
    yield Part("findings"), seen.box(layers.findings, around=FLAT)
    yield from _layer_row(layers.tree, seen)
    yield Part("drop"), seen.box(layers.drop_fold, around=FLAT)
    place = strip.place("cached")
    figure = seen.within(place, place.content_box(), AROUND)
    badge = seen.box(block.figures.cached)
    yield Part("cached", newest=not figure.isEmpty()), badge if figure.isEmpty() else figure
    yield Part("priority"), seen.columns(layers.tree, Column.PRIORITY, Column.PIN)
    yield Part("state"), seen.columns(layers.tree, Column.STATE, Column.STATE)
    yield Part("turns"), seen.box(layers.turns_fold, around=FLAT)
    yield Part("what_if"), seen.box(layers.what_if_fold, around=FLAT)
    yield Part("figures"), seen.box(block.figures)
    yield Part("pages"), seen.box(inspector.tabs, around=FLAT)
    yield Part("message"), seen.box(window.chat.composer.text)
    yield Part("attachments"), seen.box(window.left.attachments)
    yield Part("empty"), seen.box(inspector.empty)
    if not inspector.isVisible():
        yield Part("inspector"), seen.box(window.rail.inspector)


def _layer_row(tree: SegmentTree, seen: _VisibleParts) -> Iterator[tuple[Part, QRect]]:
    view = tree.viewport()
    for layer in LAYERS:
        row = tree.layer_box(layer)
        if not row.isEmpty() and view.rect().contains(row):
            yield Part("layer", layer), seen.within(view, row, LEVEL)
            return


class _VisibleParts:
    """Finds where a widget is visible in `host`; an empty rectangle if it is hidden, covered or in another window."""

    def __init__(self, window: MainWindow, host: QWidget) -> None:
        self._host = host
        self._over = window.columns.lying_over() if host is window.columns else []
        panes = (window.inspector, window.left, window.rail, window.middle)
        self._panes = [pane for pane in panes if pane.isVisible() and host.isAncestorOf(pane)]

    def box(self, *widgets: QWidget, around: tuple[int, int] = AROUND) -> QRect:
        """The rectangle around some widgets, with room for a ring; empty unless all of them are visible."""
        boxes = [self.within(one, one.rect(), around) for one in widgets]
        return QRect() if any(box.isEmpty() for box in boxes) else reduce(QRect.united, boxes)

    def columns(self, tree: SegmentTree, first: Column, last: Column) -> QRect:
        """The rectangle of some columns and their titles, down to the last row, without margins."""
        cells = self.within(tree.viewport(), tree.column_box(first).united(tree.column_box(last)), (0, 0))
        if cells.isEmpty():
            return cells
        head = tree.header()
        return cells.united(QRect(cells.left(), mapped(head, QPoint(0, 0), self._host).y(), cells.width(), 1))

    def within(self, widget: QWidget, part: QRect, around: tuple[int, int]) -> QRect:
        """Where a part of a widget is visible, with room for a ring that stays inside its pane."""
        if part.isEmpty() or not widget.isVisible() or not self._host.isAncestorOf(widget):
            return QRect()
        whole = QRect(mapped(widget, part.topLeft(), self._host), part.size())
        seen, above = whole, widget
        while above is not self._host:
            seen = seen.intersected(QRect(mapped(above, QPoint(0, 0), self._host), above.size()))
            above = above.parentWidget()
        for over in self._over:
            if not over.isAncestorOf(widget):
                seen = QRegion(seen).subtracted(QRegion(over.geometry())).boundingRect()
        if _area(seen) < LEAST_SEEN * _area(whole):
            return QRect()
        across, down = around
        return seen.adjusted(-across, -down, across, down).intersected(self._pane(widget))

    def _pane(self, widget: QWidget) -> QRect:
        pane = next((one for one in self._panes if one.isAncestorOf(widget)), self._host)
        whole = (
            QRect(mapped(pane, QPoint(0, 0), self._host), pane.size())
            if pane is not self._host
            else pane.rect()
        )
        return whole.adjusted(INSET, 2, -INSET, -2)


def mapped(widget: QWidget, point: QPoint, host: QWidget) -> QPoint:
    """A point of a widget in the coordinates of `host`."""
    # The stub knows only the form that takes and gives floating points.
    return QPointF(widget.mapTo(host, QPointF(point))).toPoint()


def _area(box: QRect) -> int:
    return max(0, box.width()) * max(0, box.height())
