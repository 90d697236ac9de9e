"""The lists of the chats pane as one item model: lines with an id, of which only what changed is told to the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from workbench.ui.chats.found_lines import FoundHead, FoundLine
from workbench.ui.chats.lines import ActionLine, ChatLine, GroupHead, PlaceHead
from workbench.ui.translation import translator

_tr = translator("ChatsPane")

AnyLine = GroupHead | PlaceHead | ActionLine | ChatLine | FoundHead | FoundLine
Index = QModelIndex | QPersistentModelIndex
LINE = Qt.ItemDataRole.UserRole + 1
"""The role under which a delegate finds the line itself."""
CHATS = "application/x-workbench-chats"
"""What is dragged from the list: the ids of chats, one a line."""


class LinesModel(QAbstractListModel):
    """A list of chats, or of what was found in them.

    Signals:
        renamed: another title is wanted, or another name for a workspace. dropped: chats were dropped on a line.
    """

    renamed = Signal(str, str)
    dropped = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._lines: tuple[AnyLine, ...] = ()

    def show_lines(self, lines: Sequence[AnyLine]) -> None:
        """Show these lines instead of those before."""
        new, old = tuple(lines), self._lines
        first, old_end, new_end = changed_part([line.id for line in old], [line.id for line in new])
        if old_end > first:
            self.beginRemoveRows(QModelIndex(), first, old_end - 1)
            self._lines = (*old[:first], *old[old_end:])
            self.endRemoveRows()
        if new_end > first:
            self.beginInsertRows(QModelIndex(), first, new_end - 1)
            self._lines = (*self._lines[:first], *new[first:new_end], *self._lines[first:])
            self.endInsertRows()
        self._replace(new)

    def _replace(self, new: tuple[AnyLine, ...]) -> None:
        old, self._lines = self._lines, new
        for row, (before, after) in enumerate(zip(old, new, strict=True)):
            if before is not after and before != after:
                self.dataChanged.emit(self.index(row), self.index(row))

    def line(self, index: Index) -> AnyLine | None:
        """The line at an index."""
        return self._lines[index.row()] if index.isValid() and index.row() < len(self._lines) else None

    def row_of(self, key: str) -> int:
        """The row of the line with that id; -1 where there is none."""
        return next((row for row, line in enumerate(self._lines) if line.id == key), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        """How many lines there are."""
        return 0 if parent.isValid() else len(self._lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a line says, to the eye or to a screen reader."""
        line = self.line(index)
        if line is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return line_words(line)
            case Qt.ItemDataRole.EditRole:
                return line.name if isinstance(line, ChatLine | PlaceHead) else line_words(line)
            case Qt.ItemDataRole.AccessibleTextRole:
                return spoken(line)
            case _:
                return line if role == LINE else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings cannot be chosen; the titles of chats can be edited."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        match self.line(index):
            case ChatLine():
                dragged = Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemIsDropEnabled
                return flags | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable | dragged
            case PlaceHead(kind="workspace"):
                taken = Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDropEnabled
                return flags | Qt.ItemFlag.ItemIsSelectable | taken
            case PlaceHead():
                return flags | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDropEnabled
            case FoundHead() | FoundLine() | ActionLine():
                return flags | Qt.ItemFlag.ItemIsSelectable
            case GroupHead():
                return Qt.ItemFlag.ItemNeverHasChildren
            case None:
                return Qt.ItemFlag.NoItemFlags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another title; the line itself changes when the engine says so."""
        line, title = self.line(index), " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or not isinstance(line, ChatLine | PlaceHead) or not title:
            return False
        if title != line.name:
            self.renamed.emit(line.id, title)
        return True

    def mimeTypes(self) -> list[str]:
        """Only chats of this list are taken."""
        return [CHATS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """The chats that are dragged, by their ids."""
        lines = [self.line(index) for index in sorted(indexes, key=lambda one: one.row())]
        made = QMimeData()
        made.setData(CHATS, "\n".join(line.id for line in lines if isinstance(line, ChatLine)).encode())
        return made

    def supportedDropActions(self) -> Qt.DropAction:
        """A copy, in Qt's words: after a move the view would take the rows away by itself."""
        return Qt.DropAction.CopyAction

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Ask for chats to be put where they were dropped."""
        target = self.line(parent)
        chats = tuple(bytes(data.data(CHATS).data()).decode().split("\n")) if data.hasFormat(CHATS) else ()
        if not chats or not isinstance(target, PlaceHead | ChatLine):
            return False
        self.dropped.emit(chats, target)
        return True


def line_words(line: AnyLine) -> str:
    """What a line says to the eye."""
    match line:
        case GroupHead() | PlaceHead() | ActionLine():
            return line.words
        case ChatLine() | FoundHead():
            return line.title
        case FoundLine():
            return line.snippet


def spoken(line: AnyLine) -> str:
    """What a line says to a screen reader."""
    match line:
        case GroupHead() | ActionLine():
            return line.words
        case PlaceHead():
            words = _tr("{name}, {n} chats, folded") if line.folded else _tr("{name}, {n} chats")
            return words.format(name=line.words, n=line.count)
        case ChatLine():
            return ", ".join((line.title, line.when, *_marks(line)))
        case FoundHead():
            return _tr("{title}, {n} found").format(title=line.title, n=line.hits)
        case FoundLine(where="title"):
            return _tr("in the title: {text}").format(text=line.snippet)
        case FoundLine(where="attachment"):
            return _tr("attachment: {text}").format(text=line.snippet)
        case FoundLine():
            return _tr("message: {text}").format(text=line.snippet)


def _marks(line: ChatLine) -> list[str]:
    """What the small signs of a chat mean."""
    signs = (
        (line.running, _tr("an answer is arriving")),
        (line.warm, _tr("warm")),
        (line.pinned, _tr("pinned")),
        (line.archived, _tr("archived")),
    )
    return [*(words for there, words in signs if there), *(f"#{tag}" for tag in line.tags)]


def changed_part(old: Sequence[str], new: Sequence[str]) -> tuple[int, int, int]:
    """Where two lists of ids begin to differ, and where in each of them they stop."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    old_end, new_end = len(old), len(new)
    while old_end > first and new_end > first and old[old_end - 1] == new[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
    return first, old_end, new_end
