"""The layers table as it is edited: rows are pinned, prioritised and left out by keyboard, pointer and menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QIcon,
    QKeyEvent,
    QMouseEvent,
)
from PySide6.QtWidgets import QMenu, QWidget

from workbench.domain.files.attachment import PRIORITY_ESSENTIAL, PRIORITY_HIGH, PRIORITY_LOW, PRIORITY_MEDIUM
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowGroup, RowKey, RowPart, SegmentRow
from workbench.engine.state import ChatState
from workbench.ui.influence_figures import NO_FACTS, Figures, RowFacts
from workbench.ui.inspector.layers import painting as strokes
from workbench.ui.inspector.layers.cells import Column, Item
from workbench.ui.inspector.layers.delegates import (
    CHEVRON,
    CHEVRON_LEAD,
    GROUP_CHEVRON_LEAD,
    ROW_CHEVRON_LEAD,
)
from workbench.ui.inspector.layers.painting import act_key, act_line, act_words
from workbench.ui.inspector.layers.view import SegmentTree
from workbench.ui.inspector.rows.row_acts import (
    Act,
    act_of,
    can,
    can_edit,
    can_prioritise,
    digit_of,
    priority_step,
    step_for,
)
from workbench.ui.inspector.rows.row_words import row_name
from workbench.ui.inspector.rules_card import rule_for, rule_words
from workbench.ui.look.focus_ring import came_by_keyboard
from workbench.ui.look.icons import icon
from workbench.ui.look.painting import placed
from workbench.ui.offers import Offer, TakeOffer, offer_menu, with_place
from workbench.ui.steps import Step, undo_summary
from workbench.ui.translation import tr
from workbench.ui.widgets.items.views import Index
from workbench.ui.widgets.menu import add_action, menu
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.plain import tip
from workbench.ui.wishes import Summarise, Wishes

# The menu of a row: everything that can be done with it, each with its key and, while it is chosen, its price.


class RowMenuActions(NamedTuple):
    """What the entries of a row's menu call.

    `offer` returns the price preview of the highlighted entry, named by its act or priority; `take` shows or hides it.
    `edit` edits the row's text, `summarise` makes a summary up to a turn or undoes one, `why` explains why a row was
    recalled. `newest` is the newest turn, which is never summarised.
    """

    do: Callable[[SegmentRow, Act], None]
    prioritise: Callable[[SegmentRow, int], None]
    show_bytes: Callable[[SegmentRow], None]
    offer: Callable[[SegmentRow, Act | int], Offer | None] = lambda row, chosen: None
    take: TakeOffer = lambda offer: None
    edit: Callable[[SegmentRow], None] | None = None
    summarise: Callable[[SegmentRow], None] | None = None
    why: Callable[[SegmentRow], None] | None = None
    newest: int = 0


def row_menu(parent: QWidget, row: SegmentRow, actions: RowMenuActions) -> QMenu:
    """The context menu of a row, with only what can be done to it."""
    made = menu(parent)
    written = actions.edit is not None and can_edit(row)
    if actions.edit is not None and written:
        add_action(made, f"{tr('Edit…')}\t{tr('Enter')}", partial(actions.edit, row)).setIcon(icon("edit"))
    if actions.why is not None and row.found is not None:
        words = f"{tr('Why is this here?')}\t{tr('W')}"
        add_action(made, words, partial(actions.why, row)).setIcon(icon("info"))
    if can(row, "whole"):
        _add_act(made, row, "whole", actions).setIcon(icon("file"))
    if can(row, "pin"):
        _add_act(made, row, "pin", actions).setIcon(icon("pin"))
    if can(row, "more"):
        _add_act(made, row, "more", actions).setIcon(icon("plus"))
    if can_prioritise(row):
        _add_priorities(made, row, actions)
    _add_rest(made, row, actions, written)
    offer_menu(made, lambda action: _offered(row, action, actions), actions.take)
    return made


def _add_rest(made: QMenu, row: SegmentRow, actions: RowMenuActions, written: bool = False) -> None:
    """What only the request's table offers, for a file as well."""
    if can(row, "leave_out"):
        _add_act(made, row, "leave_out", actions).setIcon(icon("eye-off"))
    if actions.summarise is not None and (words := summary_words(row)):
        short = add_action(made, words, partial(actions.summarise, row))
        short.setIcon(icon("undo" if is_summary(row) else "compact"))
        if why_not := no_summary(row, actions.newest):
            short.setEnabled(False)
            short.setToolTip(tip(why_not))
    if not made.isEmpty():
        made.addSeparator()
    made.addAction(icon("file"), _payload_label(written), lambda: actions.show_bytes(row))
    copy = add_action(made, tr("Copy digest"), lambda: QGuiApplication.clipboard().setText(row.digest))
    copy.setIcon(icon("copy"))
    copy.setEnabled(bool(row.digest))


