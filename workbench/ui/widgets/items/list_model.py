"""The base of list models: items in a list, of which only what changed is told to the view."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, Qt

from workbench.ui.widgets.items.item import NOWHERE, Index
from workbench.ui.widgets.items.key_diff import Edits, edits
from workbench.ui.widgets.plain import tip

Item = TypeVar("Item")
ITEM = int(Qt.ItemDataRole.UserRole)
"""The role under which a delegate finds the item itself."""


class ListModel(QAbstractListModel, Generic[Item]):
    """A list of items; a subclass says what they say.

    Attributes:
        items: what is shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.items: list[Item] = []

    def text_of(self, item: Item) -> str:
        """What an item says to the eye."""
        raise NotImplementedError

    def spoken_of(self, item: Item) -> str:
        """What a screen reader says of it."""
        return self.text_of(item)

    def tip_of(self, _item: Item) -> str:
        """Its tooltip; empty for none."""
        return ""

    def can_choose(self, _item: Item) -> bool:
        """Whether it can be chosen; a heading cannot."""
        return True

    def key_of(self, _item: Item) -> Hashable:
        """What tells it from others; by default it is the same as whatever stood in its place."""
        return None

    def show_items(self, new: Sequence[Item]) -> Edits:
        """Show these items: rows come and go by their keys, the others change where they differ."""
        change = edits([self.key_of(item) for item in self.items], [self.key_of(item) for item in new])
        for first, count in change.removed:
            self.beginRemoveRows(NOWHERE, first, first + count - 1)
            del self.items[first : first + count]
            self.endRemoveRows()
        for first, count in change.inserted:
            self.beginInsertRows(NOWHERE, first, first + count - 1)
            self.items[first:first] = new[first : first + count]
            self.endInsertRows()
        self._replace(new)
        return change

    def _replace(self, new: Sequence[Item]) -> None:
        old, self.items = self.items, list(new)
        for row, (before, after) in enumerate(zip(old, new, strict=True)):
            if before is not after and before != after:
                self.dataChanged.emit(self.index(row), self.index(row))

    def reset_items(self, new: Sequence[Item]) -> None:
        """Show other items altogether."""
        self.beginResetModel()
        self.items = list(new)
        self.endResetModel()

    def item(self, index: Index) -> Item | None:
        return self.items[index.row()] if index.isValid() and index.row() < len(self.items) else None

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.items)

    def flags(self, index: Index) -> Qt.ItemFlag:
        item = self.item(index)
        chosen = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return chosen if item is not None and self.can_choose(item) else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item = self.item(index)
        if item is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text_of(item)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.spoken_of(item)
            case Qt.ItemDataRole.ToolTipRole:
                return tip(words) if (words := self.tip_of(item)) else None
            case _:
                return item if role == ITEM else None
