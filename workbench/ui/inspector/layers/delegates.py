"""Painters of the tree-table's columns: one class for each kind of cell."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from PySide6.QtCore import QAbstractItemModel, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSpinBox, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.domain.shown.envelope_view import LayerRow, RowGroup, RowPart, SegmentRow
from workbench.ui import steps
from workbench.ui.inspector.layers import painting as strokes
from workbench.ui.inspector.layers.cells import Column, Item, quote_reason
from workbench.ui.inspector.layers.model import LayersModel
from workbench.ui.inspector.rows.row_acts import can_prioritise
from workbench.ui.inspector.rows.row_words import row_icon
from workbench.ui.look.fonts import font, line_height, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import after, paint_badge, paint_tag, placed, set_text_style, stroke_rounded
from workbench.ui.look.theme import Theme, colour
from workbench.ui.look.tones import STATE_LOOK
from workbench.ui.translation import tr
from workbench.ui.widgets.badge import STRIPE, source_stripe
from workbench.ui.widgets.choice import NumberField
from workbench.ui.widgets.found_words import fact_colour
from workbench.ui.widgets.items.views import Index, item_option

CHEVRON_LEAD, CHEVRON = 10, 12
TAG_LEAD, LAYER_LEAD = 29, 57
ICON_LEAD, ICON, NAME_LEAD = 31, 14, 51
ROW_CHEVRON_LEAD, PART_LEAD = 16, 51
GROUP_CHEVRON_LEAD, GROUP_INDENT = 32, 18
PRIORITY_TRAIL = 6
SHARE_LEAD, STATE_LEAD, WORD_LEAD = 8, 7, 1
INFLUENCE_LEAD, INFLUENCE_TRAIL = 14, 14


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is being painted; `option`, that of its row, is asked for what only a few cells need."""

    option: QStyleOptionViewItem
    rect: QRectF
    item: Item
    column: Column
    text: str
    theme: Theme
    chosen: bool

    @property
    def open(self) -> bool:
        return bool(item_option(self.option).state & QStyle.StateFlag.State_Open)

    @property
    def unfolds(self) -> bool:
        return bool(item_option(self.option).state & QStyle.StateFlag.State_Children)

    def part(self, lead: float, width: float) -> QRectF:
        """A piece of it, `lead` from where reading begins."""
        return placed(self.rect, lead, width)

    def rest(self, lead: float, trail: float = 0.0) -> QRectF:
        return after(self.rect, lead, trail)

    def ink(self, quiet: str) -> str:
        return strokes.ink(self.item, quiet)