def _is_file(row: SegmentRow) -> bool:
    return row.key.layer in ("L2_PREVIOUS", "L3_TURN") and row.found is None


def is_summary(row: SegmentRow) -> bool:
    """Whether the row is a summary, of messages or of something attached."""
    return row.kind == "summary" or row.reason.code == "as_summary"


def summary_words(row: SegmentRow) -> str:
    """Label of the menu entry about a summary of this row; empty where there is none."""
    if is_summary(row):
        return tr("Undo this summary")
    turns = row.key.layer == "L4_STRIP" and row.kind == "turn" and row.tunable
    attached = row.key.layer in ("L2_PREVIOUS", "L3_TURN") and row.tunable and row.kind != "image"
    return tr("Summarise up to here…") if turns else tr("Summarise…") if attached else ""


def no_summary(row: SegmentRow, newest: int) -> str:
    """Why turns up to this row can't be summarised; empty where they can, and for rows outside History."""
    if row.key.layer != "L4_STRIP" or is_summary(row):
        return ""
    if newest and row.last_turn >= newest:
        return tr("The newest turn always stays as it is.")
    if row.pinned:
        return tr("A message of it is pinned and stays as it is: unpin it first.")
    if row.state == "excluded":
        return tr("It is left out: put it back first.")
    return "" if row.counted else tr("It isn’t sent, so there is nothing to shorten.")


def _payload_label(written: bool) -> str:
    words = tr("Show in the payload")
    return words if written else f"{words}\t{tr('Enter')}"


def _add_act(made: QMenu, row: SegmentRow, act: Act, actions: RowMenuActions) -> QAction:
    return add_action(made, f"{act_words(row, act)}\t{act_key(act)}", lambda: actions.do(row, act), act)


def _add_priorities(made: QMenu, row: SegmentRow, actions: RowMenuActions) -> None:
    below = menu(made)
    below.setTitle(tr("Priority"))
    below.setIcon(icon("sliders"))
    named = {
        PRIORITY_ESSENTIAL: tr("0, pinned"),
        PRIORITY_HIGH: tr("3, dropped late"),
        PRIORITY_MEDIUM: tr("5, as usual"),
        PRIORITY_LOW: tr("10, dropped first"),
    }
    for priority, words in named.items():
        do = partial(actions.prioritise, row, priority)
        add_action(below, words, do, priority, checked=row.priority == priority)
    offer_menu(below, lambda action: _offered(row, action, actions), actions.take)
    made.addMenu(below)


def _offered(row: SegmentRow, action: QAction, actions: RowMenuActions) -> Offer | None:
    chosen = action.data()
    return actions.offer(row, chosen) if isinstance(chosen, str | int) else None  # type: ignore[arg-type]  # set above


# Typing a priority by its digits: a 1 waits a moment, since a 0 may follow.

WAIT_MS = 600


