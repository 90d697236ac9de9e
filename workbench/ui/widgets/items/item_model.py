"""The base of all item models: a tree of items with keys; a new snapshot is applied as the fewest row changes."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from itertools import groupby
from typing import Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from workbench.ui.widgets.items.views import NOWHERE, Index
from workbench.ui.widgets.plain import tip

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
ITEM = int(Qt.ItemDataRole.UserRole)
"""Role under which a delegate finds the item itself."""
# Made once: every operation on Qt's flags makes an object in Python, and views ask for each cell they paint.
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class Run(NamedTuple):
    """A range of a list: `length` entries from `first` on."""

    first: int
    length: int


class Edits(NamedTuple):
    """Runs to remove, last first; then runs to insert, first first, each at its final position."""

    removed: tuple[Run, ...]
    inserted: tuple[Run, ...]


NOTHING = Edits((), ())


def edits(old: Sequence[Key], new: Sequence[Key]) -> Edits:
    """The fewest edits from one list of keys to another; a key that moved is removed and inserted again."""
    if old == new:
        return NOTHING
    if not old:
        return Edits((), (Run(0, len(new)),))
    before, after = numbered(old), numbered(new)
    staying = _longest_common(before, after)
    gone = [place for place, key in enumerate(before) if key not in staying]
    come = [place for place, key in enumerate(after) if key not in staying]
    return Edits(tuple(reversed(runs(gone))), tuple(runs(come)))


def numbered(keys: Sequence[Key]) -> list[tuple[Key, int]]:
    """Each key with how often it occurred before, so that equal keys become distinct."""
    seen: Counter[Key] = Counter()
    found: list[tuple[Key, int]] = []
    for key in keys:
        found.append((key, seen[key]))
        seen[key] += 1
    return found


def _longest_common(before: list[tuple[Key, int]], after: list[tuple[Key, int]]) -> set[tuple[Key, int]]:
    """The longest common subsequence of two lists of distinct keys, by the longest increasing run of positions."""
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
    """Ascending positions joined into runs."""
    found: list[Run] = []
    for place in places:
        if found and found[-1].first + found[-1].length == place:
            found[-1] = Run(found[-1].first, found[-1].length + 1)
        else:
            found.append(Run(place, 1))
    return found


class _Node:
    """An item at its position; `below`, its children, is None until a view asks for them."""

    __slots__ = ("below", "item", "key", "number", "parent", "row")

    def __init__(self, item: Any, key: Hashable, parent: _Node | None, row: int, number: int) -> None:
        self.item, self.key, self.parent, self.row, self.number = item, key, parent, row, number
        self.below: list[_Node] | tuple[()] | None = None


def _number_rows(nodes: Sequence[_Node], first: int) -> None:
    for row in range(first, len(nodes)):
        nodes[row].row = row


class ItemModel(QAbstractItemModel, Generic[Item]):
    """A tree of items, each in a row; a subclass provides keys, children and cell texts.

    An index carries the unique number of its node. Qt may keep an index longer than its item exists:
    then the number is not found, where an address would crash the program.

    Attributes:
        column_count: how many columns every row has.
    """

    column_count = 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last_number = 0
        self._by_key: dict[Hashable, _Node] = {}
        self._root = _Node(None, None, None, 0, 0)  # its number is that of an invalid index
        self._root.below = []
        self._nodes = {0: self._root}

    # --- what a subclass says of its items --------------------------------------------------------------

    def key_of(self, _item: Item) -> Hashable:
        """What identifies the item among its siblings across snapshots; by default its position."""
        return None

    def children_of(self, _item: Item) -> Sequence[Item]:
        """The items below it; by default none, so that the model is a list."""
        return ()

    @abstractmethod
    def text_of(self, item: Item, column: int = 0) -> str: ...

    def spoken_of(self, item: Item, column: int = 0) -> str | None:
        """Text for a screen reader; None to use the shown text."""
        return self.text_of(item, column)

    def tip_of(self, _item: Item, _column: int = 0) -> str:
        """Its tooltip; empty for none."""
        return ""

    def can_choose(self, _item: Item) -> bool:
        """Whether it can be selected; a heading can't."""
        return True

    def changed_columns(self, old: Item, new: Item) -> Collection[int]:
        """The columns whose cells look different in the new item."""
        return range(self.column_count if old != new else 0)

    # --- what is shown ----------------------------------------------------------------------------------

    @property
    def items(self) -> list[Item]:
        """The top-level items."""
        return [node.item for node in self._child_nodes(self._root)]

    def show_items(self, new: Sequence[Item], deep: bool = False) -> Edits:
        """Show these top-level items: rows are inserted and removed by key, and the others updated if they differ.

        The children of an item that is the same object are not looked at, unless `deep`.
        """
        return self._show(self._root, new, deep)

    def show_children(self, key: Hashable) -> None:
        """Update the rows below an item, unless no view has asked for them yet."""
        if (node := self._by_key.get(key)) is not None:
            self._show(node, self.children_of(node.item), deep=False)

    def reset_items(self, new: Sequence[Item]) -> None:
        """Replace all items; nothing stays selected or expanded."""
        self.beginResetModel()
        self._nodes = {0: self._root}
        self._by_key.clear()
        self._root.below = self._create_nodes(new, self._root, 0)
        self.endResetModel()

    def tell_rows(self, parent: Index, rows: range, columns: Collection[int] | None = None) -> None:
        """Emit `dataChanged` for these rows and columns, by default all columns."""
        if not rows:
            return
        wanted = range(self.column_count) if columns is None else sorted(columns)
        for _, run in groupby(enumerate(wanted), key=lambda pair: pair[1] - pair[0]):
            cells = [column for _, column in run]
            self.dataChanged.emit(
                self.index(rows[0], cells[0], parent), self.index(rows[-1], cells[-1], parent)
            )

    def item(self, index: Index) -> Item | None:
        """The item at an index; None if there is none, or not any more."""
        node = self._nodes.get(index.internalId())
        return None if node is None else node.item

    def below(self, index: Index) -> list[Item]:
        """The items below an index."""
        return [node.item for node in self._rows(index)]

    def index_of(self, key: Hashable, column: int = 0) -> QModelIndex:
        """The index of the item with this key; invalid if there is none."""
        if key not in self._by_key:
            waiting = [self._root]  # it may be below something that no view has asked for
            while waiting:
                for node in self._child_nodes(waiting.pop()):
                    self._by_key.setdefault(node.key, node)
                    waiting.append(node)
        found = self._by_key.get(key)
        return QModelIndex() if found is None else self.createIndex(found.row, column, found.number)

    def _child_nodes(self, node: _Node) -> Sequence[_Node]:
        if node.below is None:  # nearly all have none: a list for each took 0.6 MB of 10,000 lines
            node.below = self._create_nodes(self.children_of(node.item), node, 0) or ()
        return node.below

    def _create_nodes(self, items: Sequence[Item], parent: _Node, first: int) -> list[_Node]:
        made: list[_Node] = []
        for row, item in enumerate(items, first):
            self._last_number += 1
            node = _Node(item, self.key_of(item), parent, row, self._last_number)
            self._nodes[node.number] = node
            self._by_key.setdefault(node.key, node)
            made.append(node)
        return made

    def _remove_nodes(self, nodes: Sequence[_Node]) -> None:
        for node in nodes:
            del self._nodes[node.number]
            if self._by_key.get(node.key) is node:
                del self._by_key[node.key]
            self._remove_nodes(node.below or ())

    def _show(self, parent: _Node, new: Sequence[Item], deep: bool) -> Edits:
        if parent.below is None or not (parent.below or new):
            return NOTHING  # no view has asked yet, or there is nothing
        rows = parent.below = parent.below or []
        where = self._index(parent)
        change = edits([node.key for node in rows], [self.key_of(item) for item in new])
        for first, count in change.removed:
            self.beginRemoveRows(where, first, first + count - 1)
            self._remove_nodes(rows[first : first + count])
            del rows[first : first + count]
            _number_rows(rows, first)
            self.endRemoveRows()
        for first, count in change.inserted:
            self.beginInsertRows(where, first, first + count - 1)
            rows[first:first] = self._create_nodes(new[first : first + count], parent, first)
            _number_rows(rows, first + count)
            self.endInsertRows()
        self._replace(where, rows, new, deep)
        return change

    def _replace(self, parent: QModelIndex, rows: Sequence[_Node], new: Sequence[Item], deep: bool) -> None:
        """Replace the items in rows with the same keys, and report which cells changed."""
        old = [node.item for node in rows]
        for node, item in zip(rows, new, strict=True):
            node.item = item
        changed = (
            () if before is after else self.changed_columns(before, after)
            for before, after in zip(old, new, strict=True)
        )
        first = 0
        for columns, run in groupby(changed):
            length = len(list(run))
            self.tell_rows(parent, range(first, first + length), columns)
            first += length
        for node, before in zip(tuple(rows), old, strict=True):
            if node.below is not None and (deep or node.item is not before):
                self._show(node, self.children_of(node.item), deep)

    def _index(self, node: _Node) -> QModelIndex:
        return QModelIndex() if node.parent is None else self.createIndex(node.row, 0, node.number)

    # --- what Qt asks -----------------------------------------------------------------------------------

    def index(self, row: int, column: int = 0, parent: Index = NOWHERE) -> QModelIndex:
        below = self._rows(parent)
        if not 0 <= row < len(below) or not 0 <= column < self.column_count:
            return QModelIndex()
        return self.createIndex(row, column, below[row].number)

    def parent(self, index: Index | None = None) -> Any:
        """The parent of an index; without an index, the QObject that owns the model."""
        if index is None:
            return super().parent()
        node = self._nodes.get(index.internalId())
        above = None if node is None else node.parent
        return QModelIndex() if above is None else self._index(above)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return len(self._rows(parent))

    def hasChildren(self, parent: Index = NOWHERE) -> bool:
        """Qt would ask for rows and columns, and a view asks it of every line."""
        return bool(self._rows(parent))

    def _rows(self, parent: Index) -> Sequence[_Node]:
        node = self._nodes.get(parent.internalId()) if parent.column() <= 0 else None
        return () if node is None else self._child_nodes(node)

    def columnCount(self, _parent: Index = NOWHERE) -> int:
        return self.column_count

    def flags(self, index: Index) -> Qt.ItemFlag:
        item = self.item(index)
        return _FLAGS if item is not None and self.can_choose(item) else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item = self.item(index)
        if item is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text_of(item, index.column())
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.spoken_of(item, index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return tip(words) if (words := self.tip_of(item, index.column())) else None
            case _:
                return item if role == ITEM else None
