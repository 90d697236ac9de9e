"""The list of causes of a difference, in wire order; the first that breaks the prefix is marked."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QPainter

from workbench.domain.shown.diff_view import DiffCause, DiffView
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.inspector.diff.relation_words import effect_words
from workbench.ui.inspector.rows.cause_words import cause_icon, cause_line, cause_title, subject_name
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import paint_elided, paint_figure, set_text_style, take, take_end
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.items.delegate import (
    Index,
    ItemOption,
    RowDelegate,
    paint_ground,
    paint_ring,
    paint_rule,
)
from workbench.ui.widgets.items.list_model import ITEM, ListModel
from workbench.ui.widgets.items.views import PickList

ROW_HEIGHT = 40
MOST_ROWS = 5
"""More than this scroll."""
NUMBER_WIDTH, ICON_WIDTH, EDGE = 28, 28, 12


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
    cached = knows_cache(chat)
    for cause in diff.causes:
        _, changed_utc = chat.disk.get(cause.subject, ("", ""))
        title = cause_title(cause, name_in(chat, cause), changed_utc)
        found.append(Entry(cause_icon(cause), title, cause_line(cause), *effect_words(cause, diff, cached)))
    return tuple(found)


def knows_cache(chat: ChatState) -> bool:
    """Whether anything is known of what a cache holds of the next request."""
    return chat.view is None or chat.view.cached_tokens is not None


def name_in(chat: ChatState, cause: DiffCause) -> str:
    """What a cause is about, as it is called in the rest of the window."""
    return subject_name(cause, chat.view or chat.opened, {row.key: row.name for row in chat.attachments})


class CauseModel(ListModel[Entry]):
    """The causes, one a row."""

    def text_of(self, entry: Entry) -> str:
        return f"{entry.title}. {entry.line}. {entry.effect}"

    def tip_of(self, entry: Entry) -> str:
        return entry.title


class CauseDelegate(RowDelegate):
    """Paints a cause: its number, icon, title and line, and at the end what it does to the cache."""

    height = ROW_HEIGHT

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        entry: Entry = index.data(ITEM)
        paint_ground(painter, row)
        if index.row():
            paint_rule(painter, row.box, top=True)
        room = row.box.adjusted(EDGE, 0, -EDGE, 0)
        set_text_style(painter, font("small"), colour("t2", theme_of(self)))
        number = formatting.tokens(index.row() + 1)
        paint_figure(painter, take(room, NUMBER_WIDTH - EDGE), number, Qt.AlignmentFlag.AlignLeft)
        paint_icon(painter, take(room, ICON_WIDTH), entry.icon, "warn" if entry.breaks else "t2", 16)
        self._paint_words(painter, room, entry)
        paint_ring(painter, row)

    def _paint_words(self, painter: QPainter, room: QRectF, entry: Entry) -> None:
        theme = theme_of(self)
        width = metrics("meta_strong").horizontalAdvance(entry.effect) + 2
        set_text_style(painter, font("meta_strong"), colour(entry.token, theme))
        end = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignCenter
        painter.drawText(take_end(room, width, 12), end, entry.effect)
        set_text_style(painter, font("small", 500), colour("t1", theme))
        paint_elided(painter, QRectF(room.left(), room.top() + 4, room.width(), 17), entry.title)
        set_text_style(painter, font("meta"), colour("t3", theme))
        paint_elided(painter, QRectF(room.left(), room.top() + 20, room.width(), 15), entry.line)


class CauseList(PickList):
    """Signals: `picked` tells the number of a cause, by a click or the arrows."""

    picked = Signal(int)

    def __init__(self) -> None:
        self._model = CauseModel()
        super().__init__(self._model, self.tr("Why, in wire order"))
        self.setItemDelegate(CauseDelegate(self))

    def show_entries(self, found: tuple[Entry, ...]) -> None:
        self._model.show_items(found)
        self.setFixedHeight(ROW_HEIGHT * min(max(len(found), 1), MOST_ROWS))

    def select(self, number: int) -> None:
        """Mark a cause, without telling anyone."""
        index = self._model.index(number)
        if index.isValid():
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def pick(self, index: QModelIndex) -> None:
        self.picked.emit(index.row())
