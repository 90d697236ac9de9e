"""The lists of the chats pane as one item model: lines with an id, of which only what changed is told to the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QMimeData, QModelIndex, Qt, Signal

from workbench.ui import formatting
from workbench.ui.chats.lines import ActionLine, ChatLine, FoundHead, FoundLine, GroupHead, PlaceHead
from workbench.ui.translation import translator
from workbench.ui.widgets.items.delegate import Index
from workbench.ui.widgets.items.list_model import ListModel

_tr = translator("ChatsPane")

AnyLine = GroupHead | PlaceHead | ActionLine | ChatLine | FoundHead | FoundLine
CHATS = "application/x-workbench-chats"
"""What is dragged from the list: the ids of chats, one a line."""


class LinesModel(ListModel[AnyLine]):
    """A list of chats, or of what was found in them.

    Signals:
        renamed: another title is wanted, or another name for a workspace. dropped: chats were dropped on a line.
    """

    renamed = Signal(str, str)
    dropped = Signal(object, object)

    def key_of(self, line: AnyLine) -> str:
        return line.id

    def row_of(self, key: str) -> int:
        """The row of the line with that id; -1 where there is none."""
        return next((row for row, line in enumerate(self.items) if line.id == key), -1)

    def text_of(self, line: AnyLine) -> str:
        return line_words(line)

    def spoken_of(self, line: AnyLine) -> str:
        return spoken(line)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What can be edited of a line is its name alone."""
        line = self.item(index)
        if role == Qt.ItemDataRole.EditRole and isinstance(line, ChatLine | PlaceHead):
            return line.name
        return super().data(index, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings cannot be chosen; the titles of chats can be edited."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemNeverHasChildren
        match self.item(index):
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
        line, title = self.item(index), " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or not isinstance(line, ChatLine | PlaceHead) or not title:
            return False
        if title != line.name:
            self.renamed.emit(line.id, title)
        return True

    def mimeTypes(self) -> list[str]:
        """Only chats of this list are taken."""
        return [CHATS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        lines = [self.item(index) for index in sorted(indexes, key=lambda one: one.row())]
        made = QMimeData()
        made.setData(CHATS, "\n".join(line.id for line in lines if isinstance(line, ChatLine)).encode())
        return made

    def supportedDropActions(self) -> Qt.DropAction:
        """A copy, in Qt's words: after a move the view would take the rows away by itself."""
        return Qt.DropAction.CopyAction

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        target = self.item(parent)
        chats = tuple(bytes(data.data(CHATS).data()).decode().split("\n")) if data.hasFormat(CHATS) else ()
        if not chats or not isinstance(target, PlaceHead | ChatLine):
            return False
        self.dropped.emit(chats, target)
        return True


def requests_words(number: int) -> str:
    """How many requests there are."""
    return formatting.counted(number, _tr("1 request"), _tr("{n} requests"))


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
        case GroupHead(live=True):
            return _tr("{name}, watching").format(name=line.words)
        case GroupHead() | ActionLine():
            return line.words
        case PlaceHead():
            one, several = _tr("{name}, 1 chat"), _tr("{name}, {n} chats")
            if line.folded:
                one, several = _tr("{name}, 1 chat, folded"), _tr("{name}, {n} chats, folded")
            return formatting.counted(line.count, one, several).replace("{name}", line.words)
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
    requests = "" if line.requests is None else requests_words(line.requests)
    signs = (
        (bool(requests), requests),
        (line.running, _tr("an answer is arriving")),
        (line.warm, _tr("warm")),
        (line.pinned, _tr("pinned")),
        (line.archived, _tr("archived")),
    )
    return [*(words for there, words in signs if there), *(f"#{tag}" for tag in line.tags)]
