"""Painting of the layers table's cells: bars, marks and the stepper; and tooltips that say what a click does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from workbench.domain.guide import GuidePage
from workbench.domain.shown.envelope_view import CacheMark, LayerRow, RowGroup, RowPart, SegmentRow
from workbench.ui.inspector.layers.cells import Column, Item, cell_tip
from workbench.ui.inspector.rows.row_acts import Act, can, can_prioritise
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    dashed_pen,
    figure_width,
    fill_rounded,
    paint_elided,
    paint_figure,
    paint_mini_bar,
    placed,
    set_text_style,
    stroke_rounded,
)
from workbench.ui.look.theme import Theme, colour
from workbench.ui.translation import tr
from workbench.ui.widgets.found_words import fact_colour
from workbench.ui.widgets.guided import with_more

MINI_WIDTH, MINI_HEIGHT = 36, 6
INFLUENCE_WIDTH = 72
SWATCH_WIDTH, SWATCH_HEIGHT = 13, 12
STEPPER_HEIGHT, STEPPER_SIDE = 18, 13

StepperPart = Literal["", "less", "number", "more"]


def ink(item: Item, quiet: str) -> str:
    """Colour token of a line's text: red if dropped or unreadable, grey if left out, else `quiet`."""
    if isinstance(item, SegmentRow):
        if item.state in ("dropped", "unreadable"):
            return "err"
        if item.state == "excluded":
            return "t3"
    return quiet


def paint_words(
    painter: QPainter, rect: QRectF, text: str, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
) -> None:
    """Paint one line of text, elided, in the painter's font and pen."""
    if text and rect.width() > 4:
        paint_elided(painter, rect, text, mode)


def paint_number(painter: QPainter, rect: QRectF, text: str, ends: bool) -> None:
    """Paint a figure, right-aligned if `ends`, else left-aligned."""
    side = Qt.AlignmentFlag.AlignRight if ends else Qt.AlignmentFlag.AlignLeft
    paint_figure(painter, rect, text, side)


def paint_share_bar(painter: QPainter, rect: QRectF, item: Item, share: float, theme: Theme) -> None:
    """Paint the small bar of a line: hatched as far as it is cached, dashed if it is not sent."""
    box = QRectF(rect.left(), rect.center().y() - MINI_HEIGHT / 2, rect.width(), MINI_HEIGHT)
    if isinstance(item, SegmentRow) and not item.counted:
        line = theme.errline if item.state == "dropped" else theme.edge
        stroke_rounded(painter, box.adjusted(0, -1, 0, 1), dashed_pen(line, 1, 3, 2), 4)
        return
    if isinstance(item, RowPart):
        return
    if isinstance(item, RowGroup) and not item.tokens:
        return
    layer = item.name if isinstance(item, LayerRow) else item.key.layer
    cached = item.cached_tokens / item.tokens if item.tokens else 0.0
    paint_mini_bar(painter, box, layer, share, cached)


def paint_influence(painter: QPainter, rect: QRectF, value: float, share: float, theme: Theme) -> None:
    """Paint the bar of an influence; grey if the piece made the answer less likely."""
    box = QRectF(rect.left(), rect.center().y() - MINI_HEIGHT / 2, rect.width(), MINI_HEIGHT)
    fill_rounded(painter, box, theme.track, 3)
    if share > 0:
        fill = theme.edge if value < 0 else theme.accent
        fill_rounded(painter, placed(box, 0, max(2.0, box.width() * share)), fill, 3)


def paint_fact_lines(painter: QPainter, box: QRectF, line: RowPart, theme: Theme) -> None:
    """Underline the facts of a line of the request, in its layer's colour."""
    width = metrics("row_small").horizontalAdvance
    room = box.right() if width(line.text) <= box.width() else box.right() - width("…")
    for start, end in line.spans:
        left = box.left() + width(line.text[:start])
        right = max(left, min(left + width(line.text[start:end]), room))
        painter.fillRect(
            QRectF(left, box.center().y() + 7, right - left, 1.5), fact_colour(line.layer or "t3", theme)
        )


def strength(share: float) -> float:
    """Opacity of a sentence's stripe in three steps, by its share of the largest figure."""
    return 1.0 if share >= 0.5 else 0.6 if share >= 0.2 else 0.3


def paint_cache_mark(painter: QPainter, rect: QRectF, mark: CacheMark, theme: Theme) -> None:
    """Paint a hatched field for what is cached, half a field for what is partly cached."""
    box = QRectF(rect.left(), rect.center().y() - SWATCH_HEIGHT / 2, SWATCH_WIDTH, SWATCH_HEIGHT)
    hatched = box if mark == "hit" else placed(box, 0, SWATCH_WIDTH / 2)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    corners = QPainterPath()
    corners.addRoundedRect(box, 3, 3)
    painter.setClipPath(corners, Qt.ClipOperation.IntersectClip)
    painter.setClipRect(hatched, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(colour(theme.t2), 1.4))
    for start in range(-SWATCH_HEIGHT, SWATCH_WIDTH + 1, 4):
        foot = QPointF(box.left() + start + 1, box.bottom())
        painter.drawLine(foot, foot + QPointF(SWATCH_HEIGHT, -SWATCH_HEIGHT))
    painter.restore()
    stroke_rounded(painter, box, theme.t2, 3)


