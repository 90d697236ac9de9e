"""Sessions on this computer: what Claude Code and Codex left, listed when somebody asks, to be opened one by one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QSizePolicy, QWidget

from workbench.domain.shown.sessions_view import SessionLine, SessionsView
from workbench.domain.watch.switch import SessionKind
from workbench.engine.intents import OpenChat
from workbench.engine.program_intents import ListSessions, OpenSession
from workbench.engine.state import WorkbenchState
from workbench.ui import formatting
from workbench.ui.look.fonts import font, line_height
from workbench.ui.look.painting import paint_elided, paint_figure, set_text_style, take_end
from workbench.ui.look.space import STRETCH, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.guided import lead_to
from workbench.ui.widgets.items.views import (
    NOWHERE,
    Index,
    ItemOption,
    RowDelegate,
    paint_ground,
    paint_ring,
)
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import EmptyState
from workbench.ui.wishes import Wishes

WIDTH, HEIGHT = 760, 560
EDGE, PADDING, FIGURE = 12, 6, 108
ROW = int(Qt.ItemDataRole.UserRole)
_NAMES: dict[SessionKind, str] = {"claude": "Claude Code", "codex": "Codex"}


def line_words(line: SessionLine, now_utc: str) -> tuple[str, str, str, str]:
    """First question, program and folder, when, and how large."""
    asked = shown(line.problem or line.asked, 200) or tr("No question in its beginning")
    where = " · ".join(part for part in (_NAMES[line.kind], shown(line.folder or line.file, 120)) if part)
    day = formatting.day(line.used_utc, now_utc)
    when = formatting.clock(line.used_utc) if day == formatting.day(now_utc, now_utc) else day
    return asked, where, when, formatting.size(line.bytes)


class SessionsDialog(Sheet):
    """The newest first; what is opened is kept as a watched conversation, and the file stays as it is."""

    def __init__(self, now_utc: str, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("Sessions on this computer"), WIDTH, HEIGHT, parent)
        self.wishes = wishes or Wishes(self)
        self._view = SessionsView()
        self.model, self.list = SessionModel(now_utc), QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(SessionDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.list.setAccessibleName(tr("Sessions, the newest first"))
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.activated.connect(self._open)
        self.list.selectionModel().currentChanged.connect(lambda *_: self._allow())
        self.card = Card()
        rows(self.card, (1, 1, 1, 1)).addWidget(self.list)
        self.empty = EmptyState("folder", tr("No sessions found"), "")
        self.state = label("", "small", "t3", wrap=True)
        told = tr(
            "Claude Code and Codex leave their sessions in your home folder. Opening one saves it under Watched, with "
            "the requests it must have sent. The files stay as they are."
        )
        fill(self.body, label(told, "ui", wrap=True), 4, (self.card, 1), (self.empty, 1), self.state)
        self.opener = on_click(button(tr("Open"), "primary"), self._open)
        self.again = on_click(button(tr("Refresh"), icon="refresh"), self._list)
        fill(self.foot, self.again, STRETCH, on_click(button(tr("Close")), self.reject), self.opener)
        lead_to(self, "watch")
        self._list()

    def show_state(self, state: WorkbenchState) -> None:
        view = state.sessions or SessionsView(reading=True)
        if view.opened and view.opened != self._view.opened and self._view.opening:
            self.wishes.send(OpenChat(view.opened))
            self.accept()
        if view.lines is not self._view.lines:
            self.model.show(view.lines)
            if view.lines:
                self.list.setCurrentIndex(self.model.index(0))
                self.list.setFocus(Qt.FocusReason.OtherFocusReason)  # Enter opens
        self._view = view
        self.card.setVisible(bool(view.lines))
        self.empty.setVisible(not view.lines)
        waiting = tr("Reading…") if view.reading else tr("Nothing is in ~/.claude or ~/.codex.")
        self.empty.say(tr("Reading…") if view.reading else tr("No sessions found"), waiting)
        set_text(self.state, self._words(view))
        self._allow()

    def _words(self, view: SessionsView) -> str:
        if view.problem or view.notes:
            return shown(" ".join((view.problem, *view.notes)).strip(), 400)
        if view.opening:
            return tr("Reading {file}…").format(file=shown(view.opening, 80))
        more = formatting.tokens(view.more)
        return tr("{n} older sessions aren’t listed.").format(n=more) if view.more else ""

    def _allow(self) -> None:
        line = self.model.line(self.list.currentIndex())
        self.opener.setEnabled(line is not None and not self._view.opening)

    def _list(self) -> None:
        self.wishes.send(ListSessions())

    def _open(self) -> None:
        line = self.model.line(self.list.currentIndex())
        if line is not None and not self._view.opening:
            self.wishes.send(OpenSession(line.kind, line.file))


class SessionModel(QAbstractListModel):
    """The sessions as they were found."""

    def __init__(self, now_utc: str) -> None:
        super().__init__()
        self._now_utc = now_utc
        self._lines: tuple[SessionLine, ...] = ()

    def show(self, lines: Sequence[SessionLine]) -> None:
        self.beginResetModel()
        self._lines = tuple(lines)
        self.endResetModel()

    def line(self, index: Index) -> SessionLine | None:
        return self._lines[index.row()] if index.isValid() else None

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.line(index)
        if line is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join(line_words(line, self._now_utc))
            case Qt.ItemDataRole.ToolTipRole:
                return tip(
                    f"{line_words(line, self._now_utc)[0]}\n{shown(line.folder, 200)}\n{shown(line.file, 200)}"
                )
            case _:
                return (line, line_words(line, self._now_utc)) if role == ROW else None


class SessionDelegate(RowDelegate):
    """Two lines: what was asked and when, where and how large."""

    def row_height(self, _index: Index) -> int:
        return line_height("ui") + line_height("small") + 2 * PADDING

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        line, (asked, where, when, size) = index.data(ROW)
        theme = theme_of(self.view())
        paint_ground(painter, row)
        box = row.box.adjusted(EDGE, PADDING, -EDGE, -PADDING)
        upper = QRectF(box.left(), box.top(), box.width(), line_height("ui"))
        lower = QRectF(box.left(), upper.bottom(), box.width(), line_height("small"))
        for room, words, face in ((upper, asked, "ui"), (lower, where, "small")):
            figure = take_end(room, FIGURE, 8)
            set_text_style(painter, font("small"), colour("t3", theme))
            paint_figure(painter, figure, when if room is upper else size)
            token = "warn" if line.problem and room is upper else "t1" if room is upper else "t3"
            set_text_style(painter, font("ui" if face == "ui" else "small"), colour(token, theme))
            paint_elided(painter, room, words)
        paint_ring(painter, row)
