"""How a line of the outline looks: a layer's heading, or a row with its tokens."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from workbench.domain.shown.envelope_view import LayerRow, RowKey, SegmentRow
from workbench.ui import formatting
from workbench.ui.inspector.rows.item_option import ItemOption, item_option
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
    stroke_rounded,
)
from workbench.ui.look.theme import Theme, colour, theme_of

ROW_HEIGHT = 24
PADDING, EDGE, GAP = 14, 12, 6
ACCENT_WIDTH = 2
ITEM_ROLE = int(Qt.ItemDataRole.UserRole)


def item_key(item: LayerRow | SegmentRow) -> RowKey | str:
    """What tells a line from others."""
    return item.key if isinstance(item, SegmentRow) else item.name


def item_name(item: LayerRow | SegmentRow) -> str:
    """What a line is called."""
    return row_name(item) if isinstance(item, SegmentRow) else layer_word(item.name)


class OutlineDelegate(QStyledItemDelegate):
    """Paints the lines."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        """All lines are of one height."""
        return QSize(0, max(ROW_HEIGHT, line_height("small") + 8))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint one line."""
        item, seen, theme = index.data(ITEM_ROLE), item_option(option), theme_of(self)
        painter.save()
        if isinstance(item, LayerRow):
            _paint_layer(painter, seen.box, item, theme)
        else:
            _paint_ground(painter, seen)
            _paint_row(painter, seen.box.adjusted(PADDING, 0, -EDGE, 0), item, theme)
        painter.restore()


def _paint_layer(painter: QPainter, box: QRectF, layer: LayerRow, theme: Theme) -> None:
    painter.fillRect(box, colour("sunken", theme))
    painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), colour("line", theme))
    inner = box.adjusted(EDGE - 4, 0, -EDGE, 0)
    paint_tag(painter, inner, layer.name)
    painter.setFont(font("small", 600))
    painter.setPen(colour("t1", theme))
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
    """The name from the beginning, the figure at the end."""
    width = figure_width(painter.font(), figure)
    paint_figure(painter, box, figure, Qt.AlignmentFlag.AlignRight)
    paint_elided(painter, box.adjusted(indent, 0, -width - GAP, 0), name)


def _paint_ground(painter: QPainter, seen: ItemOption) -> None:
    theme, box = theme_of(), seen.box
    if seen.selected:
        painter.fillRect(box, colour("sel", theme))
        painter.fillRect(QRectF(box.left(), box.top(), ACCENT_WIDTH, box.height()), colour("accent", theme))
        if seen.ringed:
            stroke_rounded(painter, box, theme.accent, 2, 2)
    elif seen.hovered:
        painter.fillRect(box, colour("hover", theme))
