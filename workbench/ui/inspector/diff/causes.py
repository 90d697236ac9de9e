"""The list of causes of a difference, in wire order; the first that breaks the prefix is marked."""

from __future__ import annotations

from typing import Any, NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem

from workbench.domain.shown.diff_view import DiffCause, DiffView
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.inspector.diff.words import effect_words
from workbench.ui.inspector.rows.cause_words import cause_icon, cause_line, cause_title, subject_name
from workbench.ui.inspector.rows.item_option import item_option
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.line_room import take, take_end
from workbench.ui.look.painting import paint_elided, paint_figure, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.plain import tip

ROW_HEIGHT = 40
MOST_ROWS = 5
"""More than this scroll."""
NUMBER_WIDTH, ICON_WIDTH, EDGE = 28, 28, 12
ENTRY_ROLE = int(Qt.ItemDataRole.UserRole)
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class Entry(NamedTuple):
    """A cause in words."""

    icon: str
    title: str
    line: str
    effect: str
    token: str

    @property
    def breaks(self) -> bool:
        """Whether the prefix ends here."""
        return self.token == "err"


def entries(diff: DiffView, chat: ChatState) -> tuple[Entry, ...]:
    """The causes of a difference in words."""
    found = []
    for cause in diff.causes:
        _, changed_utc = chat.disk.get(cause.subject, ("", ""))
        title = cause_title(cause, name_in(chat, cause), changed_utc)
        found.append(Entry(cause_icon(cause), title, cause_line(cause), *effect_words(cause, diff)))
    return tuple(found)


def name_in(chat: ChatState, cause: DiffCause) -> str:
    """What a cause is about, as it is called in the rest of the window."""
    return subject_name(cause, chat.view, {row.key: row.name for row in chat.attachments})


class CauseModel(QAbstractListModel):
    """The causes, one a row."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[Entry, ...] = ()

    def show(self, found: tuple[Entry, ...]) -> None:
        """Show other causes; where there are as many as before, only those that differ change."""
        if len(found) != len(self._entries):
            self.beginResetModel()
            self._entries = found
            self.endResetModel()
            return
        old, self._entries = self._entries, found
        for number, (was, now) in enumerate(zip(old, found, strict=True)):
            if was != now:
                self.dataChanged.emit(self.index(number), self.index(number))

    def rowCount(self, parent: Index = ROOT) -> int:
        """How many there are."""
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cause in words."""
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role == ENTRY_ROLE:
            return entry
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{entry.title}. {entry.line}. {entry.effect}"
        return tip(entry.title) if role == Qt.ItemDataRole.ToolTipRole else None


class CauseDelegate(QStyledItemDelegate):
    """Paints a cause: its number, icon, title and line, and at the end what it does to the cache."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """All rows are of one height."""
        return QSize(0, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one cause."""
        entry: Entry = index.data(ENTRY_ROLE)
        theme, item = theme_of(self), item_option(option)
        box = item.box
        painter.save()
        if item.selected or item.hovered:
            painter.fillRect(box, colour("sel" if item.selected else "hover", theme))
        if index.row():
            painter.fillRect(QRectF(box.left(), box.top(), box.width(), 1), colour("line", theme))
        room = box.adjusted(EDGE, 0, -EDGE, 0)
        painter.setFont(font("small"))
        painter.setPen(colour("t2", theme))
        paint_figure(
            painter,
            take(room, NUMBER_WIDTH - EDGE),
            formatting.tokens(index.row() + 1),
            Qt.AlignmentFlag.AlignLeft,
        )
        paint_icon(painter, take(room, ICON_WIDTH), entry.icon, "warn" if entry.breaks else "t2", 16)
        self._paint_words(painter, room, entry)
        if item.ringed:
            stroke_rounded(painter, box, theme.accent, 2, 2)
        painter.restore()

    def _paint_words(self, painter: QPainter, room: QRectF, entry: Entry) -> None:
        theme = theme_of(self)
        width = metrics("meta_strong").horizontalAdvance(entry.effect) + 2
        painter.setFont(font("meta_strong"))
        painter.setPen(colour(entry.token, theme))
        end = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignCenter
        painter.drawText(take_end(room, width, 12), end, entry.effect)
        painter.setFont(font("small", 500))
        painter.setPen(colour("t1", theme))
        paint_elided(painter, QRectF(room.left(), room.top() + 4, room.width(), 17), entry.title)
        painter.setFont(font("meta"))
        painter.setPen(colour("t3", theme))
        paint_elided(painter, QRectF(room.left(), room.top() + 20, room.width(), 15), entry.line)


class CauseList(QListView):
    """Signals: `picked` tells the number of a cause, by a click or the arrows."""

    picked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._model = CauseModel()
        self.setUniformItemSizes(True)
        self.setModel(self._model)
        self.setItemDelegate(CauseDelegate(self))
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Why, in wire order"))
        self.clicked.connect(self._tell)

    def show_entries(self, found: tuple[Entry, ...]) -> None:
        """Show other causes."""
        self._model.show(found)
        self.setFixedHeight(ROW_HEIGHT * min(max(len(found), 1), MOST_ROWS))

    def select(self, number: int) -> None:
        """Mark a cause, without telling anyone."""
        index = self._model.index(number)
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows choose."""
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        if self.currentIndex().row() != before:
            self._tell(self.currentIndex())

    def _tell(self, index: QModelIndex) -> None:
        self.picked.emit(index.row())
