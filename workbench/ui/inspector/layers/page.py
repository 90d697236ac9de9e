"""The Layers page: the tree-table, and below it the drop order, the turns and the what-if."""

from __future__ import annotations

from collections.abc import Container
from typing import cast

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from workbench.domain.answer_facts import AnswerFacts
from workbench.domain.influence import Influence
from workbench.domain.message import Message
from workbench.domain.shown.envelope_view import EnvelopeView, RowKey
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import LookAtQuote
from workbench.ui import formatting
from workbench.ui.influence_figures import NO_FACTS, Figures, RowFacts, facts_by_row, figures_of
from workbench.ui.inspector.drop_order import DropRail, KeyHints
from workbench.ui.inspector.findings import FindingsCard
from workbench.ui.inspector.influence.carried import CarriedCard
from workbench.ui.inspector.influence.strip import CouldGoLine, InfluenceStrip
from workbench.ui.inspector.instructions.editor import SIDE, InstructionsEditor
from workbench.ui.inspector.instructions.texts import row_key, subject_of
from workbench.ui.inspector.layers.cells import Column, head_text
from workbench.ui.inspector.layers.tuning import EnvelopeTree
from workbench.ui.inspector.layers.view import SegmentTree
from workbench.ui.inspector.lesson import Hint, LessonCards
from workbench.ui.inspector.nearly import NearlyCard
from workbench.ui.inspector.pages import Page
from workbench.ui.inspector.rules_card import RulesCard
from workbench.ui.inspector.side_list import SideList
from workbench.ui.inspector.turns.timeline import TurnsPanel
from workbench.ui.inspector.what_if.panel import WhatIfPanel
from workbench.ui.inspector.why import WhyCard
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.card import Hairline
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import MARGIN
from workbench.ui.widgets.fold import Fold
from workbench.ui.widgets.menu import menu
from workbench.ui.wishes import EditMemory, GoOnFrom, Wishes

NARROW_PX = 640
HINTS_FROM_PX = 520


