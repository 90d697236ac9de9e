"""The base of list models: items of which only what changed is told to the view, by their keys."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QAbstractListModel, Qt

from workbench.ui.widgets.items.views import NOWHERE, Index
from workbench.ui.widgets.plain import tip

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
ITEM = int(Qt.ItemDataRole.UserRole)
"""The role under which a delegate finds the item itself."""


class Run(NamedTuple):
    """Neighbours in a list: `length` of them from `first` on."""

    first: int
    length: int


class Edits(NamedTuple):
    """Runs to remove, the last one first; then runs to insert, the first one first, each at its final place."""

    removed: tuple[Run, ...]
    inserted: tuple[Run, ...]


NOTHING = Edits((), ())


def edits(old: Sequence[Key], new: Sequence[Key]) -> Edits:
    """What turns one list into the other; what changed its place goes and comes again."""
    if old == new:
        return NOTHING
    before, after = numbered(old), numbered(new)
    staying = _in_both_orders(before, after)
    gone = [place for place, key in enumerate(before) if key not in staying]
    come = [place for place, key in enumerate(after) if key not in staying]
    return Edits(tuple(reversed(runs(gone))), tuple(runs(come)))


def numbered(keys: Sequence[Key]) -> list[tuple[Key, int]]:
    """The keys, told apart where one occurs twice."""
    seen: Counter[Key] = Counter()
    told: list[tuple[Key, int]] = []
    for key in keys:
        told.append((key, seen[key]))
        seen[key] += 1
    return told


def _in_both_orders(before: list[tuple[Key, int]], after: list[tuple[Key, int]]) -> set[tuple[Key, int]]:
    """The largest set of keys that both lists have in the same order."""
    places = {key: place for place, key in enumerate(before)}
    common = [(places[key], key) for key in after if key in places]
    tails: list[int] = []
    ends: list[int] = []
    came_from: list[int] = []
    for index, (place, _) in enumerate(common):
        length = bisect_left(tails, place)
        came_from.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [place]
        ends[length : length + 1] = [index]
    staying: set[tuple[Key, int]] = set()
    index = ends[-1] if ends else -1
    while index >= 0:
        staying.add(common[index][1])
        index = came_from[index]
    return staying


def runs(places: Sequence[int]) -> list[Run]:
    """Places in rising order, neighbours put together."""
    found: list[Run] = []
    for place in places:
        if found and found[-1].first + found[-1].length == place:
            found[-1] = Run(found[-1].first, found[-1].length + 1)
        else:
            found.append(Run(place, 1))
    return found


class ListModel(QAbstractListModel, Generic[Item]):
    """A list of items; a subclass says what they say.

    Attributes:
        items: what is shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.items: list[Item] = []

    def text_of(self, item: Item) -> str:
        raise NotImplementedError

    def spoken_of(self, item: Item) -> str:
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
