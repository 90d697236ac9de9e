"""The drop order as Qt's views want it, what would fall first in front, and how a card of it is painted."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QRectF, QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem

from workbench.domain.shown.envelope_view import DropCard, DropOrder, RowKey
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import card_name
from workbench.ui.look.focus_ring import came_by_keyboard
from workbench.ui.look.fonts import font, metrics, scale
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    after,
    dashed_pen,
    fill_rounded,
    paint_elided,
    paint_figure,
    placed,
    set_text_style,
    stroke_rounded,
)
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.guided import with_more
from workbench.ui.widgets.items.delegate import Index, ItemOption, RowDelegate
from workbench.ui.widgets.items.list_model import NOTHING, ListModel

CARD_HEIGHT, RADIUS, GAP = 40, 8, 14
PADDING, GRIP, NUMBER_LEAD, NAME_GAP = 8, 10, 24, 5
CHEVRON, LOCK = 12, 14
MOST_NAME_PX = 220


class PinnedCard(NamedTuple):
    """The last card: what is pinned, and never falls."""

    number: int
    tokens: int


Entry = DropCard | PinnedCard


class DropModel(ListModel[Entry]):
    """One entry a card; cards are known by their keys.

    Signals:
        resized: the words of some card take another width now.
    """

    resized = Signal()

    def show_order(self, order: DropOrder) -> None:
        wanted: list[Entry] = [*order.cards]
        if order.pinned:
            wanted.append(PinnedCard(order.pinned, order.pinned_tokens))
        sizes = [self._size(entry) for entry in self.items]
        moved = self.show_items(wanted) != NOTHING
        if moved and wanted:
            # A card shows its number, which moves with its neighbours.
            self.dataChanged.emit(self.index(0), self.index(len(wanted) - 1))
        if moved or sizes != [self._size(entry) for entry in wanted]:
            self.resized.emit()

    def card(self, index: Index) -> DropCard | None:
        """The card at an index; None for what is pinned."""
        found = self.item(index)
        return found if isinstance(found, DropCard) else None

    def index_of(self, key: RowKey) -> QModelIndex:
        for place, entry in enumerate(self.items):
            if isinstance(entry, DropCard) and entry.key == key:
                return self.index(place)
        return QModelIndex()

    def cards(self) -> list[DropCard]:
        return [entry for entry in self.items if isinstance(entry, DropCard)]

    def key_of(self, entry: Entry) -> object:
        """A card by its row; there is one for all that is pinned."""
        return entry.key if isinstance(entry, DropCard) else "pinned"

    def can_choose(self, entry: Entry) -> bool:
        return isinstance(entry, DropCard)

    def text_of(self, entry: Entry) -> str:
        return self.title(entry)

    def tip_of(self, entry: Entry) -> str:
        return with_more(self._told(entry))

    def _told(self, entry: Entry) -> str:
        """Where the figure on a card comes from, in a sentence."""
        tokens = formatting.tokens(entry.tokens)
        if isinstance(entry, PinnedCard):
            words = self.tr("{pinned}: {tokens} tokens of this request that are never dropped.")
            return words.format(pinned=self.title(entry), tokens=tokens)
        if not entry.out:
            words = self.tr("{name} takes {tokens} tokens of this request, which dropping it frees.")
            return words.format(name=card_name(entry), tokens=tokens)
        if entry.back_with_tokens <= 0:
            return self.tr("{name} isn’t sent: no room.").format(name=card_name(entry))
        more = formatting.tokens(entry.back_with_tokens)
        return self.tr("{name} is sent again once {more} more tokens are free.").format(
            name=card_name(entry), more=more
        )

    def spoken_of(self, entry: Entry) -> str:
        if isinstance(entry, PinnedCard):
            return f"{self.title(entry)}, {self.line(entry)}"
        return self.tr("{number}: {name}, {line}, priority {priority}").format(
            number=self.items.index(entry) + 1,
            name=self.title(entry),
            line=self.line(entry),
            priority=entry.priority,
        )

    def title(self, entry: Entry) -> str:
        if isinstance(entry, PinnedCard):
            return self.tr("{n} pinned").format(n=formatting.tokens(entry.number))
        return card_name(entry)

    def line(self, entry: Entry) -> str:
        """The second line of a card: what it frees, or what would bring it back."""
        if isinstance(entry, PinnedCard):
            return self.tr("{n} tokens").format(n=formatting.tokens(entry.tokens))
        if not entry.out:
            return self.tr("frees {n}").format(n=formatting.tokens(entry.tokens))
        if entry.back_with_tokens <= 0:
            return self.tr("out")
        return self.tr("out, needs {n}").format(n=formatting.signed_tokens(entry.back_with_tokens))

    def _size(self, entry: Entry) -> tuple[str, int]:
        return self.title(entry), len(self.line(entry))


class CardLook(NamedTuple):
    """How a card is painted at the moment."""

    chosen: bool
    focused: bool
    hovered: bool
    last: bool


class DropDelegate(RowDelegate):
    """Paints grip, number, name and what the card frees; behind it the chevron to the next one."""

    def __init__(self, model: DropModel, rail: QAbstractItemView) -> None:
        super().__init__(rail)
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        entry = self._model.item(index)
        if entry is None:
            return QSize(0, card_height())
        gap = 0 if self._is_last(index) else GAP
        return QSize(round(self._card_width(entry, index.row() + 1)) + gap, card_height())

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        entry = self._model.item(index)
        if entry is None:
            return
        width = self._card_width(entry, index.row() + 1)
        look = CardLook(
            row.selected,
            bool(row.state & QStyle.StateFlag.State_HasFocus) and came_by_keyboard(self.view()),
            row.hovered,
            self._is_last(index),
        )
        self.paint_card(painter, placed(row.box, 0, width), entry, index.row() + 1, look)
        if not look.last:
            paint_icon(painter, placed(row.box, width, GAP), "chevron-right", "t2", CHEVRON)

    def paint_card(self, painter: QPainter, box: QRectF, entry: Entry, number: int, look: CardLook) -> None:
        """Paint a card anywhere, such as under the pointer that drags it."""
        theme = theme_of(self.view())
        self._paint_ground(painter, box, entry, look)
        out = isinstance(entry, DropCard) and entry.out
        lead = PADDING + LOCK + 3.0
        if isinstance(entry, PinnedCard):
            paint_icon(painter, placed(box, PADDING - 1, LOCK), "lock", "t2", LOCK)
        else:
            paint_icon(painter, placed(box, PADDING - 1, GRIP + 2), "grip", "t3", 12)
            set_text_style(painter, font("row", 600), colour("err" if out else "t2", theme))
            width = self._number_width(number)
            paint_figure(painter, placed(box, NUMBER_LEAD, width), str(number))
            lead = NUMBER_LEAD + width + NAME_GAP
        words = after(box, lead, PADDING)
        set_text_style(painter, font("small", 500), colour("err" if out else "t1", theme))
        half = box.height() / 2 - 4
        title = QRectF(words.left(), box.top() + 4, words.width(), half)
        paint_elided(painter, title, self._model.title(entry))
        set_text_style(painter, font("meta"), colour("t2" if out else "t3", theme))
        line = QRectF(words.left(), box.center().y(), words.width(), half)
        paint_elided(painter, line, self._model.line(entry))

    def _paint_ground(self, painter: QPainter, box: QRectF, entry: Entry, look: CardLook) -> None:
        theme = theme_of(self.view())
        if isinstance(entry, PinnedCard):
            fill_rounded(painter, box, theme.sunken, RADIUS)
            return
        ground = theme.sel if look.chosen else theme.hover if look.hovered else theme.raised
        fill_rounded(painter, box, ground, RADIUS)
        edge = theme.accent if look.chosen else theme.line2
        stroke_rounded(painter, box, dashed_pen(theme.errline, 1, 3, 2) if entry.out else edge, RADIUS)
        if look.focused:
            stroke_rounded(painter, box, theme.accent, RADIUS, 2)

    def _card_width(self, entry: Entry, number: int) -> float:
        title = min(metrics("small", 500).horizontalAdvance(self._model.title(entry)), MOST_NAME_PX)
        words = max(title, metrics("meta").horizontalAdvance(self._model.line(entry))) + 1
        if isinstance(entry, PinnedCard):
            return PADDING + LOCK + 3 + words + PADDING
        return NUMBER_LEAD + self._number_width(number) + NAME_GAP + words + PADDING + 1

    def _number_width(self, number: int) -> float:
        return metrics("row", 600).horizontalAdvance("0" * len(str(number)))

    def _is_last(self, index: Index) -> bool:
        return index.row() == self._model.rowCount() - 1


def card_height() -> int:
    """How high a card is at the font's size."""
    return round(CARD_HEIGHT * scale())
