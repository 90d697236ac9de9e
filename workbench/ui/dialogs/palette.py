"""The command palette: everything that can be done, by a few letters, while the inspector stays lit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QWidget

from workbench.domain.search_words import TITLE_FIRST, letters_in
from workbench.engine.state import WorkbenchState
from workbench.ui.commands import Command
from workbench.ui.formatting import counted
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import elided, fill_rounded, set_text_style
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import Theme, colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import MARGIN, Veil
from workbench.ui.widgets.items.item_model import ITEM, ItemModel
from workbench.ui.widgets.items.views import Index, ItemOption, RowDelegate
from workbench.ui.widgets.labels import KeyCap, key_cap_width, label, paint_key_cap, set_text
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import shown
from workbench.ui.wishes import ShowChat, Wish

MOST_WIDTH, TOP, HEIGHT = 640, 56, 520
TRY_AFTER_MS = 80
KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
ROW, HEADING = 32, 28


class Palette(Panel):
    """A child of the window, so that the draft keeps its cursor.

    Signals:
        ran: a chat that was chosen. tried: settings to show in the inspector, None to end that.
        searched: words to look for in all chats. closed: it is gone.
    """

    ran = Signal(object)
    tried = Signal(object)
    searched = Signal(str)
    closed = Signal()

    ground, radius, shadow_margin = "raised", 12, MARGIN

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._veil = Veil(parent)
        self._veil.pressed.connect(self.close)
        self._commands: tuple[Command, ...] = ()
        self._tried = False
        self._focus_before: QWidget | None = None
        self.field = Field(tr("What do you want to do?"), icon="search")
        self.field.setFixedHeight(32)
        self.count = label("", "small", "t3")
        self.model, self.list = PaletteModel(), QListView()
        self._fill()
        self._wait = single_shot(self, self._try, TRY_AFTER_MS)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.hide()

    def open_with(self, commands: Sequence[Command], state: WorkbenchState | None) -> None:
        from PySide6.QtWidgets import QApplication

        self._focus_before = QApplication.focusWidget()
        self._commands = (*commands, *(_chats(state, self.ran.emit) if state is not None else ()))
        self.field.clear()
        self._search("")
        self._place()
        self._veil.show()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def run_chosen(self) -> None:
        row = self.list.currentIndex().row()
        found = self.model.items[row].match if 0 <= row < len(self.model.items) else None
        self.close()
        if found is not None:
            found.command.run()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in KEYS:
                self._move(event.key())
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.run_chosen()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close()
                return True
        return super().eventFilter(watched, event)

    def hideEvent(self, _event: QEvent) -> None:
        self._wait.stop()
        self._veil.hide()
        if self._tried:
            self._tried = False
            self.tried.emit(None)
        if self._focus_before is not None:
            self._focus_before.setFocus(Qt.FocusReason.PopupFocusReason)
        self._focus_before = None
        self.closed.emit()

    def update_look(self) -> None:
        self.border = "line2" if theme_of(self).dark else "line"

    def _fill(self) -> None:
        self.list.setModel(self.model)
        self.list.setItemDelegate(PaletteDelegate(self.list))
        self.list.setAccessibleName(tr("Commands"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.clicked.connect(lambda _index: self.run_chosen())
        outer = rows(self, (MARGIN, MARGIN, MARGIN, MARGIN))
        fill(columns(outer, (8, 8, 14, 8), 8), (self.field, 1), self.count, KeyCap("Ctrl+K"))
        outer.addWidget(self.list, 1)
        foot = columns(outer, (14, 8, 14, 10), 6)
        for key, words in (("↑ ↓", tr("choose")), ("↵", tr("do it")), ("Esc", tr("close"))):
            fill(foot, KeyCap(key), label(words, "small", "t3"), 10)
        foot.addStretch(1)

    def _place(self) -> None:
        window = self.parentWidget()
        chat: QWidget = getattr(window, "chat", window)
        left = int(chat.mapTo(window, chat.rect().topLeft()).x())
        width = min(MOST_WIDTH, chat.width() - 24)
        x = left + (chat.width() - width) // 2
        height = min(HEIGHT, window.height() - TOP - 40)
        self.setGeometry(x - MARGIN, TOP - MARGIN, width + 2 * MARGIN, height + 2 * MARGIN)
        self._veil.setGeometry(0, 0, left + chat.width(), window.height())

    def _search(self, typed: str) -> None:
        found = matches(typed, self._commands)
        self.model.show_matches(found)
        set_text(self.count, counted(len(found), tr("1 result"), tr("{n} results")))
        self._choose(self.model.first())

    def _move(self, key: int) -> None:
        step = -1 if key in (Qt.Key.Key_Up, Qt.Key.Key_PageUp) else 1
        row = self.list.currentIndex().row()
        for _ in range(1 if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) else 8):
            row = self.model.beside(row, step)
        self._choose(row)

    def _choose(self, row: int) -> None:
        self.list.setCurrentIndex(self.model.index(row, 0))
        self._wait.start()

    def _try(self) -> None:
        row = self.list.currentIndex().row()
        found = self.model.items[row].match if 0 <= row < len(self.model.items) else None
        settings = (
            found.command.preview() if found is not None and found.command.preview is not None else None
        )
        if settings is not None or self._tried:
            self._tried = settings is not None
            self.tried.emit(settings)


def _chats(state: WorkbenchState, run: Callable[[Wish], None]) -> tuple[Command, ...]:
    group = tr("Chats")

    def command(key: str, title: str) -> Command:
        return Command(f"chat:{key}", title, group, lambda: run(ShowChat(key)), "chat")

    return tuple(command(chat.id, shown(chat.title) or tr("New chat")) for chat in state.chats)


class PaletteRow(NamedTuple):
    """A heading, or a command that was found."""

    heading: str = ""
    match: Match | None = None


class PaletteModel(ItemModel[PaletteRow]):
    """Headings and what stands under them."""

    def show_matches(self, found: list[Match]) -> None:
        rows: list[PaletteRow] = []
        for heading, group in grouped(found):
            rows.append(PaletteRow(heading))
            rows.extend(PaletteRow(match=match) for match in group)
        self.reset_items(rows)

    def first(self) -> int:
        """The first row that can be run; -1 where there is none."""
        return self.beside(-1, 1)

    def beside(self, row: int, step: int) -> int:
        """The next row in a direction that can be run; the same where there is none."""
        place = row + step
        while 0 <= place < len(self.items):
            if self.items[place].match is not None:
                return place
            place += step
        return row

    def text_of(self, row: PaletteRow, _column: int = 0) -> str:
        return row.heading or (row.match.command.title if row.match else "")

    def can_choose(self, row: PaletteRow) -> bool:
        return row.match is not None


class PaletteDelegate(RowDelegate):
    """Paints headings, titles with their typed letters marked, and key caps."""

    def row_height(self, index: Index) -> int:
        return ROW if index.data(ITEM).match is not None else HEADING

    def paint_row(self, painter: QPainter, row: ItemOption, index: Index) -> None:
        theme, shown = theme_of(), index.data(ITEM)
        if shown.match is None:
            set_text_style(painter, font("meta_strong"), colour(theme.t3))
            painter.drawText(row.box.adjusted(14, 6, -14, 0), _flags(), shown.heading)
        else:
            self._paint_match(painter, row.box, shown.match, (theme, row.selected))

    def _paint_match(self, painter: QPainter, box: QRectF, match: Match, look: tuple[Theme, bool]) -> None:
        theme, chosen = look
        if chosen:
            fill_rounded(painter, box.adjusted(6, 0, -6, 0), theme.sel, 8)
        command = match.command
        paint_icon(
            painter, QRectF(box.left() + 14, box.top(), 16, box.height()), command.icon or "chevron-right"
        )
        right = box.right() - 14
        if command.shortcut:
            width = key_cap_width(command.shortcut)
            cap = QRectF(right - width, box.center().y() - 9, width, 18)
            paint_key_cap(painter, cap, command.shortcut, theme.t2, theme.btnline)
            right -= width + 12
        left = _paint_title(
            painter, QRectF(box.left() + 40, box.top(), right - box.left() - 40, box.height()), match
        )
        if command.line:
            rest = QRectF(left + 10, box.top(), right - left - 10, box.height())
            set_text_style(painter, font("small"), colour(theme.t3))
            painter.drawText(rest, _flags(), elided(font("small"), command.line, rest.width()))


def _paint_title(painter: QPainter, box: QRectF, match: Match) -> float:
    theme, left = theme_of(), box.left()
    marks = set(match.marks)
    plain = font("ui"), colour(theme.t1), metrics("ui")
    strong = font("ui_heading"), colour(theme.accent_text), metrics("ui_heading")
    flags, held = _flags(), None
    for place, letter in enumerate(elided(plain[0], match.command.title, box.width())):
        face, ink, measure = look = strong if place in marks else plain
        if look is not held:
            held = look
            set_text_style(painter, face, ink)
        width = measure.horizontalAdvance(letter)
        painter.drawText(QRectF(left, box.top(), width + 4, box.height()), flags, letter)
        left += width
    return left


def _flags() -> int:
    return int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine)


class Match(NamedTuple):
    """A command that fits; `marks` are the places in its title that were typed."""

    command: Command
    score: int
    marks: tuple[int, ...] = ()


def matches(typed: str, commands: Iterable[Command]) -> list[Match]:
    """The commands that fit and can be run now, best first; without letters, all of them as they stand."""
    allowed = [command for command in commands if command.enabled()]
    if not typed.strip():
        return [Match(command, 0) for command in allowed]
    found = [fit for command in allowed if (fit := _fit(typed.strip(), command)) is not None]
    return sorted(found, key=lambda match: -match.score)


def grouped(found: Sequence[Match]) -> list[tuple[str, list[Match]]]:
    """The matches under their headings, the heading of the best one first."""
    groups: dict[str, list[Match]] = {}
    for match in found:
        groups.setdefault(match.command.group, []).append(match)
    return list(groups.items())


def _fit(typed: str, command: Command) -> Match | None:
    by_title = letters_in(typed, command.title)
    if by_title is not None:
        return Match(command, by_title[0] + TITLE_FIRST, by_title[1])
    by_more = letters_in(typed, f"{command.more} {command.line} {command.group}")
    return None if by_more is None else Match(command, by_more[0])
