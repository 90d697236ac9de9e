"""The strip beside the payload's text: a line in the layer's colour, and its tag where a segment begins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.ui.inspector.payload.places import Places
from workbench.ui.look.fonts import line_height
from workbench.ui.look.painting import TAG_WIDTH, paint_tag
from workbench.ui.look.theme import colour, theme_of

GUTTER_WIDTH = 40
LINE_WIDTH = 3
TAG_AT = 9
WIDEST = 4_000
"""As wide as any role line that reaches into the gutter."""


class Band(NamedTuple):
    """A paragraph in view: which one it is, and from where to where it reaches."""

    number: int
    top: int
    height: int


class TextBeside(Protocol):
    """What the gutter asks the text it stands beside."""

    def bands(self) -> Iterator[Band]:
        """The paragraphs in view."""

    def places(self) -> Places | None:
        """Which paragraph is which."""

    def ground_of(self, number: int) -> str:
        """The token of a paragraph's ground."""

    def paint_role(self, painter: QPainter, box: QRectF, number: int) -> None:
        """Paint a role line."""

    def pick(self, y: int) -> None:
        """Choose what stands at a height."""


class Gutter(QWidget):
    """Paints along with the text; a click chooses what stands beside it."""

    def __init__(self, view: TextBeside, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._view.pick(event.position().toPoint().y())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        painter.fillRect(self.rect(), colour("surface", theme))
        places = self._view.places()
        if places is None:
            return
        for band in self._view.bands():
            self._paint_band(painter, places, band)

    def _paint_band(self, painter: QPainter, places: Places, band: Band) -> None:
        theme, box = theme_of(self), QRectF(0, band.top, self.width(), band.height)
        ground, line = self._view.ground_of(band.number), places.line(band.number)
        if ground:
            painter.fillRect(box, colour(ground, theme))
        if line.kind == "role":
            self._view.paint_role(painter, box.adjusted(0, 0, WIDEST, 0), band.number)
        layer = places.payload.layer_of(places.section(band.number))
        if layer is not None:
            painter.fillRect(QRectF(0, band.top, LINE_WIDTH, band.height), colour(theme.layers[layer].fill))
        if layer is not None and line.start == 0:
            paint_tag(painter, QRectF(TAG_AT, band.top, TAG_WIDTH, line_height("diff")), layer)