class CellDelegate(QStyledItemDelegate):
    """Paints a cell from the line itself; the row's ground is painted by the view, which asks for its cells."""

    def __init__(self, model: LayersModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model

    @abstractmethod
    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        """Paint what stands in the cell; the pen has the colour of the line's text."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(40, line_height("row"))


class SegmentDelegate(CellDelegate):
    """Chevron, tag and word of a layer; icon and name of a row."""

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        if isinstance(cell.item, LayerRow):
            self._paint_chevron(painter, cell, CHEVRON_LEAD)
            paint_tag(painter, cell.rest(TAG_LEAD), cell.item.name)
            set_text_style(painter, font("row", 600), colour("t1", cell.theme))
            strokes.paint_words(painter, cell.rest(LAYER_LEAD, 4), cell.text)
            return
        if isinstance(cell.item, RowPart):
            self._paint_part(painter, cell, cell.item)
            return
        if isinstance(cell.item, RowGroup):
            self._paint_group(painter, cell, cell.item)
            return
        if cell.unfolds:
            self._paint_chevron(painter, cell, ROW_CHEVRON_LEAD if not self._model.flat else CHEVRON_LEAD)
        inside = GROUP_INDENT if cell.item.group is not None and not self._model.flat else 0
        if self._model.flat:
            inside = LAYER_LEAD - ICON_LEAD
            paint_tag(painter, cell.rest(TAG_LEAD), cell.item.key.layer)
            painter.setPen(colour(cell.ink("t1"), cell.theme))
        paint_icon(painter, cell.part(ICON_LEAD + inside, ICON), row_icon(cell.item), cell.ink("t2"), ICON)
        painter.setFont(font("row"))
        name = cell.rest(NAME_LEAD + inside, 6)
        strokes.paint_words(painter, name, cell.text, Qt.TextElideMode.ElideMiddle)

    def _paint_group(self, painter: QPainter, cell: Cell, group: RowGroup) -> None:
        folded = group.key in self._model.folded
        icon = "chevron-right" if folded else "chevron-down"
        paint_icon(painter, cell.part(GROUP_CHEVRON_LEAD, CHEVRON), icon, "t2", CHEVRON)
        word, _, count = cell.text.rpartition(" ")
        painter.setFont(font("row"))
        strokes.paint_words(painter, cell.rest(NAME_LEAD, 4), word)
        painter.setPen(colour("t3", cell.theme))
        width = metrics("row").horizontalAdvance(word)
        strokes.paint_words(painter, cell.rest(NAME_LEAD + width + 6, 4), count)

    def _paint_chevron(self, painter: QPainter, cell: Cell, lead: int) -> None:
        icon = "chevron-down" if cell.open else "chevron-right"
        paint_icon(painter, cell.part(lead, CHEVRON), icon, "t2", CHEVRON)

    def _paint_part(self, painter: QPainter, cell: Cell, part: RowPart) -> None:
        stripe = fact_colour(part.layer or source_stripe(part.source), cell.theme)
        if part.source == "sentence":
            stripe.setAlphaF(strokes.strength(self._model.figures.share(part.influence)))
        painter.fillRect(cell.part(PART_LEAD, STRIPE), stripe)
        set_text_style(painter, font("row_small"), colour("t2", cell.theme))
        strokes.paint_words(painter, cell.rest(PART_LEAD + STRIPE + 7, 4), cell.text)


class TokensDelegate(CellDelegate):
    """A count that ends at the end of its cell."""

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        painter.setFont(font("row", 600 if isinstance(cell.item, LayerRow) else None))
        strokes.paint_number(painter, cell.rect, cell.text, ends=True)


class PriorityDelegate(CellDelegate):
    """A priority; on the chosen row it can be stepped, and typed after a double click."""

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        if cell.chosen and isinstance(cell.item, SegmentRow) and can_prioritise(cell.item):
            box = strokes.stepper_rect(cell.rect, cell.text)
            strokes.paint_stepper(painter, box, cell.text, cell.theme)
            return
        set_text_style(painter, font("row"), colour(cell.ink("t2"), cell.theme))
        strokes.paint_number(painter, cell.rest(0, PRIORITY_TRAIL), cell.text, ends=True)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        field = NumberField(steps.LOWEST, steps.HIGHEST)
        field.setParent(parent)
        field.setAccessibleName(tr("Priority"))
        return field

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QSpinBox):
            editor.setValue(int(index.data(Qt.ItemDataRole.EditRole) or 0))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QSpinBox):
            editor.interpretText()
            model.setData(index, editor.value(), Qt.ItemDataRole.EditRole)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        cell = item_option(option).box.toRect()
        width = max(cell.width(), editor.sizeHint().width())
        editor.setGeometry(cell.right() + 1 - width, cell.top(), width, cell.height())


class ShareDelegate(CellDelegate):
    """A mini bar and the share of the window."""

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        if isinstance(cell.item, RowPart):
            return
        share = self._model.scale.of_largest(cell.item.tokens)
        bar = cell.part(SHARE_LEAD, strokes.MINI_WIDTH)
        strokes.paint_share_bar(painter, bar, cell.item, share, cell.theme)
        layer = isinstance(cell.item, LayerRow)
        painter.setFont(font("row", 600) if layer else font("row_small"))
        painter.setPen(colour(cell.ink("t1" if layer else "t2"), cell.theme))
        rest = cell.rest(SHARE_LEAD + strokes.MINI_WIDTH + 6)
        strokes.paint_number(painter, rest, cell.text, ends=False)


class InfluenceDelegate(CellDelegate):
    """A bar that is full for the most influential row, and the figure at the end of the cell."""

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        figures, item = self._model.figures, cell.item
        found = figures.rows.get(item.key) if isinstance(item, SegmentRow) else None
        value = item.influence if isinstance(item, RowPart) else found.value if found is not None else None
        measured = value is not None and (found is None or found.first)
        if measured:
            bar = cell.part(INFLUENCE_LEAD, strokes.INFLUENCE_WIDTH)
            strokes.paint_influence(painter, bar, value or 0.0, figures.share(value), cell.theme)
        strongest = found is not None and value == figures.largest > 0
        token = "t1" if measured else "t3"
        set_text_style(painter, font("row", 600 if strongest else None), colour(token, cell.theme))
        strokes.paint_number(painter, cell.rest(0, INFLUENCE_TRAIL), cell.text, ends=True)


class FactsDelegate(CellDelegate):
    """How many facts of the answer a row has, in a chip; a layer's sum is bold."""

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        if not cell.text:
            return
        layer = isinstance(cell.item, LayerRow | RowPart)
        if not layer:
            width = max(24.0, metrics("row_small").horizontalAdvance(cell.text) + 14)
            box = cell.rest(0, 8)
            chip = QRectF(box.right() - width, box.center().y() - 9, width, 18)
            stroke_rounded(painter, chip, colour("btnline", cell.theme), 9, 1)
        set_text_style(painter, font("row_small", 600 if layer else None), colour("t1", cell.theme))
        strokes.paint_number(painter, cell.rest(0, 15), cell.text, ends=True)


class PinDelegate(CellDelegate):
    """Whether a row is pinned."""

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        if isinstance(cell.item, SegmentRow):
            strokes.paint_pin(painter, cell.rect, cell.item)


class StateDelegate(CellDelegate):
    """The badge of a row's state."""

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        if isinstance(cell.item, RowGroup):
            set_text_style(painter, font("row_small"), colour("t3", cell.theme))
            strokes.paint_words(painter, cell.rest(STATE_LEAD, 2), cell.text)
        elif isinstance(cell.item, SegmentRow):
            tone, icon, _ = STATE_LOOK[cell.item.state]
            if self._model.is_edited(cell.item):
                tone, icon = "accent", "edit"
            paint_badge(painter, cell.rest(STATE_LEAD, 2), tone, icon, cell.text)


class CacheDelegate(CellDelegate):
    """Whether a cache is expected to serve a row."""

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        if isinstance(cell.item, LayerRow | RowPart | RowGroup):
            return
        marked = cell.item.cache in ("hit", "part")
        if marked:
            swatch = cell.part(WORD_LEAD, strokes.SWATCH_WIDTH)
            strokes.paint_cache_mark(painter, swatch, cell.item.cache, cell.theme)
        set_text_style(painter, font("row_small"), colour("t2" if marked else "t3", cell.theme))
        lead = WORD_LEAD + strokes.SWATCH_WIDTH + 5 if marked else WORD_LEAD
        strokes.paint_words(painter, cell.rest(lead), cell.text)


class WordsDelegate(CellDelegate):
    """A digest or a reason: quiet words."""

    def paint_cell(self, painter: QPainter, cell: Cell) -> None:
        reason = cell.column is Column.REASON
        painter.setFont(font("row_small") if reason else font("digest"))
        painter.setPen(colour(cell.ink("t3") if reason else "t3", cell.theme))
        if reason and isinstance(cell.item, SegmentRow) and cell.item.found is not None:
            self._paint_score(painter, cell, cell.item)
            return
        if reason and isinstance(cell.item, RowGroup) and cell.item.used_up:
            painter.setPen(colour("warn", cell.theme))
        strokes.paint_words(painter, cell.rest(WORD_LEAD, 6), cell.text)

    def _paint_score(self, painter: QPainter, cell: Cell, row: SegmentRow) -> None:
        score, words = quote_reason(row)
        lead = float(WORD_LEAD)
        if score:
            set_text_style(painter, font("row_small", 600), colour(cell.ink("t1"), cell.theme))
            strokes.paint_words(painter, cell.rest(lead, 6), score)
            lead += metrics("row_small", 600).horizontalAdvance(score) + 8
        set_text_style(painter, font("row_small"), colour(cell.ink("t3"), cell.theme))
        strokes.paint_words(painter, cell.rest(lead, 6), words)


DELEGATES: dict[Column, type[CellDelegate]] = {
    Column.SEGMENT: SegmentDelegate,
    Column.TOKENS: TokensDelegate,
    Column.INFLUENCE: InfluenceDelegate,
    Column.SHARE: ShareDelegate,
    Column.PRIORITY: PriorityDelegate,
    Column.PIN: PinDelegate,
    Column.STATE: StateDelegate,
    Column.CACHE: CacheDelegate,
    Column.DIGEST: WordsDelegate,
    Column.REASON: WordsDelegate,
    Column.FACTS: FactsDelegate,
}
