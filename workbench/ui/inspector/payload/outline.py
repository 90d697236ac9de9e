"""The outline beside the payload: layers and rows, as they follow each other on the wire."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QItemSelectionModel, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView

from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey, SegmentRow
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
from workbench.ui.widgets.items.list_model import ITEM, ListModel
from workbench.ui.widgets.items.views import PickList

WIDTH = 188
ROW_HEIGHT = 24
PADDING, EDGE, GAP = 14, 12, 6
ACCENT_WIDTH = 2


class OutlineModel(ListModel[LayerRow | SegmentRow]):
    """Layers and rows in one list; a request that changed changes only the lines that differ."""

    def show(self, view: EnvelopeView | None) -> None:
        layers = view.layers if view is not None else ()
        items: list[LayerRow | SegmentRow] = []
        for layer in layers:
            items += [layer, *layer.rows]
        self.show_items(items)

    def number_of(self, key: RowKey | None) -> int:
        """Which line a row is; -1 where there is none."""
        keys = (
            number
            for number, item in enumerate(self.items)
            if isinstance(item, SegmentRow) and item.key == key
        )
        return next(keys, -1)

    def key_of(self, item: LayerRow | SegmentRow) -> RowKey | str:
        return item.key if isinstance(item, SegmentRow) else item.name

    def can_choose(self, item: LayerRow | SegmentRow) -> bool:
        return isinstance(item, SegmentRow)

    def text_of(self, item: LayerRow | SegmentRow) -> str:
        if isinstance(item, SegmentRow) and not item.counted:
            return self.tr("{name}, not sent").format(name=item_name(item))
        words = self.tr("{name}, {tokens}")
        return words.format(name=item_name(item), tokens=formatting.token_words(item.tokens))

    def tip_of(self, item: LayerRow | SegmentRow) -> str:
        return item_name(item)


class Outline(PickList):
    """Chooses a row by a click or the arrows."""

    picked = Signal(object)

    def __init__(self) -> None:
        self._model = OutlineModel()
        super().__init__(self._model, self.tr("Outline of the request"))
        self.setFixedWidth(WIDTH)
        self.setItemDelegate(OutlineDelegate(self))

    def show_view(self, view: EnvelopeView | None) -> None:
        self._model.show(view)

    def select(self, key: RowKey | None) -> None:
        number = self._model.number_of(key)
        if number < 0:
            self.clearSelection()
            return
        index = self._model.index(number)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.scrollTo(index)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 400)

    def moveCursor(self, action: QAbstractItemView.CursorAction, keys: Qt.KeyboardModifier) -> QModelIndex:
        reached = super().moveCursor(action, keys)
        down = 1 if reached.row() > self.currentIndex().row() else -1
        index = _nearest_row(reached, down)
        if not index.isValid():
            index = _nearest_row(reached, -down)
        return index

    def pick(self, index: QModelIndex) -> None:
        item = index.data(ITEM) if index.isValid() else None
        if isinstance(item, SegmentRow):
            self.picked.emit(item.key)


def _nearest_row(index: QModelIndex, step: int) -> QModelIndex:
    while index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsSelectable:
        index = index.sibling(index.row() + step, 0)
    return index


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
