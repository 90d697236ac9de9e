"""Where the parts of an attachment's row lie: a pure function of its box, so that painting and clicking agree."""

from __future__ import annotations

from typing import Literal, NamedTuple

from PySide6.QtCore import QPointF, QRectF

Part = Literal["", "priority", "pin", "pill", "refresh", "freeze"]

ROW, STALE_ROW, RENEWED_ROW, FOLDER_ROW, PARTS_ROW = 50, 98, 80, 26, 50
OUTER, TEXT, END, INDENT = 6, 36, 15, 14
BUTTON_HEIGHT, BUTTON_GAP = 24, 5
BAR, BAR_HEIGHT, BAR_GAP = 36, 6, 4


class Widths(NamedTuple):
    """How wide the parts are that depend on words; without a share or a pill there is none."""

    tokens: float
    priority: float
    refresh: float = 0.0
    freeze: float = 0.0
    share: float = 0.0
    pill: float = 0.0


class RowParts(NamedTuple):
    """The boxes of a row; those of the buttons of a file that changed are empty elsewhere.

    `bar` and `share` say how well it fits the question; a `pill` with another priority takes the place of this one's.
    """

    icon: QRectF
    name: QRectF
    tokens: QRectF
    badge: QRectF
    priority: QRectF
    pin: QRectF
    refresh: QRectF
    freeze: QRectF
    price: QRectF
    bar: QRectF
    share: QRectF
    pill: QRectF


def row_parts(box: QRectF, widths: Widths, indent: float = 0) -> RowParts:
    """The parts of a row in its box."""
    left, right, top = box.left() + indent, box.right() - END, box.top()
    text = left + TEXT
    suggested = widths.pill > 0
    priority = QRectF(right - 20 - widths.priority, top + 27, widths.priority, 16)
    pill = QRectF(right + 1 - widths.pill, top + 26, widths.pill, 18)
    room = pill.left() - 4 if suggested else priority.left() - 6
    bar = min(BAR, max(room - text, 0)) if widths.share else 0
    share = min(widths.share, max(room - text - bar - BAR_GAP, 0))
    badge = text + (bar + share + 2 * BAR_GAP if widths.share else 0)
    end = QRectF(right - widths.tokens, top + 5, widths.tokens, 18)
    stale = widths.refresh > 0
    freeze_left = text + widths.refresh + BUTTON_GAP if stale else text
    # The only button of a row has long words, and a column may be narrow.
    freeze_width = min(widths.freeze, max(right - freeze_left, 0))
    return RowParts(
        icon=QRectF(left + 14, top + 5, 16, 18),
        name=QRectF(text, top + 5, max(end.left() - 8 - text, 0), 18),
        tokens=end,
        badge=QRectF(badge, top + 26, max(room - badge, 0), 18),
        priority=QRectF() if suggested else priority,
        pin=QRectF() if suggested else QRectF(right - 15, top + 27, 16, 16),
        refresh=QRectF(text, top + ROW, widths.refresh, BUTTON_HEIGHT) if stale else QRectF(),
        freeze=QRectF(freeze_left, top + ROW, freeze_width, BUTTON_HEIGHT) if widths.freeze else QRectF(),
        price=QRectF(text, top + 78, max(right - text, 0), 16) if stale else QRectF(),
        bar=QRectF(text, top + 32, bar, BAR_HEIGHT) if bar else QRectF(),
        share=QRectF(text + bar + BAR_GAP, top + 26, share, 18) if share else QRectF(),
        pill=pill if suggested else QRectF(),
    )


def part_at(parts: RowParts, point: QPointF) -> Part:
    """What of a row can be pressed at a point; the small ones are easier to hit than they look."""
    if not parts.pill.isNull():
        if parts.pill.adjusted(-4, -5, 6, 5).contains(point):
            return "pill"
    elif parts.pin.adjusted(-4, -5, 6, 5).contains(point):
        return "pin"
    elif parts.priority.adjusted(-4, -5, 2, 5).contains(point):
        return "priority"
    if parts.refresh.contains(point):
        return "refresh"
    return "freeze" if parts.freeze.contains(point) else ""
