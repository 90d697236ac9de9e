"""The drop order as Qt's views want it: the cards in the order in which they would fall, then what never does."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QModelIndex, Signal

from workbench.domain.shown.envelope_view import DropCard, DropOrder, RowKey
from workbench.ui import formatting
from workbench.ui.inspector.rows.row_words import card_name
from workbench.ui.widgets.items.item import Index
from workbench.ui.widgets.items.key_diff import NOTHING
from workbench.ui.widgets.items.list_model import ListModel


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
        """Show another order, touching nothing that is the same."""
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
        """The cards that may fall, in their order."""
        return [entry for entry in self.items if isinstance(entry, DropCard)]

    def key_of(self, entry: Entry) -> object:
        """A card by its row; there is one for all that is pinned."""
        return entry.key if isinstance(entry, DropCard) else "pinned"

    def can_choose(self, entry: Entry) -> bool:
        """What is pinned can only be read."""
        return isinstance(entry, DropCard)

    def text_of(self, entry: Entry) -> str:
        return self.title(entry)

    def tip_of(self, entry: Entry) -> str:
        return f"{self.title(entry)}\n{self.line(entry)}"

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
            return self.tr("{n}, never fall").format(n=formatting.tokens(entry.tokens))
        if not entry.out:
            return self.tr("frees {n}").format(n=formatting.tokens(entry.tokens))
        if entry.back_with_tokens <= 0:
            return self.tr("out")
        return self.tr("out, back with {n}").format(n=formatting.signed_tokens(entry.back_with_tokens))

    def _size(self, entry: Entry) -> tuple[str, int]:
        return self.title(entry), len(self.line(entry))
