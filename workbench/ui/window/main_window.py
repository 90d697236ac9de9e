"""The window: three columns that draw the state, and nothing that decides anything."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtWidgets
from PySide6.QtCore import QPoint, QRect, QSize, Signal
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from workbench.ui.look.theme import colour, theme_of
from workbench.ui.memory import WindowMemory
from workbench.ui.translation import tr

# Panes are loaded when the window is furnished: the first paint needs none of them. A class of Qt is made when it is
# first named, which takes up to 2 ms of the 60 that the first paint has beside a bare window.
if TYPE_CHECKING:
    from PySide6.QtCore import QEvent, QMimeData
    from PySide6.QtGui import QCloseEvent, QKeyEvent, QPaintEvent, QShowEvent

    from workbench.domain.record import Chat
    from workbench.domain.shown.envelope_view import RowKey
    from workbench.engine.intents import Intent
    from workbench.engine.state import ChatState, WorkbenchState
    from workbench.ui.dialogs.welcome import Welcome
    from workbench.ui.money.page import MoneyPage
    from workbench.ui.wishes import Wish
    from workbench.ui.workspace.page import WorkspacePage


# The window before its panes are there: grounds and lines where they will be, so that nothing jumps.

LEFT, RIGHT, HEAD, RAIL, RAIL_BELOW, FOLD_BELOW = 252, 752, 44, 48, 1360, 1100


class Skeleton(QWidget):
    """Three empty columns."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        width, height = self.width(), self.height()
        left = LEFT if width >= RAIL_BELOW else RAIL
        right = width if width < FOLD_BELOW else width - min(RIGHT, (width - left) * 3 // 5)
        for place, shade in (
            (self.rect(), theme.surface),
            (QRect(0, 0, left, height), theme.chrome),
            (QRect(right, 0, width - right, height), theme.chrome),
            (QRect(left, 0, 1, height), theme.line),
            (QRect(right, 0, 1, height), theme.line),
            (QRect(0, HEAD - 1, width, 1), theme.line),
        ):
            # By a picture: for `fillRect` the bindings would first make the 1,200 names of the namespace `Qt`.
            ground = QPixmap(1, 1)
            ground.fill(colour(shade))
            painter.drawPixmap(place, ground)


HINTS_SHOWN = "hints-shown"
LEAST = (800, 560)
FIRST = (1600, 1000)
FRAME = QSize(8, 36)
ONE_CHAT, ONE_CHAT_LEAST, BESIDE = QSize(560, 680), (480, 420), QPoint(48, 48)
"""A window of one chat: its first and least size, and how far it lies from the one it was opened from."""


class MainWindow(QMainWindow):
    """Chats and attachments, the chat, the inspector.

    Attributes:
        wishes: what a person wants, from whichever pane.
        slot: 0 for the first window; others show a chat without the columns beside it until these are asked for.
        take_close: closes this window and nothing else; returns whether it did.

    An unfurnished window has its place and its ground, and is painted at once; `furnish` puts the panes in.

    Signals:
        closing: the window was asked to close; it waits until `let_go` is called.
        returned: it is used again, after something else was.
        shown: it can be seen, for the first time or again.
        page_made: the page of workspaces is there, which is made when it is first needed; with it.
    """

    closing = Signal()
    shown = Signal()
    returned = Signal()
    page_made = Signal(object)

    def __init__(
        self, memory: WindowMemory, *, furnished: bool = True, slot: int = 0, beside: QRect | None = None
    ) -> None:
        super().__init__()
        self._memory, self.slot = memory, slot
        self.take_close: Callable[[], bool] = lambda: False
        self._away = False
        self._may_close = False
        self._furnished = self._covered = False
        self._asks = True
        self._asks_to_keep = self._written = False
        self._chats: tuple[Chat, ...] = ()
        # Messages that are edited in place, by chat and id: their words when the edit began, and now.
        self._edits: dict[tuple[str, str], tuple[str, str]] = {}
        self.setWindowTitle("Context Workbench")
        # A screen that is enlarged may have less room than that.
        least = QSize(*(ONE_CHAT_LEAST if slot else LEAST))
        self.setMinimumSize(least.boundedTo(self.screen().availableGeometry().size()))
        self._place(beside)
        if furnished:
            self.furnish()
        else:
            self.setCentralWidget(Skeleton())

    def _place(self, beside: QRect | None) -> None:
        """Where and as large as it was, maximised too; the first time in the middle, or beside another window."""
        geometry, room = self._memory.bytes_of(self._name("geometry")), self.screen().availableGeometry()
        if geometry.isEmpty() or not self.restoreGeometry(geometry):
            first = first_place(room) if beside is None else place_beside(beside, room, self.slot)
            self.resize(first.size())
            self.move(first.topLeft())
        elif self.isMaximized() or self.isFullScreen():
            return  # a size of its own would end that
        # Without a window manager nobody else sees to it that all of the window can be reached.
        if self.size().boundedTo(room.size()) != self.size():
            self.resize(self.size().boundedTo(room.size() - FRAME))

    def _name(self, name: str) -> str:
        """The name under which this window's share of something is remembered."""
        return f"{name}-{self.slot}" if self.slot else name

    def furnish(self) -> None:
        from workbench.ui.chat.pane import ChatPane
        from workbench.ui.chat.pasting import DropTarget
        from workbench.ui.chats.rail import Rail
        from workbench.ui.inspector.pane import InspectorPane
        from workbench.ui.widgets.toast import Toast
        from workbench.ui.window.columns import ColumnsView, LeftColumn
        from workbench.ui.wishes import Wishes

        wishes = self.wishes = Wishes(self)
        self.left, self.chat = LeftColumn(wishes), ChatPane(wishes)
        self.middle = QtWidgets.QStackedWidget()
        self.middle.addWidget(self.chat)
        self.inspector, self.rail = InspectorPane(wishes), Rail(wishes)
        tree = self.inspector.layers.tree
        tree.file_menu, self.left.attachments.add_entries = (
            self.left.attachments.menu_of,
            tree.add_file_entries,
        )
        self.columns = ColumnsView(self.rail, self.left, self.middle, self.inspector)
        self.setCentralWidget(self.columns)
        self.toast = Toast(self.chat.middle)  # over the transcript: it must not cover a control
        self._drops = DropTarget(self, self.middle)
        self._drops.dropped.connect(self.take)
        self._chat_id = ""
        self._greeting: Welcome | None = None
        self._protected_by = self._greeted = ""
        self._first_hints = False
        self._connect()
        if self.slot:
            self.columns.drop_rail()
            self.chat.head.show_alone()
        self._restore()
        self._furnished = True

    @cached_property
    def page(self) -> WorkspacePage:
        """The page of workspaces; with that of what was spent it took 60 ms of every start."""
        from workbench.ui.workspace.page import WorkspacePage

        page = WorkspacePage(self.wishes)
        self.middle.addWidget(page)
        self.page_made.emit(page)
        return page

    @cached_property
    def money(self) -> MoneyPage:
        """What was spent."""
        from workbench.ui.money.page import MoneyPage

        money = MoneyPage(self.wishes)
        money.closed.connect(lambda: self.wishes.run("spend"))
        return money

    def show_state(self, state: WorkbenchState, chat_id: str, now_utc: str) -> None:
        from workbench.domain.chat_line import TEMPLATE

        chat = state.open.get(chat_id)
        if chat_id != self._chat_id and self._chat_id and self.money_shown():
            self.wishes.run("spend")  # another chat was asked for: back to the chats
        self._chat_id, self._chats = chat_id if chat is not None else "", state.chats
        self.left.chats.show_state(state, chat_id, now_utc)
        self.left.attachments.show_state(state, chat)
        self.rail.show_state(state, chat)
        if chat is not None and chat_id.startswith(TEMPLATE):
            self._show_page(state, chat, now_utc)
        else:
            self._turn_to(self.chat)
            self.chat.show_state(state, chat, now_utc)
        self.inspector.show_state(state, chat)
        if state.spending is not None:
            self.money.show_view(state.spending)
        self._greet(state, chat)
        self._end_first_hints(chat)
        self.setWindowTitle(_window_title(None if self._covered else chat))

    def set_covered(self, covered: bool) -> None:
        """Show nothing of any chat, or everything again; what goes on behind it goes on."""
        self._covered = covered
        self.columns.setVisible(not covered)
        if covered:
            self.setWindowTitle(_window_title(None))

    def is_covered(self) -> bool:
        return self._covered

    def _show_page(self, state: WorkbenchState, chat: ChatState, now_utc: str) -> None:
        """A workspace's page; nothing of what is written in another chat may be sent from here."""
        self.page.show_state(state, chat, now_utc)
        self.chat.show_state(state, None)
        self._turn_to(self.page)

    def take(self, mime: QMimeData) -> None:
        """Take what was dropped anywhere: into the chat in view, or into every chat of the workspace in view."""
        if not self.page_shown():
            self.chat.composer.take(mime)
            return
        from workbench.ui.chat.pasting import mime_intents

        for intent in mime_intents(mime, self._chat_id):
            self.wishes.send(intent)

    def page_shown(self) -> bool:
        return self.middle.currentWidget() is not self.chat

    def money_shown(self) -> bool:
        return self.columns.alone_shown()

    def show_money(self, shown: bool) -> bool:
        """Show what was spent in place of chat and inspector, or these again; returns `shown`."""
        self.columns.show_alone(self.money, shown)
        if not shown and self.chat.isVisible():
            self.chat.composer.setFocus(QtCore.Qt.FocusReason.OtherFocusReason)
        return shown

    def _turn_to(self, pane: QWidget) -> None:
        if self.middle.currentWidget() is not pane:
            self.middle.setCurrentWidget(pane)
            self.toast.lie_on(self.chat.middle if pane is self.chat else self.page.area)

    def welcome(self, protected_by: str) -> None:
        if self._greeting is None:
            from workbench.ui.dialogs.welcome import Welcome

            self._greeting = Welcome(self.wishes)
        self._protected_by = protected_by
        self.chat.cover(self._greeting)
        self.inspector.set_sample(True)
        if not self._memory.flag_of(HINTS_SHOWN):
            self.take_tour()
            self._first_hints = True

    def end_welcome(self) -> None:
        self._greeting = None
        self.chat.cover(None)
        self.inspector.set_sample(False)

    def take_tour(self) -> None:
        """Show the first hints, which no further start does by itself."""
        from workbench.ui.inspector.lesson import HINTS

        self._memory.keep(HINTS_SHOWN, True)
        self._first_hints = False
        self.inspector.set_lesson(HINTS)

    def set_looking(self, looking: bool, *, can_keep: bool = True) -> None:
        """Say whether everything is gone afterwards; what was written then is not closed by a slip."""
        self.chat.looking.show_looking(looking, can_keep=can_keep)
        self._asks_to_keep = looking and can_keep

    def end_lesson(self) -> None:
        self._first_hints = False
        self.inspector.set_lesson(())

    def select(self, key: RowKey | None) -> None:
        """One selection for bar, tree, payload and transcript."""
        self.inspector.select(key)
        self.chat.transcript.select(key)

    def show_page(self, page: str) -> None:
        """Turn to a page of the inspector."""
        self.columns.show_right()
        self.inspector.show_page(page)

    def next_pane(self, step: int = 1) -> None:
        stops = self._stops()
        held = QApplication.focusWidget()
        now = next((place for place, (pane, _) in enumerate(stops) if _holds(pane, held)), -1)
        _, target = stops[(now + step) % len(stops)]
        target.setFocus(QtCore.Qt.FocusReason.ShortcutFocusReason)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from pane to pane as they lie."""
        if not self._furnished:
            return super().focusNextPrevChild(forward)
        from workbench.ui.window.tab_order import AS_MADE, AS_THEY_LIE, step, tab_stops

        groups = (
            (self.rail, AS_MADE), (self.left, AS_MADE), (self.chat.head, AS_MADE), (self.chat.middle, AS_THEY_LIE),
            (self.chat.composer, AS_MADE), (self.chat, AS_MADE), (self.middle, AS_MADE),
            (self.inspector, AS_MADE),
        )  # fmt: skip
        held = QApplication.focusWidget()
        return step(tab_stops(self, groups), held, forward) or super().focusNextPrevChild(forward)

    def show_quietly(self) -> None:
        """Show it without taking the focus from another window."""
        self.setAttribute(QtCore.Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.show()
        self.setAttribute(QtCore.Qt.WidgetAttribute.WA_ShowWithoutActivating, False)

    def come_to_front(self) -> None:
        self.setWindowState(self.windowState() & ~QtCore.Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def let_go(self) -> None:
        """Everything is kept: close now."""
        self._may_close = True
        self._remember()
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == QtCore.Qt.Key.Key_Escape and self._furnished:
            if self.inspector.close_parts() or self.inspector.layers.close_why():
                return
            if self.chat.isVisible():
                self.chat.composer.setFocus(QtCore.Qt.FocusReason.OtherFocusReason)
            return
        super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() != QtCore.QEvent.Type.ActivationChange:
            return
        if not self.isActiveWindow():
            active: QWidget | None = QApplication.activeWindow()
            self._away = self._away or not isinstance(active, MainWindow)
            if active is None:  # a dialog need not wait for the disk
                self._remember()
        elif self._away:
            self._away = False
            self.returned.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._may_close:
            event.accept()
            return
        event.ignore()
        if self.asks_first(self.close, ends=self.slot == 0) or self.take_close():
            return
        self.closing.emit()

    def asks_first(self, then: Callable[[], object], *, ends: bool) -> bool:
        """Ask about what isn't saved before it is closed, or the program `ends`; return whether there is any."""
        if self._asks and self._furnished and self.inspector.unsaved():
            self.columns.show_right()
            self._ask_about(tr("Instructions aren’t saved yet."), then)
            return True
        if not self._asks or self.slot or not ends:
            return False  # these outlive a window, and the first one has them all
        if any(first != now for first, now in self._edits.values()):
            self._ask_about(tr("The words of a message you edited aren’t saved yet."), then)
            return True
        if self._asks_to_keep and self._written:
            self._ask_about(tr("Your chats aren’t saved yet."), then)
            return True
        if any(one.filed.temporary and one.used_utc for one in self._chats):
            self._ask_about(tr("A temporary chat isn’t saved. Keep it, or close."), then)
            return True
        return False

    def close_now(self) -> None:
        """End the program without asking: the system wants it."""
        self._asks = False
        self.closing.emit()

    def forget_edits(self, chat: str) -> None:
        """The chat is deleted: closing need not ask about what was edited in it."""
        self._edits = {place: words for place, words in self._edits.items() if place[0] != chat}

    def _ask_about(self, words: str, then: Callable[[], object]) -> None:
        """What is written and not saved is not lost by a slip."""

        def close() -> None:
            self._asks = False
            then()

        self.toast.say("warn", words, tr("Close without saving"), close)

    def note_written(self, intent: Intent) -> None:
        from workbench.engine.intents import EditInPlace, EditQuestion, SendMessage

        match intent:
            case SendMessage():
                self._written = True
            case EditInPlace(chat, message, text) if text is not None:
                self._edits[chat, message] = (self._edits.get((chat, message), (text, ""))[0], text)
            case EditInPlace(chat, message) | EditQuestion(chat, message):
                self._edits.pop((chat, message), None)

    def _greet(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Keep the greeting up to date; the first turn, or another chat, ends it."""
        if self._greeting is None or chat is None:
            return
        self._greeted = self._greeted or chat.chat.id
        if chat.chat.id != self._greeted or chat.running is not None:
            self.end_welcome()
        else:
            self._greeting.show_state(state, self._protected_by, code_kept=True)

    def _end_first_hints(self, chat: ChatState | None) -> None:
        """Hints that came unasked are over with the first turn, or in another chat, whether they were read or not."""
        if not self._first_hints or chat is None or not self._greeted:
            return
        if chat.chat.id != self._greeted or chat.running is not None:
            self.end_lesson()

    def _go_on(self, wish: Wish) -> None:
        if self._greeting is not None and wish in ("go-on", "new-chat", "attach-folder"):
            self.end_welcome()
            self.chat.composer.setFocus(QtCore.Qt.FocusReason.OtherFocusReason)

    def _stops(self) -> list[tuple[QWidget, QWidget]]:
        """Each pane with the widget that takes the focus for it, those that are seen only."""
        panes: tuple[QWidget, ...] = (
            self.left.chats, self.left.attachments, self.chat.transcript.minimap, self.chat.composer,
            *((self.page,) if self.page_shown() else ()),
        )  # fmt: skip
        stops = [(pane, entry_of(pane)) for pane in panes if pane.isVisible()]
        if self.inspector.isVisible():
            stops.append((self.inspector, self.inspector.entry()))
        return stops or [(self.chat, self.chat)]

    def _connect(self) -> None:
        self.wishes.wish.connect(self._go_on)
        self.wishes.intent.connect(self.note_written)
        self.chat.selected.connect(self.select)
        self.chat.transcript.selected.connect(lambda _: self.columns.show_right())
        self.chat.composer.chips.recalled_wished.connect(lambda _: self.show_page("layers"))
        self.inspector.selected.connect(self.chat.transcript.select)
        self.columns.arranged.connect(self._remember)
        self.left.chats.arranged.connect(self._remember)

    def _restore(self) -> None:
        self.left.chats.restore(self._memory.text_of("chats-arranged"))
        self.inspector.restore_columns(self._memory.text_of("inspector-columns"))
        shown = self._memory.text_of(self._name("columns-shown"), "000" if self.slot else "")
        self.columns.restore(self._memory.bytes_of(self._name("columns")), shown)
        split = self._memory.bytes_of("left-split")
        if not split.isEmpty():
            self.left.split.restoreState(split)
            self.left.split.setHandleWidth(1)

    def _remember(self) -> None:
        if not self._furnished:
            return
        self._memory.keep(self._name("geometry"), self.saveGeometry())
        widths, marks = self.columns.remembered()
        self._memory.keep(self._name("columns"), widths)
        self._memory.keep(self._name("columns-shown"), marks)
        if not self.slot:
            self._memory.keep("inspector-columns", self.inspector.columns_state())
            self._memory.keep("chats-arranged", self.left.chats.remembered())
            self._memory.keep("left-split", self.left.split.saveState())
        self._memory.flush()


def first_place(room: QRect) -> QRect:
    """A new window's place, frame left out: as large as in the design or as there is room, in the middle.

    A window manager puts a frame around it, and nobody tells how wide that is before it is there.
    """
    free = room.size() - FRAME
    size = QSize(*FIRST).boundedTo(free).expandedTo(QSize(*LEAST))
    rest = free - size
    return QRect(room.topLeft() + QPoint(max(0, rest.width() // 2), max(0, rest.height() // 2)), size)


def place_beside(other: QRect, room: QRect, number: int) -> QRect:
    """The place of a window of one chat: over the lower right of another, where its list of chats is not, in steps."""
    size = ONE_CHAT.boundedTo(room.size() - FRAME)
    corner = QPoint(size.width(), size.height())
    at = other.bottomRight() - corner - BESIDE * number
    most = room.bottomRight() - corner - QPoint(FRAME.width(), FRAME.height())
    x = max(room.left(), min(at.x(), most.x()))
    return QRect(QPoint(x, max(room.top(), min(at.y(), most.y()))), size)


def _holds(pane: QWidget, focused: QWidget | None) -> bool:
    return focused is not None and (pane is focused or pane.isAncestorOf(focused))


def entry_of(pane: QWidget) -> QWidget:
    """Where the focus goes when a pane is gone to: its list or table, else the first thing that takes it."""
    children: list[QWidget] = list(pane.findChildren(QWidget))
    takers = [
        child
        for child in children
        if child.isVisible() and child.isEnabled() and child.focusPolicy() & QtCore.Qt.FocusPolicy.TabFocus
    ]
    lists = (QtWidgets.QAbstractItemView, QtWidgets.QPlainTextEdit, QtWidgets.QTextEdit)
    views = [child for child in takers if isinstance(child, lists)]
    return (views or takers or [pane])[0]


def _window_title(chat: ChatState | None) -> str:
    """The chat's title first, so that it can be told from others in a task bar."""
    from workbench.ui.widgets.plain import shown

    title = "" if chat is None else shown(chat.chat.title)
    running = "" if chat is None else _running_words(chat)
    title = " · ".join(filter(None, (title, running)))
    return f"{title} – Context Workbench" if title else "Context Workbench"


def _running_words(chat: ChatState) -> str:
    """What goes on in a chat, in a word or two."""
    if chat.running is None:
        return ""
    waits = any(card.waits for card in chat.running.tools)
    return tr("needs your approval") if waits else tr("answering")