def stepper_rect(cell: QRectF, text: str) -> QRectF:
    """Where the − 5 + of the selected row is painted: at the end of its cell."""
    width = figure_width(font("row", 600), text) + 2 * STEPPER_SIDE + 4
    box = QRectF(cell.right() - 1 - width, 0, width, STEPPER_HEIGHT)
    box.moveCenter(QPointF(box.center().x(), cell.center().y()))
    return box


def stepper_part(box: QRectF, at: QPointF) -> StepperPart:
    """The part of a stepper under the pointer."""
    if not box.adjusted(-2, -4, 2, 4).contains(at):
        return ""
    first, last = at.x() < box.left() + STEPPER_SIDE, at.x() >= box.right() - STEPPER_SIDE
    if first or last:
        return "less" if first else "more"
    return "number"


def paint_stepper(painter: QPainter, box: QRectF, text: str, theme: Theme) -> None:
    """Paint the − 5 + of the selected row."""
    fill_rounded(painter, box, theme.raised, 4)
    stroke_rounded(painter, box, theme.accent, 4)
    set_text_style(painter, font("small", 600), colour(theme.accent_text))
    centre = Qt.AlignmentFlag.AlignCenter
    painter.drawText(placed(box, 1, STEPPER_SIDE), centre, "−")
    painter.drawText(placed(box, box.width() - STEPPER_SIDE - 1, STEPPER_SIDE), centre, "+")
    set_text_style(painter, font("row", 600), colour(theme.t1))
    paint_figure(painter, box, text, Qt.AlignmentFlag.AlignHCenter)


def paint_pin(painter: QPainter, rect: QRectF, row: SegmentRow) -> None:
    """Paint a filled pin for a pinned row, an outlined one for a row that can be pinned."""
    if row.pinned:
        paint_icon(painter, rect, "pin-filled", "accent_text", 14)
    elif row.tunable or row.found is not None:
        paint_icon(painter, rect, "pin", "edge", 14)


# What a cell tells under the pointer: what it is, and what can be done there.


_PAGES: Mapping[Column, GuidePage] = {
    Column.TOKENS: "budget",
    Column.SHARE: "budget",
    Column.PRIORITY: "priorities",
    Column.PIN: "priorities",
    Column.STATE: "budget",
    Column.CACHE: "cache",
}
FIGURES = frozenset({Column.TOKENS, Column.SHARE, Column.PRIORITY, Column.CACHE, Column.DIGEST})
"""Columns whose tooltips say that the guide has more about them."""


def tip_with_acts(item: Item, column: Column) -> str:
    """Tooltip of a cell, and what a click there does."""
    told = cell_tip(item, column)
    act = "" if isinstance(item, LayerRow | RowPart | RowGroup) else _act_words(item, column)
    words = f"{told}\n{act}" if told and act else told or act
    return with_more(words) if column in FIGURES else words


def page_about(column: Column) -> GuidePage:
    """The guide page about what a column shows."""
    return _PAGES.get(column, "request")


def act_at(row: SegmentRow, column: Column) -> Act | None:
    """What a click on a cell does; None where it does nothing that has a price."""
    acts: dict[Column, Act] = {Column.PIN: "pin", Column.STATE: "leave_out", Column.REASON: "whole"}
    act = acts.get(column)
    return act if act is not None and can(row, act) else None


def act_key(act: Act) -> str:
    """The key that does an act."""
    keys = {"earlier": "+", "later": "−", "whole": "A", "more": "M"}
    return keys.get(act) or (tr("Space") if act == "pin" else tr("Del"))


def act_line(row: SegmentRow, act: Act) -> str:
    """What an act means for later requests, in a sentence."""
    if row.found is not None and act == "pin":
        always, fits = tr("Always recalled."), tr("Recalled when it matches the question.")
        return fits if row.pinned else always
    if row.found is not None:
        return tr("Never recalled.")
    match act:
        case "pin":
            return tr("May be shortened or dropped again.") if row.pinned else tr("Sent in every turn.")
        case "leave_out":
            return tr("Sent again.") if row.state == "excluded" else tr("Not sent until you put it back.")
        case "whole":
            return tr("It fits; the cache holds the short copy.")
        case _:
            return tr("Higher numbers are dropped first.")


def _act_words(row: SegmentRow, column: Column) -> str:
    if column is Column.PRIORITY:
        return tr("Change it with + and −, or type it.") if can_prioritise(row) else ""
    if row.found is not None and column is Column.STATE:
        return tr("{act} ({key})").format(act=tr("Why is this here?"), key="W")
    act = act_at(row, column)
    return tr("{act} ({key})").format(act=act_words(row, act), key=act_key(act)) if act is not None else ""


def act_words(row: SegmentRow, act: Act) -> str:
    """Name of an act, as shown in menus and tooltips."""
    if row.found is not None and act == "pin":
        return tr("Recall it only when it fits") if row.pinned else tr("Always recall this")
    if row.found is not None and act == "leave_out":
        return tr("Never recall this")
    match act:
        case "pin":
            return tr("Unpin") if row.pinned else tr("Pin, never dropped")
        case "leave_out":
            return tr("Put back") if row.state == "excluded" else tr("Leave out")
        case "whole":
            return tr("Send whole")
        case "earlier":
            return tr("Drop earlier")
        case "later":
            return tr("Drop later")
        case "more":
            return tr("More from this file")