class PriorityTyping(QObject):
    """Turns typed digits into priorities from 0 to 10.

    Signals:
        typed: the key of a row, and its new priority.
    """

    typed = Signal(object, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._row: RowKey | None = None
        self._wait = single_shot(self, self.finish, WAIT_MS)

    def type_digit(self, row: RowKey, digit: int) -> None:
        if self._row == row and digit == 0:
            self._forget()
            self.typed.emit(row, 10)
            return
        self.finish()
        if digit == 1:
            self._row = row
            self._wait.start()
        else:
            self.typed.emit(row, digit)

    def finish(self) -> None:
        """Stop waiting for a second digit: a pending 1 becomes priority 1."""
        row = self._row
        self._forget()
        if row is not None:
            self.typed.emit(row, 1)

    def _forget(self) -> None:
        self._row = None
        self._wait.stop()


_WRITTEN = ("default", "workspace", "chat", "fact")
"""Parts of instructions and memory that a click edits; sentences that were measured are only read."""
_RULE_ACTS: tuple[Act, ...] = ("leave_out", "pin", "whole")
_PREVIEWED_FIRST: tuple[Act, ...] = ("whole", "leave_out")
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class EnvelopeTree(SegmentTree):
    """The layers table of the next request, which can be edited.

    Signals:
        bytes_wanted: the key of a row whose bytes are to be shown, and words to be found in them.
        edit_wanted: the key of a row whose text is to be edited.
        why_wanted: the key of a row whose recall is to be explained.
        nearly_wanted: what was nearly quoted is to be shown, or hidden.
        sort_wanted: the rows are to be sorted by influence, or no longer.
        rule_wanted: a rule is to be made from a row of a watched request, or to leave. came_wanted: that request is
            to be shown as it came, or as it was sent.
    """

    bytes_wanted = Signal(object, str)
    edit_wanted = Signal(object)
    why_wanted = Signal(object)
    nearly_wanted = Signal()
    sort_wanted = Signal()
    rule_wanted = Signal(object)
    came_wanted = Signal()
    file_menu: Callable[[str, QWidget], QMenu | None] | None = None
    _offered: tuple[RowKey, Act] | None = None  # here: Qt sends events before there is anything else

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._typing = PriorityTyping(self)
        self._typing.typed.connect(self._prioritise_key)
        self.rows.priority_typed.connect(self._prioritise_key)

    def show_request(
        self,
        chat: ChatState | None,
        view: EnvelopeView | None,
        figures: Figures | None = None,
        flat: bool = False,
        facts: RowFacts = NO_FACTS,
    ) -> None:
        self._chat = chat
        self.show_view(view, figures, flat, facts)

    def act(self, row: SegmentRow, act: Act) -> None:
        self._typing.finish()
        if self._view is not None and self._view.watched:
            if (rule := rule_for(row, act)) is not None:
                self.rule_wanted.emit(rule)
        elif self._chat is not None:
            self._emit(step_for(self._chat, row, act))

    def prioritise(self, row: SegmentRow, priority: int) -> None:
        if self._chat is not None:
            self._emit(priority_step(self._chat, row, priority))

    def menu_for(self, row: SegmentRow) -> QMenu | None:
        if self._view is None:
            return None
        if self.file_menu is not None and self._view.standing == "next" and _is_file(row):
            made = self.file_menu(row.key.id, self)
            if made is not None:
                return made
        made = row_menu(self, row, self._menu_actions())
        for act in _RULE_ACTS if self._view.watched else ():
            if (rule := rule_for(row, act)) is not None:
                add_action(made, f"{rule_words(rule)}\t{act_key(act)}", partial(self.rule_wanted.emit, rule))
        return made

    def add_file_entries(self, made: QMenu, key: str) -> None:
        """Add to the menu of a file what can be done with its row here."""
        layers = self._view.layers if self._view is not None else ()
        row = next(
            (row for layer in layers for row in layer.rows if row.key.id == key and _is_file(row)), None
        )
        if row is None:
            return
        before = len(made.actions())
        made.addSeparator()
        _add_rest(made, row, self._menu_actions())
        for action in made.actions()[before:]:
            action.setIcon(QIcon())  # as the entries above it
            act = action.data()
            if act is not None:
                action.setData(partial(self.offer_of, row, act))
            if made.parent() is not self:
                action.setText(action.text().partition("\t")[0])  # a key of this table

    def _menu_actions(self) -> RowMenuActions:
        return RowMenuActions(
            self.act,
            self.prioritise,
            lambda row: self.bytes_wanted.emit(row.key, ""),
            self.offer_of,
            self.wishes.offer,
            (lambda row: self.edit_wanted.emit(row.key)) if self._is_unsent() else None,
            self._summarise if self._is_unsent() else None,
            lambda row: self.why_wanted.emit(row.key),
            self._newest_turn(),
        )

    def _newest_turn(self) -> int:
        layers = self._view.layers if self._view is not None else ()
        turns = (row.last_turn for layer in layers if layer.name == "L4_STRIP" for row in layer.rows)
        return max(turns, default=0)

    def _summarise(self, row: SegmentRow) -> None:
        """Open the summary of all turns up to this row or of an attachment; undo the summary if the row is one."""
        if is_summary(row) and self._chat is not None:
            self.wishes.do(undo_summary(self._chat, row.key.id))
        elif row.key.layer == "L4_STRIP":
            self.wishes.run(Summarise(row.last_turn))
        else:
            self.wishes.run(Summarise(artifact=row.key.id))

    def offer_of(self, row: SegmentRow, chosen: Act | int) -> Offer | None:
        if self._chat is None or (self._view is not None and self._view.standing != "next"):
            return None
        if isinstance(chosen, int):
            step = priority_step(self._chat, row, chosen)
            return (
                None if step is None else Offer(step.title, step.do, act_line(row, "later"), icon="sliders")
            )
        step = step_for(self._chat, row, chosen)
        if step is None or chosen == "more":
            return None  # what more costs is known once it was read
        icon = {"pin": "pin", "leave_out": "eye-off", "whole": "file"}.get(chosen, "sliders")
        title = tr("{act}: {what}").format(act=act_words(row, chosen), what=row_name(row))
        return Offer(title, step.do, act_line(row, chosen), act_key(chosen), icon)

    def open_row(self, row: SegmentRow) -> None:
        if self._is_unsent() and can_edit(row):
            self.edit_wanted.emit(row.key)
            return
        line = self.rows.item(self.currentIndex())
        words = line.text if isinstance(line, RowPart) and line.source == "facts" else ""
        self.bytes_wanted.emit(row.key, words.lstrip("…"))

    def _is_unsent(self) -> bool:
        return self._view is not None and self._view.standing != "sent"

    # --- what Qt calls ----------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Claim F2 on a row that can be edited; elsewhere it is the window's shortcut."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            row = self.selected_row() if event.key() == Qt.Key.Key_F2 else None
            if row is not None and can_edit(row) and self._is_unsent():
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._end_offer()
        if (
            self._view is not None
            and self._view.watched
            and event.key() == Qt.Key.Key_O
            and not event.modifiers()
        ):
            self.came_wanted.emit()
            return
        if self._figures is not None and event.key() == Qt.Key.Key_I and not event.modifiers():
            self.sort_wanted.emit()
            return
        item = self.rows.item(self.currentIndex())
        if item is not None and self._fold_with_key(event, item):
            return
        row = self.selected_row()
        if row is None or not self._tune_with_key(event, row):
            self._typing.finish()
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._show_offer_at(event.position())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._end_offer()
        if event.type() == QEvent.Type.ToolTip and self._offered is not None:
            return True
        return super().viewportEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._end_offer()

    def currentChanged(self, current: Index, previous: Index) -> None:
        """After moving by keyboard, preview the price of A on this row, else of Del, else of Space."""
        super().currentChanged(current, previous)
        row = self.rows.row(current) if self.hasFocus() and came_by_keyboard(self) else None
        act: Act = next((one for one in _PREVIEWED_FIRST if row is not None and can(row, one)), "pin")
        cell = self.visualRect(self.rows.index(current.row(), Column.PIN, current.parent()))
        self._show_offer(None if row is None else (row, act), cell)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._end_offer()
        index = self.indexAt(event.position().toPoint())
        by_left = event.button() == Qt.MouseButton.LeftButton
        was_chosen = index.isValid() and index.siblingAtColumn(0) == self.currentIndex().siblingAtColumn(0)
        if by_left and self._on_chevron(index, event.position()):
            self.toggle_layer(index)
            return
        super().mousePressEvent(event)
        if by_left:
            self._click(index, event.position(), was_chosen)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Edit a priority, fold a layer, or open a row; on − and + a double click is a second click."""
        index = self.indexAt(event.position().toPoint())
        item = self.rows.item(index)
        if event.button() != Qt.MouseButton.LeftButton or item is None:
            return
        if isinstance(item, LayerRow | RowGroup):
            self.toggle_layer(index)
        elif isinstance(item, RowPart):
            self._open_at(index)
        elif not self._click(index, event.position(), was_chosen=True):
            if index.column() == Column.PRIORITY and can_prioritise(item):
                self.edit(index)
            elif index.column() == Column.SEGMENT or can_edit(item):
                self.open_row(item)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        row = self.rows.row(index)
        made = self.menu_for(row) if row is not None else None
        if made is not None:
            below = self.visualRect(index).bottomLeft() if by_key else event.pos()
            made.popup(self.viewport().mapToGlobal(below))

    # --- how ----------------------------------------------------------------------------------------------

    def _open_at(self, index: QModelIndex) -> None:
        row = self.rows.row(index)
        if row is not None:
            self.open_row(row)

    def _fold_with_key(self, event: QKeyEvent, item: Item) -> bool:
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._fold(outwards=event.key() == Qt.Key.Key_Left)
            return True
        if isinstance(item, LayerRow | RowGroup) and event.key() in (Qt.Key.Key_Space, *ENTER):
            self.toggle_layer(self.currentIndex())
            return True
        return False

    def _fold(self, outwards: bool) -> None:
        index = self.currentIndex().siblingAtColumn(0)
        line = self.rows.item(index)
        if isinstance(line, RowGroup) and self.is_folded(index) != outwards:
            self.toggle_layer(index)
            return
        if isinstance(line, SegmentRow) and outwards and self.group_of(line).isValid():
            self.setCurrentIndex(self.group_of(line))
            return
        inner = index.parent().isValid()
        if inner and (not self.rows.rowCount(index) or (outwards and not self.isExpanded(index))):
            if outwards:
                self.setCurrentIndex(index.parent())
        elif self.isExpanded(index) == outwards:
            self.setExpanded(index, not outwards)
        elif not outwards and self.rows.rowCount(index):
            self.setCurrentIndex(self.indexBelow(index))

    def _tune_with_key(self, event: QKeyEvent, row: SegmentRow) -> bool:
        act, digit = act_of(event), digit_of(event)
        if act is not None:
            self.act(row, act)
        elif digit is not None and can_prioritise(row):
            self._typing.type_digit(row.key, digit)
        elif row.found is not None and event.key() == Qt.Key.Key_W and not event.modifiers():
            self.why_wanted.emit(row.key)
        elif row.kind == "quoted" and event.key() == Qt.Key.Key_N and not event.modifiers():
            self.nearly_wanted.emit()
        elif event.key() in ENTER or (event.key() == Qt.Key.Key_F2 and can_edit(row)):
            self.open_row(row)
        else:
            return False
        return True

    def _click(self, index: QModelIndex, at: QPointF, was_chosen: bool) -> bool:
        found = self._act_at(index, at, was_chosen)
        if found is not None:
            self.act(*found)
        row = self.rows.item(index)
        if isinstance(row, SegmentRow) and row.found is not None and index.column() == Column.STATE:
            self.why_wanted.emit(row.key)
            return True
        text = self.rows.row(index)
        written = row.source in _WRITTEN if isinstance(row, RowPart) else was_chosen
        if text is not None and can_edit(text) and written and found is None and self._is_unsent():
            self.edit_wanted.emit(text.key)
            return True
        return found is not None

    def _act_at(self, index: QModelIndex, at: QPointF, was_chosen: bool) -> tuple[SegmentRow, Act] | None:
        row = self.rows.item(index)
        if not isinstance(row, SegmentRow):
            return None
        if index.column() == Column.PIN:
            return row, "pin"
        if index.column() == Column.REASON and was_chosen and can(row, "whole"):
            return row, "whole"
        if index.column() != Column.PRIORITY or not (was_chosen and can_prioritise(row)):
            return None
        box = strokes.stepper_rect(QRectF(self.visualRect(index)), str(index.data()))
        part = strokes.stepper_part(box, at)
        return (row, "later" if part == "less" else "earlier") if part in ("less", "more") else None

    def _show_offer_at(self, at: QPointF) -> None:
        index = self.indexAt(at.toPoint())
        chosen = index.isValid() and index.siblingAtColumn(0) == self.currentIndex().siblingAtColumn(0)
        found = self._act_at(index, at, chosen)
        self._show_offer(found, self.visualRect(index))

    def _show_offer(self, found: tuple[SegmentRow, Act] | None, cell: QRect) -> None:
        about = None if found is None else (found[0].key, found[1])
        if about == self._offered:
            return
        offer = self.offer_of(*found) if found is not None else None
        if offer is None:
            self._end_offer()
        else:
            self._offered = about
            self.wishes.offer(with_place(offer, self.viewport(), cell))

    def _end_offer(self) -> None:
        if self._offered is not None:
            self._offered = None
            self.wishes.offer(None)

    def _on_chevron(self, index: QModelIndex, at: QPointF) -> bool:
        line = self.rows.item(index)
        folds = isinstance(line, RowGroup) or bool(self.rows.rowCount(index.siblingAtColumn(0)))
        if index.column() != Column.SEGMENT or not folds:
            return False
        cell = QRectF(self.visualRect(index))
        lead = CHEVRON_LEAD if isinstance(line, LayerRow) else ROW_CHEVRON_LEAD
        lead = GROUP_CHEVRON_LEAD if isinstance(line, RowGroup) else lead
        return placed(cell, lead - 8, CHEVRON + 12).contains(at)

    def _prioritise_key(self, key: RowKey, priority: int) -> None:
        row = self.rows.row(self.rows.index_of(key))
        if row is not None:
            self.prioritise(row, priority)

    def _emit(self, step: Step | None) -> None:
        if step is not None:
            self.wishes.do(step)
