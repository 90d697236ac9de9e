"""The drop order as Qt's views want it: the cards in the order in which they would fall, then what never does."""

from __future__ import annotations

from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from workbench.domain.shown.envelope_view import DropCard, DropOrder, RowKey
from workbench.ui import formatting
from workbench.ui.inspector.rows import key_diff
from workbench.ui.inspector.rows.row_words import card_name
from workbench.ui.widgets.plain import tip

Index = QModelIndex | QPersistentModelIndex
_TOP = QModelIndex()


class PinnedCard(NamedTuple):
    """The last card: what is pinned, and never falls."""

    number: int
    tokens: int


Entry = DropCard | PinnedCard


class DropModel(QAbstractListModel):
    """One entry a card; cards are known by their keys.

    Signals:
        resized: the words of some card take another width now.
    """

    resized = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []

    def show_order(self, order: DropOrder) -> None:
        """Show another order, touching nothing that is the same."""
        wanted: list[Entry] = [*order.cards]
        if order.pinned:
            wanted.append(PinnedCard(order.pinned, order.pinned_tokens))
        change = key_diff.edits([_key(each) for each in self._entries], [_key(each) for each in wanted])
        for first, count in change.removed:
            self.beginRemoveRows(_TOP, first, first + count - 1)
            del self._entries[first : first + count]
            self.endRemoveRows()
        for first, count in change.inserted:
            self.beginInsertRows(_TOP, first, first + count - 1)
            self._entries[first:first] = wanted[first : first + count]
            self.endInsertRows()
        # A card shows its number, which moves with its neighbours.
        moved = change != key_diff.NOTHING
        told = [
            n for n, (old, new) in enumerate(zip(self._entries, wanted, strict=True)) if moved or old != new
        ]
        resized = moved or any(
            self._size(self._entries[place]) != self._size(wanted[place]) for place in told
        )
        self._entries = wanted
        for first, count in key_diff.runs(told):
            self.dataChanged.emit(self.index(first), self.index(first + count - 1))
        if resized:
            self.resized.emit()

    def entry(self, index: Index) -> Entry | None:
        """What stands at an index."""
        return self._entries[index.row()] if index.isValid() and index.row() < len(self._entries) else None

    def card(self, index: Index) -> DropCard | None:
        """The card at an index; None for what is pinned."""
        found = self.entry(index)
        return found if isinstance(found, DropCard) else None

    def index_of(self, key: RowKey) -> QModelIndex:
        """Where a card stands."""
        for place, entry in enumerate(self._entries):
            if isinstance(entry, DropCard) and entry.key == key:
                return self.index(place)
        return QModelIndex()

    def cards(self) -> list[DropCard]:
        """The cards that may fall, in their order."""
        return [entry for entry in self._entries if isinstance(entry, DropCard)]

    def rowCount(self, parent: Index = _TOP) -> int:
        """How many cards there are."""
        return 0 if parent.isValid() else len(self._entries)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What is pinned can only be read."""
        if self.card(index) is None:
            return Qt.ItemFlag.ItemIsEnabled if index.isValid() else Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The card's words; the delegate asks `entry` instead."""
        entry = self.entry(index)
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title(entry)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(f"{self.title(entry)}\n{self.line(entry)}")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(entry, index.row() + 1)
        return None

    def title(self, entry: Entry) -> str:
        """The first line of a card."""
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

    def _spoken(self, entry: Entry, number: int) -> str:
        if isinstance(entry, PinnedCard):
            return f"{self.title(entry)}, {self.line(entry)}"
        return self.tr("{number}: {name}, {line}, priority {priority}").format(
            number=number, name=self.title(entry), line=self.line(entry), priority=entry.priority
        )


def _key(entry: Entry) -> object:
    return entry.key if isinstance(entry, DropCard) else "pinned"
