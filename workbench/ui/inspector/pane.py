"""The inspector: the next request before it is sent, live, and everything about it that can be changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.domain.workspace import is_template
from workbench.engine.attaching_intents import ShowParts
from workbench.engine.intents import OpenTurn
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.inspector.bar import BarBlock, EditLine
from workbench.ui.inspector.compare.page import ComparePage
from workbench.ui.inspector.diff.page import DiffPage
from workbench.ui.inspector.head import Head
from workbench.ui.inspector.layers.page import LayersPage, TreeTools
from workbench.ui.inspector.lesson import Hint, LessonLine
from workbench.ui.inspector.pages import Pages, PageSpec
from workbench.ui.inspector.payload.page import PayloadPage
from workbench.ui.inspector.sections.sheet import SectionSheet
from workbench.ui.inspector.turns.page import HistoryPage
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.widgets.stack import EmptyState
from workbench.ui.widgets.tabs import Tabs
from workbench.ui.wishes import DeclareModel, Wishes

LOW_PX = 820
LEAST_WIDTH = 480
TABS_AND_SWITCH_PX = 640
MOST_DIGESTS = 16


class InspectorPane(QWidget):
    """The inspector: head, bar, tabs and pages, all showing the same request and selection.

    Signals:
        selected: the key of the row that was chosen; None for none.
    """

    selected = Signal(object)

    def __init__(
        self, wishes: Wishes | None = None, parent: QWidget | None = None, more: Sequence[PageSpec] = ()
    ) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._state: WorkbenchState | None = None
        self._chat: ChatState | None = None
        self._asked: ChatState | None = None
        self._view: EnvelopeView | None = None
        self._shown_digests: dict[tuple[str, int], str] = {}
        self._key: RowKey | None = None
        self._came_from: QWidget | None = None
        self._sample = False
        self._hints: frozenset[Hint] = frozenset()
        self.setObjectName("chrome")
        self.setMinimumWidth(LEAST_WIDTH)
        # With their parent from the beginning: whatever is put elsewhere later is styled again with all it holds.
        self.head, self.block, self.lesson_line = Head(self), BarBlock(self), LessonLine(self)
        self.edit_line = EditLine(self)
        self.layers = LayersPage(self.wishes, self)
        specs = (*self._specs(), *more)
        self.tabs = Tabs(tuple(spec.title for spec in specs))
        self.pages = Pages(specs, self.wishes, self)
        self.tools = TreeTools(self.layers.tree, self)
        self.came = Segmented((("came", tr("Came in")), ("sent", tr("Sent"))))
        self.came.set_current("sent")
        self.came.setAccessibleName(tr("The request as it came, or as rules made it"))
        self.came.setToolTip(tip(tr("Show the request as it came in, or as it was sent (O).")))
        self.sections = SectionSheet(self.wishes, self)
        self.empty = EmptyState("layers", "", "", tr("New chat"))
        self._build_layout()
        self._connect()
        self._update_visibility()

    def _specs(self) -> tuple[PageSpec, ...]:
        return (
            PageSpec("layers", tr("Layers"), lambda _: self.layers),
            PageSpec("payload", tr("Payload"), PayloadPage),
            PageSpec("diff", tr("Diff"), DiffPage),
            PageSpec("history", tr("Turns"), HistoryPage),
            PageSpec("compare", tr("Compare"), ComparePage),
        )

    # --- what is shown ------------------------------------------------------------------------------------

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        self._state, self._asked = state, chat
        came = chat.shown.came if chat is not None and chat.shown is not None else None
        self.came.setVisible(came is not None)
        self._came_line.setVisible(came is not None and self.width() < TABS_AND_SWITCH_PX)
        if came is not None and chat is not None and self.came.current() == "came":
            chat = replace(chat, opened=came)
        self._chat = chat
        view = chat.shown if chat is not None else None
        self._remember_digest(chat, view)
        place = shown(chat.chat.title, 60) if chat is not None and is_template(chat.chat.id) else ""
        if view is not self._view or place != self.head.place:
            self._view, self.head.place = view, place
            self._show_head()
        self._update_visibility()
        self.sections.show_chat(chat)
        next_one = chat is not None and view is chat.view
        edited = chat.versioned if chat is not None and next_one else None
        self.edit_line.show_edit(view, edited)
        self.block.show_request(view, edited or (chat.trial if chat is not None and next_one else None))
        watched = chat is not None and chat.chat.filed.watched is not None
        named = tr("Requests") if watched else tr("Turns")
        at = self.pages.names().index("history")
        if self.tabs.tabText(at) != named:
            self.tabs.setTabText(at, named)
        self.tabs.set_count(self.pages.names().index("diff"), view.breaks if view is not None else 0)
        self._render_page()

    def select(self, key: RowKey | None) -> None:
        self._key = key
        self.block.select(key)
        self.pages.select(key)

    def show_page(self, name: str) -> None:
        """Turn to a page and focus it; this ends the choice of a file's parts."""
        self.close_parts()
        held: QWidget | None = QApplication.focusWidget()
        if held is not None and self.pages.isAncestorOf(held):
            held.clearFocus()  # else Qt looks through the window for who gets it when its page is hidden
        self.tabs.setCurrentIndex(self.pages.names().index(name))
        self.entry().setFocus(Qt.FocusReason.ShortcutFocusReason)

    def choose_parts(self, key: str) -> None:
        """Open an attached file to choose its parts; the focus moves there and returns when that ends."""
        if self._chat is not None:
            self._came_from = QApplication.focusWidget()
            self.sections.take_focus()
            self.wishes.send(ShowParts(self._chat.chat.id, key))

    def edit_instructions(self) -> None:
        if self._view is not None:
            self.close_parts()
            self.tabs.setCurrentIndex(self.pages.names().index("layers"))
            self.layers.edit()

    def unsaved(self) -> bool:
        return self.layers.editor.unsaved()

    def close_parts(self) -> bool:
        """End the choice of a file's parts; return whether it was open."""
        choosing = self._is_choosing_parts()
        if choosing:
            self.sections.close_sheet()
        return choosing

    def page(self) -> str:
        return self.pages.name()

    def entry(self) -> QWidget:
        if self._view is None:
            return self.empty.button
        return self.sections.entry() if self._is_choosing_parts() else self.pages.entry()

    def set_undo(self, can_undo: bool, undo_text: str, can_redo: bool, redo_text: str) -> None:
        self.head.set_undo(can_undo, undo_text, can_redo, redo_text)

    def set_sample(self, sample: bool) -> None:
        """Set whether the chat is the sample chat of the first start."""
        self._sample = sample
        self._show_head()

    def set_lesson(self, hints: Iterable[Hint]) -> None:
        """Show these hints, each until the user dismisses it."""
        self._hints = frozenset(hints)
        self._show_line()
        self.layers.set_lesson(self._hints)

    def columns_state(self) -> str:
        return self.layers.tree.head.remembered()

    def restore_columns(self, text: str) -> None:
        self.layers.tree.head.restore(text, self.layers.tree.viewport().width())

    def copy_curl(self) -> None:
        page = self.pages.page("payload")
        if self._state is not None and isinstance(page, PayloadPage):
            page.show_state(self._state, self._chat)
            page.copy_curl()

    # --- what Qt calls ------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.layers.set_low(self.height() < LOW_PX)
        self._place_came()

    def _place_came(self) -> None:
        """Beside the tabs where there is room, else below them."""
        below = self.width() < TABS_AND_SWITCH_PX
        if below and self._across.indexOf(self.came) >= 0:
            self._below_tabs.insertWidget(0, self.came, 0, Qt.AlignmentFlag.AlignRight)
        elif not below and self._across.indexOf(self.came) < 0:
            self._across.insertWidget(self._across.indexOf(self.tools), self.came)
        self._came_line.setVisible(below and self.came.isVisibleTo(self.came.parentWidget()))

    # --- putting together ---------------------------------------------------------------------------------

    def _build_layout(self) -> None:
        self._bar = _TabRow()
        self._across = columns(self._bar, (8, 0, 12, 1), 8)
        fill(self._across, self.tabs, STRETCH, self.came, self.tools)
        self._came_line = QWidget(self)
        self._below_tabs = columns(self._came_line, (14, 6, 14, 0), 8)
        down = rows(self)
        for widget in (self.head, self.block, self.edit_line, self.lesson_line, self._bar, self._came_line):
            down.addWidget(widget)
        down.addWidget(self.pages, 1)
        down.addWidget(self.sections, 1)
        down.addWidget(self.empty, 1)
        self.lesson_line.hide()

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._on_tab)
        self.came.chosen.connect(self._show_again)
        self.layers.tree.came_wanted.connect(self._turn_came)
        self.head.undo_wished.connect(self._undo)
        self.head.redo_wished.connect(self._redo)
        self.head.closed.connect(self._on_closed)
        self.head.explain_wished.connect(lambda: self.wishes.run("explain"))
        self.lesson_line.read.connect(lambda: self._on_hint_read("request"))
        self.layers.cards.read.connect(self._on_hint_read)
        self.tools.left.connect(self.layers.tree.setFocus)
        self.layers.tree.bytes_wanted.connect(self._show_bytes)
        self.empty.pressed.connect(self._on_new_chat)
        self.pages.selected.connect(self._on_selected)
        self.block.bar.selected.connect(self._on_selected)
        self.block.figures.window_button.clicked.connect(self._on_window)
        self._set_tab_order()

    def _set_tab_order(self) -> None:
        """Make the Tab key go from top to bottom, regardless of the order of creation."""
        head = (
            self.head.back,
            self.head.copy,
            self.head.undo,
            self.head.redo,
            self.head.explain,
            self.block.figures.window_button,
            self.block.bar,
            self.lesson_line.done,
        )
        tools = (self.tabs, self.tools.field, self.tools.search, self.tools.choose)
        for before, after in pairwise((*head, *tools, *self.layers.stops())):
            QWidget.setTabOrder(before, after)

    def _turn_came(self) -> None:
        self.came.set_current("sent" if self.came.current() == "came" else "came")
        self._show_again()

    def _show_again(self) -> None:
        if self._state is not None:
            self.show_state(self._state, self._asked)

    def _on_new_chat(self) -> None:
        self.wishes.run("new-chat")

    def _on_window(self) -> None:
        self.wishes.run(DeclareModel())

    def _undo(self) -> None:
        self.wishes.run("undo")

    def _redo(self) -> None:
        self.wishes.run("redo")

    def _on_closed(self) -> None:
        if self._chat is not None:
            self.wishes.send(OpenTurn(self._chat.chat.id, None))

    def _on_tab(self, index: int) -> None:
        self.pages.turn_to(self.pages.names()[index])
        self.tools.setVisible(self.page() == "layers")
        self._render_page()

    def _on_selected(self, key: RowKey | None) -> None:
        if key != self._key:
            self.select(key)
            self.selected.emit(key)

    def _show_head(self) -> None:
        chat, view = self._chat, self._view
        edited = chat is not None and chat.editing is not None and view is chat.editing.view
        running = None if chat is None else chat.running
        answering = running is not None and view is not None and view.turn == running.number + 1
        matches = self._matches(chat, view)
        self.head.show_view(view, self._sample, matches, edited and view is not None, answering)

    def _show_line(self) -> None:
        there = self._view is not None and not self._is_choosing_parts()
        self.lesson_line.setVisible("request" in self._hints and there)

    def _on_hint_read(self, hint: Hint) -> None:
        """Remove a hint, then focus the next one or, without any left, the page."""
        self.set_lesson(self._hints - {hint})
        if not self._hints:
            self.wishes.run("lesson-read")
        following = [card.done for name, card in self.layers.cards.cards.items() if name in self._hints]
        (following[0] if following else self.entry()).setFocus(Qt.FocusReason.TabFocusReason)

    def _show_bytes(self, key: RowKey, words: str = "") -> None:
        """Show a row's bytes, and words of it among them."""
        self._on_selected(key)
        self.show_page("payload")
        page = self.pages.page("payload")
        if words and isinstance(page, PayloadPage):
            page.tools.field.setText(words)

    def _show_sheet(self, there: bool) -> None:
        """Show or hide the choice of a file's parts; if it had the focus, return that to where it was before."""
        if there == self.sections.isVisibleTo(self):
            return
        held: QWidget | None = QApplication.focusWidget()
        focused = held is not None and self.sections.isAncestorOf(held)
        self.sections.setVisible(there)
        if not there and focused:
            back = (
                self._came_from if self._came_from is not None and isValid(self._came_from) else self.entry()
            )
            back.setFocus(Qt.FocusReason.OtherFocusReason)

    def _render_page(self) -> None:
        if self._state is not None and not self._is_choosing_parts():
            self.pages.show_state(self._state, self._chat)

    def _is_choosing_parts(self) -> bool:
        return self._chat is not None and self._chat.parts is not None

    def _update_visibility(self) -> None:
        shown = self._view is not None
        choosing = self._is_choosing_parts()
        self.block.setVisible(shown)
        for widget in (self._bar, self.pages):
            widget.setVisible(shown and not choosing)
        self._show_sheet(choosing and self._view is not None)
        self._show_line()
        self.empty.setVisible(not shown)
        if self._chat is None:
            self.empty.say(
                tr("No request yet"),
                tr("Open or start a chat to see its next request here."),
            )
        else:
            self.empty.say(tr("Being built"), tr("The next request is shown here in a moment."))

    # --- whether what was sent is what was shown ----------------------------------------------------------

    def _remember_digest(self, chat: ChatState | None, view: EnvelopeView | None) -> None:
        # While a turn is on its way the next request has its number, too, and was not what was sent.
        waiting = chat is not None and chat.running is None
        if waiting and chat is not None and view is not None and view.standing == "next" and view.digest:
            self._shown_digests[chat.chat.id, view.turn] = view.digest
            while len(self._shown_digests) > MOST_DIGESTS:
                del self._shown_digests[next(iter(self._shown_digests))]

    def _matches(self, chat: ChatState | None, view: EnvelopeView | None) -> bool:
        if chat is None or view is None or not view.digest:
            return False
        return view.digest == self._shown_digests.get((chat.chat.id, view.turn))


class _TabRow(Panel):
    """The tabs with a hairline below."""

    line_below = True
