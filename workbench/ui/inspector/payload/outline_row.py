"""How a line of the outline looks: a layer's heading, or a row with its tokens."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QRectF
from PySide6.QtGui import QPainter

from workbench.domain.shown.envelope_view import LayerRow, SegmentRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import row_name
from workbench.ui.look.fonts import font, line_height
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.layers import layer_word
from workbench.ui.look.painting import (
    TAG_WIDTH,
    figure_width,
    paint_elided,
    paint_figure,
    paint_tag,
    set_text_style,
)
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.widgets.items.delegate import (
    Index,
    ItemOption,
    RowDelegate,
    paint_ground,
    paint_ring,
    paint_rule,
)
from workbench.ui.widgets.items.list_model import ITEM

ROW_HEIGHT = 24
PADDING, EDGE, GAP = 14, 12, 6
ACCENT_WIDTH = 2


def item_name(item: LayerRow | SegmentRow) -> str:
    """What a line is called."""
    return row_name(item) if isinstance(item, SegmentRow) else layer_word(item.name)


class OutlineDelegate(RowDelegate):
    """Paints the lines."""

    def row_height(self, _index: Index) -> int:
        return max(ROW_HEIGHT, line_height("small") + 8)

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        item, theme = index.data(ITEM), theme_of(self)
        if isinstance(item, LayerRow):
            _paint_layer(painter, row.box, item, theme)
            return
        paint_ground(painter, row)
        if row.selected:
            accent = QRectF(row.box.left(), row.box.top(), ACCENT_WIDTH, row.box.height())
            painter.fillRect(accent, colour("accent", theme))
        paint_ring(painter, row)
        _paint_row(painter, row.box.adjusted(PADDING, 0, -EDGE, 0), item, theme)


def _paint_layer(painter: QPainter, box: QRectF, layer: LayerRow, theme: Theme) -> None:
    painter.fillRect(box, colour("sunken", theme))
    paint_rule(painter, box)
    inner = box.adjusted(EDGE - 4, 0, -EDGE, 0)
    paint_tag(painter, inner, layer.name)
    set_text_style(painter, font("small", 600), colour("t1", theme))
    _paint_words(painter, inner, layer_word(layer.name), formatting.tokens(layer.tokens), TAG_WIDTH + GAP)


def _paint_row(painter: QPainter, box: QRectF, row: SegmentRow, theme: Theme) -> None:
    painter.setFont(font("small"))
    if row.counted:
        painter.setPen(colour("t2", theme))
        _paint_words(painter, box, row_name(row), formatting.tokens(row.tokens), 0)
        return
    spot = QRectF(box.left(), box.top(), 12, box.height())
    paint_icon(painter, spot, "out", "err", 12)
    painter.setPen(colour("err", theme))
    _paint_words(painter, box, row_name(row), QCoreApplication.translate("Payload", "not sent"), 12 + GAP)


def _paint_words(painter: QPainter, box: QRectF, name: str, figure: str, indent: float) -> None:
    width = figure_width(painter.font(), figure)
    paint_figure(painter, box, figure)
    paint_elided(painter, box.adjusted(indent, 0, -width - GAP, 0), name)
