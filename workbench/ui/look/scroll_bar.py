"""Scroll bars: a thin handle on the ground of what it scrolls, without buttons."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QWidget

from workbench.ui.look.painting import fill_rounded
from workbench.ui.look.theme import theme_of

WIDTH, LEAST, MARGIN, RADIUS = 10, 28, 2, 3
_Part, _State = QStyle.SubControl, QStyle.StateFlag


def place_of(option: Any, part: QStyle.SubControl) -> QRect:
    """Where a part stands: all of the bar is the handle's way."""
    bar: QRect = option.rect
    across = option.orientation == Qt.Orientation.Horizontal
    length = bar.width() if across else bar.height()
    start, size = _handle(option, length)
    stretches = {
        _Part.SC_ScrollBarGroove: (0, length),
        _Part.SC_ScrollBarSlider: (start, size),
        _Part.SC_ScrollBarSubPage: (0, start),
        _Part.SC_ScrollBarAddPage: (start + size, length - start - size),
    }
    begin, long = stretches.get(part, (0, 0))
    if part not in stretches:
        return QRect()
    if across:
        spot = QRect(bar.left() + begin, bar.top(), long, bar.height())
        return QStyle.visualRect(option.direction, bar, spot)
    return QRect(bar.left(), bar.top() + begin, bar.width(), long)


def _handle(option: Any, length: int) -> tuple[int, int]:
    """Where the handle begins on its way, and how long it is."""
    steps = option.maximum - option.minimum
    if steps <= 0:
        return 0, length
    size = min(length, max(LEAST, option.pageStep * length // (steps + option.pageStep)))
    start = QStyle.sliderPositionFromValue(
        option.minimum, option.maximum, option.sliderPosition, length - size, option.upsideDown
    )
    return start, size


def paint(option: Any, painter: QPainter, widget: QWidget | None) -> None:
    """Paint the handle; darker where it is pointed at or held."""
    theme = theme_of(widget)
    box = QRectF(place_of(option, _Part.SC_ScrollBarSlider)).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    hot = bool(option.activeSubControls & _Part.SC_ScrollBarSlider)
    lit = hot and bool(option.state & (_State.State_MouseOver | _State.State_Sunken))
    fill_rounded(painter, box, theme.t3 if lit else theme.line2, RADIUS)