class LayersPage(Page):
    """Everything that can be tuned, on one page."""

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(wishes, parent)
        self._low = False
        self._lesson = self._past = False
        self._before_why: tuple[bool, ...] | None = None
        self._holders: dict[QWidget, QWidget] = {}
        self.tree = EnvelopeTree(self.wishes, self)
        self.why = WhyCard(self.wishes, self)
        self.nearly = NearlyCard(self.wishes, self)
        self.findings = FindingsCard(self)
        self.rules = RulesCard(self.wishes, self)
        self.strip = InfluenceStrip(self.wishes, self)
        self.could_go = CouldGoLine(self.wishes, self)
        self.carried = CarriedCard(self)
        self._figures: Figures | None = None
        self._checked: tuple[AnswerFacts | None, EnvelopeView | None, RowFacts] = (None, None, NO_FACTS)
        self._measured: tuple[Influence | None, EnvelopeView | None] = (None, None)
        self.rail = DropRail(self.wishes, self)
        self.turns = TurnsPanel(self.wishes)
        self.what_if = WhatIfPanel(self.wishes, self)
        self.cards = LessonCards(self)
        self.hints = KeyHints(self)
        self.more = button(tr("More"), "link", size="small")
        self.more.setCheckable(True)
        self.sides = SideList(self.wishes)
        self.drop_fold = Fold(tr("Drop order"))
        self.turns_fold = Fold(tr("Turns"))
        self.what_if_fold = Fold(tr("What if"), tr("nothing changes until you apply"))
        self.editor = InstructionsEditor(self.wishes, self)
        self._chat: ChatState | None = None
        self._arrange()
        self._connect()
        self._show_parts()

    def _arrange(self) -> None:
        self.drop_fold.set_body(self.rail)
        self.drop_fold.add_head_widget(self.hints)
        self.turns_fold.set_body(self.turns)
        self.turns_fold.add_head_widget(self.turns.legend)
        self.what_if_fold.set_body(self.what_if)
        self.what_if_fold.add_head_widget(self.more)
        down = fill(
            rows(self),
            self.findings,
            self.rules,
            self.strip,
            (self.tree, 1),
            self.could_go,
            self.carried,
            self.why,
            self.nearly,
        )
        for part in (self.sides, self.drop_fold, self.cards, self.turns_fold, self.what_if_fold):
            self._holders[part] = _ruled(part)
            down.addWidget(self._holders[part])

    def _connect(self) -> None:
        for chooser in (self.tree, self.rail):
            chooser.selected.connect(self.selected)
        self.findings.row_wanted.connect(self._show_found)
        self.findings.diff_wanted.connect(lambda: self.wishes.run("diff"))
        self.findings.removed_wanted.connect(self._attach_removed)
        self.tree.edit_wanted.connect(self.edit)
        self.tree.rule_wanted.connect(self.rules.toggle)
        self.tree.why_wanted.connect(self._ask_why)
        self.tree.nearly_wanted.connect(self.nearly.show_card)
        self.tree.selected.connect(self._turn_card)
        self.tree.selected.connect(self._show_carried)
        self.tree.sort_wanted.connect(self.strip.toggle_sort)
        self.strip.sort_wanted.connect(self._show_rows)
        self.why.turned.connect(self.tree.select)
        self.why.turned.connect(self.selected)
        self.editor.closed.connect(self._on_edited)
        self.editor.placed.connect(self._place_editor)
        self.more.toggled.connect(self._show_more)
        self.what_if.summarised.connect(self.what_if_fold.set_summary)
        self.what_if_fold.set_summary(self.what_if.summary())

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Show the request that is looked at; one that was sent earlier leaves nothing to move or to try out."""
        view = chat.shown if chat is not None else None
        past = view is not None and view.standing == "sent"
        if past is not self._past:
            self._past = past
            self._show_parts()
        self._chat = chat
        self.findings.show_view(view)
        self.rules.show_state(state, chat)
        self.strip.show_state(state, chat)
        self._show_rows()
        self.why.show_chat(chat, view)
        self.nearly.show_chat(chat, view)
        self._make_room(bool(self.why.shown_id()) or self._figures is not None)
        self.editor.show_state(state, chat)
        self.rail.show_request(chat, view)
        if chat is None or view is not None:  # until a request is built, nothing of this can be seen
            self.what_if.show_chat(state, chat)
        self.turns.show_state(state, chat)
        watched = self._chat is not None and self._chat.chat.filed.watched is not None
        self.turns_fold.set_title(tr("Requests") if watched else tr("Turns"))
        self.turns_fold.set_summary(self.turns.summary())
        self._holders[self.sides].setVisible(self.sides.show_chat(chat))

    def _show_rows(self) -> None:
        """The rows, with what they carried where the turn that is looked at was measured."""
        chat, found = self._chat, self.strip.ranked()
        view = chat.shown if chat is not None else None
        if self._measured[0] is not found or self._measured[1] is not view:
            self._measured = (found, view)
            self._figures = figures_of(found, view) if found is not None and view is not None else None
        self.tree.show_request(chat, view, self._figures, self.strip.sort.isChecked(), self._facts(view))
        self.tree.rows.show_edit(*self._edit(view))
        self.could_go.show_result(chat, found, self.strip.stale, self.strip.changed)
        self._show_carried(self.tree.selected_key())

    def _edit(self, view: EnvelopeView | None) -> tuple[str, str]:
        """The message of the next request that is given other words, and what its row would be with them."""
        edited = self._chat.versioned if self._chat is not None and view is self._chat.view else None
        if edited is None or edited.view is None:
            return "" if edited is None else edited.question, ""
        rows = (row for layer in edited.view.layers for row in layer.rows if edited.question in row.members)
        tokens = next((row.tokens for row in rows), 0)
        return edited.question, tr("{n} tokens with your edit").format(n=formatting.tokens(tokens))

    def _facts(self, view: EnvelopeView | None) -> RowFacts:
        """Which rows have facts of the opened turn's answer, where that was checked."""
        chat = self._chat
        if chat is None or view is None or view is not chat.opened or not chat.facts:
            return NO_FACTS
        asked = {turn.question for turn in chat.turns if turn.number == view.turn}
        found = next((one for one in chat.facts.values() if one.question in asked), None)
        if self._checked[0] is not found or self._checked[1] is not view:
            self._checked = (found, view, NO_FACTS if found is None else facts_by_row(found, view))
        return self._checked[2]

    def _show_carried(self, key: RowKey | None) -> None:
        piece = self._figures.piece(key) if self._figures is not None else None
        self.carried.show_piece(piece, self.strip.ranked(), self._answer())

    def _answer(self) -> str:
        """The words that were scored."""
        chat = self._chat
        kept = chat.influence if chat is not None else None
        if chat is None or kept is None:
            return ""
        entry = next((one.entry for one in chat.records if one.id == kept.message), None)
        return entry.text[kept.offset :] if isinstance(entry, Message) else ""

    def _show_found(self, key: RowKey) -> None:
        """Show the row of a finding, unfolded."""
        self.tree.setExpanded(self.tree.rows.index_of(key), True)
        self.tree.select(key)
        self.selected.emit(key)

    def _attach_removed(self) -> None:
        chat = self._chat
        if chat is not None and chat.opened is not None:
            self.wishes.run(GoOnFrom(chat.chat.id, chat.opened.turn, removed=True))

    def edit(self, key: RowKey | None = None) -> None:
        """Let a text of the first layer be written: of a row, of the chosen one, or the instructions."""
        if self._chat is not None and self._chat.chat.filed.watched is not None:
            return  # another program's are not ours to write
        wanted = key or self.tree.selected_key()
        subject = (subject_of(wanted) if wanted is not None else None) or "persona"
        own = self._chat.chat.settings.user_memory if self._chat is not None else ""
        if subject == "memory" and not own:
            self.wishes.run(EditMemory())  # facts are written one by one
            return
        self.tree.select(row_key(subject))
        self.editor.edit(subject)
        self._place_editor()

    def ask_why(self, key: RowKey) -> None:
        if self._chat is not None:
            self.wishes.send(LookAtQuote(self._chat.chat.id, key.id))

    def close_why(self) -> bool:
        """Look at no quote any more; return whether one was looked at."""
        looked = bool(self.why.shown_id())
        if looked:
            self.why.close_card()
        return looked

    def _make_room(self, looked: bool) -> None:
        """While a quote or influence is looked at, the panels below fold, so that the table stays."""
        if looked == (self._before_why is not None):
            return
        folds = (self.drop_fold, self.turns_fold, self.what_if_fold)
        if looked:
            self._before_why = tuple(fold.is_folded() for fold in folds)
        for fold, folded in zip(folds, self._before_why or (), strict=True):
            fold.set_folded(True if looked else folded)
        self._before_why = self._before_why if looked else None

    def _ask_why(self, key: RowKey) -> None:
        if key.id == self.why.shown_id():
            self.why.close_card()
        else:
            self.ask_why(key)

    def _turn_card(self, key: RowKey | None) -> None:
        """An open card is about the quote that is chosen."""
        view = self._chat.shown if self._chat is not None else None
        quoted = {row.key for row in view.quotes} if view is not None and self.why.shown_id() else set()
        if key is not None and key in quoted and key.id != self.why.shown_id():
            self.ask_why(key)

    def _on_edited(self) -> None:
        if self.isVisible():
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place_editor(self) -> None:
        """Under its row, where there is room; else as far down as it goes."""
        subject = self.editor.subject()
        if subject is None:
            return
        row = self.tree.rows.index_of(row_key(subject))
        below = self.tree.visualRect(row).bottom() if row.isValid() else 0
        top = self.tree.viewport().mapTo(self, QPoint(0, below + 4)).y() - MARGIN
        high = min(self.editor.wanted_height(), self.height() + MARGIN)
        top = round(max(min(top, self.height() + MARGIN // 2 - high), -MARGIN))
        side = SIDE - MARGIN
        self.editor.setGeometry(side, top, self.width() - 2 * side, high)

    def entry(self) -> QWidget:
        return self.tree if self.editor.subject() is None else self.editor.entry()

    def stops(self) -> list[QWidget]:
        return [
            *_stops(self.findings),
            *_stops(self.rules),
            *_stops(self.strip),
            self.tree,
            *_stops(self.could_go),
            *_stops(self.why),
            *_stops(self.nearly),
            *_stops(self.editor),
            self.sides.head,
            self.drop_fold.head,
            self.rail.list,  # takes the focus only while it has cards
            *_stops(self.cards),
            self.turns_fold.head,
            *_stops(self.turns),
            self.what_if_fold.head,
            self.more,
            *_stops(self.what_if),
        ]

    def select(self, key: RowKey | None) -> None:
        self.tree.select(key)
        self.rail.select(key)

    def set_low(self, low: bool) -> None:
        """In a low window the turns and the what-if are folded; whoever unfolds them there keeps them open."""
        if low != self._low:
            self._low = low
            self.turns_fold.set_folded(low)
            self.what_if_fold.set_folded(low)

    def set_lesson(self, hints: Container[Hint]) -> None:
        """Show hints in the place of what they are about."""
        self._lesson = self.cards.show_hints(hints)
        self._show_parts()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        short, full = (
            tr("first dropped at left"),
            tr("first dropped at left. Drag to reorder."),
        )
        self.drop_fold.set_note(short if self.width() < NARROW_PX else full)
        self.hints.setVisible(self.width() >= HINTS_FROM_PX and not self.drop_fold.is_folded())
        self._place_editor()

    def _show_parts(self) -> None:
        for tools in (self.drop_fold, self.what_if_fold):
            self._holders[tools].setVisible(not self._lesson and not self._past)
        self._holders[self.cards].setVisible(self._lesson and not self._past)

    def _show_more(self, shown: bool) -> None:
        self.more.setText(tr("Less") if shown else tr("More"))
        self.what_if.show_more(shown)


def _stops(part: QWidget) -> list[QWidget]:
    inner = cast(list[QWidget], part.findChildren(QWidget))
    return [widget for widget in inner if widget.focusPolicy() & Qt.FocusPolicy.TabFocus]


def _ruled(part: QWidget) -> QWidget:
    holder = QWidget()
    fill(rows(holder), Hairline(), part)
    return holder


# The tools beside the tabs: find a row by its name, and choose which columns are shown.


FIELD_WIDTH = 200


class TreeTools(QWidget):
    """A search field that opens on demand, and the menu of columns.

    Signals:
        left: the search was ended; the tree may have the focus.
    """

    left = Signal()

    def __init__(self, tree: SegmentTree, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tree = tree
        self.field = Field(tr("Find a segment"), "search")
        self.field.setFixedWidth(FIELD_WIDTH)
        self.field.setClearButtonEnabled(False)
        self.field.hide()
        self.field.textChanged.connect(tree.set_filter)
        self.field.installEventFilter(self)
        self.search = tool_button("search", tr("Find a segment"))
        self.search.setCheckable(True)
        self.search.toggled.connect(self._on_search)
        self.choose = tool_button("sliders", tr("Columns"), tr("Choose columns"))
        self.choose.clicked.connect(self._open)
        fill(columns(self, spacing=8), self.field, self.search, self.choose)

    def begin(self) -> None:
        self.search.setChecked(True)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def columns_menu(self) -> QMenu:
        made = menu(self)
        unwanted = self._tree.head.unwanted()
        for column in Column:
            if column not in (Column.SEGMENT, Column.INFLUENCE):
                action = made.addAction(head_text(column))
                action.setCheckable(True)
                action.setChecked(column not in unwanted)
                action.toggled.connect(lambda on, column=column: self._want(column, on))
        return made

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                self.search.setChecked(False)
                self.left.emit()
                return True
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.left.emit()
                return True
        return super().eventFilter(watched, event)

    def _on_search(self, shown: bool) -> None:
        self.field.setVisible(shown)
        if shown:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.field.clear()

    def _want(self, column: Column, wanted: bool) -> None:
        self._tree.head.want(column, wanted, self._tree.viewport().width())

    def _open(self) -> None:
        made = self.columns_menu()
        size = made.sizeHint()
        x = self.choose.width() - size.width()
        made.popup(self.choose.mapToGlobal(QPoint(x, self.choose.height() + 2)))
