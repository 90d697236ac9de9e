"""The command palette: everything that can be done, by a few letters, while the inspector stays lit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QFrame, QListView, QWidget

from workbench.engine.state import WorkbenchState
from workbench.ui.commands import Command
from workbench.ui.dialogs.palette_match import matches
from workbench.ui.dialogs.palette_rows import PaletteDelegate, PaletteModel
from workbench.ui.formatting import counted
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.labels import KeyCap, label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.scrim import Veil
from workbench.ui.widgets.shadow import MARGIN, paint_floating
from workbench.ui.widgets.timer import single_shot
from workbench.ui.wishes import ShowChat, Wish

_tr = translator("Palette")

MOST_WIDTH, TOP, HEIGHT = 640, 56, 520
TRY_AFTER_MS = 80
KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Palette(QFrame):
    """A child of the window, so that the draft keeps its cursor.

    Signals:
        ran: a chat that was chosen. tried: settings to show in the inspector, None to end that.
        searched: words to look for in all chats. closed: it is gone.
    """

    ran = Signal(object)
    tried = Signal(object)
    searched = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._veil = Veil(parent)
        self._veil.pressed.connect(self.close)
        self._commands: tuple[Command, ...] = ()
        self._tried = False
        self._focus_before: QWidget | None = None
        self.field = Field(_tr("What do you want to do?"), icon="search")
        self.field.setFixedHeight(32)
        self.count = label("", "small", "t3")
        self.model, self.list = PaletteModel(), QListView()
        self._fill()
        self._wait = single_shot(self, self._try, TRY_AFTER_MS)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.hide()

    def open_with(self, commands: Sequence[Command], state: WorkbenchState | None) -> None:
        """Open it with these commands, and the chats of a state where there is one."""
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

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self)
        paint_floating(self, theme.raised, theme.line2 if theme.dark else theme.line, 12)

    def _fill(self) -> None:
        self.list.setModel(self.model)
        self.list.setItemDelegate(PaletteDelegate(self.list))
        self.list.setAccessibleName(_tr("Commands"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.clicked.connect(lambda _index: self.run_chosen())
        outer = rows(self, (MARGIN, MARGIN, MARGIN, MARGIN))
        fill(columns(outer, (8, 8, 14, 8), 8), (self.field, 1), self.count, KeyCap("Ctrl+K"))
        outer.addWidget(self.list, 1)
        foot = columns(outer, (14, 8, 14, 10), 6)
        for key, words in (("↑ ↓", _tr("choose")), ("↵", _tr("do it")), ("Esc", _tr("close"))):
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
        set_text(self.count, counted(len(found), _tr("1 result"), _tr("{n} results")))
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
    """Every chat as something to go to."""
    group = _tr("Chats")

    def command(key: str, title: str) -> Command:
        return Command(f"chat:{key}", title, group, lambda: run(ShowChat(key)), "chat")

    return tuple(command(chat.id, shown(chat.title) or _tr("New chat")) for chat in state.chats)
