"""Answers under a comparison: what asking takes, the grid while it fills, and what is done with an answer."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from workbench.domain.experiment import Cell, Experiment, Plan
from workbench.domain.shown.experiment_view import ExperimentView
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.variant import AS_SENT, NEXT, Variant
from workbench.engine.program_intents import AskVariants, StopAsking
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import TakeAnswer
from workbench.ui import formatting
from workbench.ui.inspector.compare.answer_words import head_words
from workbench.ui.inspector.compare.answers import AnswersView
from workbench.ui.inspector.compare.ask_sheet import AskSheet
from workbench.ui.inspector.compare.columns import ColumnsView
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.model_button import model_name
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import TextField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import ElidedLabel, label
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.progress import ProgressLine
from workbench.ui.wishes import Wishes

_Looked = tuple[str, str, int]
"""The request that is looked at: its chat, its question (none for the next one), and its number."""
HEAD_HEIGHT, PROGRESS_WIDTH, READ_WIDTH, READ_HEIGHT = 44, 72, 640, 520


class AnswersSection(QWidget):
    """Stands under the columns of a sent turn, or of the next request, whose answers are kept when one is taken.

    Signals:
        begun: the grid begins to fill. more: variants that were asked under and have no column.
    """

    begun = Signal()
    more = Signal(object)

    def __init__(self, view: ColumnsView, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes
        self._state: WorkbenchState | None = None
        self._chat: ChatState | None = None
        self._turn: TurnRow | None = None
        self._variants: tuple[Variant, ...] = ()
        self._looked: _Looked = ("", "", 0)
        self._live: ExperimentView | None = None
        self._running = False
        self.found: Experiment | None = None
        self.sheet: AskSheet | None = None
        self.reader: Sheet | None = None
        self.title = label(self.tr("Answers"), "ui_heading")
        self.line = ElidedLabel("", "small", "t3")
        self.progress = ProgressLine()
        self.progress.setFixedWidth(PROGRESS_WIDTH)
        self.ask = on_click(button(self.tr("Ask…"), icon="send", size="small"), self.open_sheet)
        self.stop = on_click(button(self.tr("Stop"), icon="stop", size="small"), self._stop)
        self.others = on_click(button("", "link", size="small"), lambda: self.more.emit(self.missing()))
        self.others.setToolTip(tip(self.tr("Add the columns of the other variants that were asked.")))
        self.grid = AnswersView(view)
        self.grid.opened.connect(self.read)
        head = QWidget()
        head.setFixedHeight(HEAD_HEIGHT)
        fill(
            columns(head, spacing=8),
            self.title,
            (self.line, 1),
            self.others,
            self.progress,
            self.ask,
            self.stop,
        )
        fill(rows(self), head, self.grid, STRETCH)

    def show_state(
        self,
        state: WorkbenchState,
        chat: ChatState | None,
        turn: TurnRow | None,
        variants: tuple[Variant, ...],
    ) -> None:
        """Show the answers of the turn that is compared; None where the next request is."""
        self._state, self._chat, self._turn, self._variants = state, chat, turn, variants
        key = ("", "", 0)
        if chat is not None:
            # What was asked before the last turn was sent is about another request than the next one now.
            number = 0 if chat.view is None else chat.view.turn
            key = (chat.chat.id, "", number) if turn is None else (chat.chat.id, turn.question, turn.number)
        if key != self._looked:
            self._looked, self.found, self._live = key, None, None
            if chat is not None and turn is not None and not _is_about(state.experiment, key):
                self.wishes.send(AskVariants(chat.chat.id, turn.question, turn.reply, kept=True))
        live = state.experiment if _is_about(state.experiment, key) else None
        # While a price is worked out for the sheet, nothing is asked yet.
        if live is not None and live.stage != "offered" and (live.stage != "working" or live.requests):
            self._live = live
            self.found = live.found if live.found is not None else self.found
        if self.sheet is not None and live is not None and self.sheet.isVisible():
            self.sheet.show_price(live)
        self._show()

    def missing(self) -> tuple[Variant, ...]:
        """What was asked under and has no column."""
        there = {one.name for one in self._variants}
        return (
            () if self.found is None else tuple(one for one in self.found.variants if one.name not in there)
        )

    def cell(self) -> Cell | None:
        """The answer that is chosen, where there is one."""
        cell = self.grid.cell()
        return cell if cell is not None and cell.state == "complete" else None

    def open_sheet(self) -> None:
        """Say what is to be asked, and see what it takes."""
        if self._state is None or self._chat is None:
            return
        self.sheet = AskSheet(self._state, self._chat, self._variants, self.window())
        self.sheet.changed.connect(lambda plan: self._send(plan, offer=True))
        self.sheet.wanted.connect(self._send)
        self._send(Plan(self._variants), offer=True)
        self.sheet.open()

    def take(self) -> None:
        """Make a branch of the chosen answer, or send the question with it."""
        cell, chat, turn, live = self.cell(), self._chat, self._turn, self._live
        if cell is None or chat is None:
            return
        # As it was asked: the column of that name may say something else by now.
        known = (*(self.found.variants if self.found is not None else ()), *self._variants)
        variant = next((one for one in known if one.name == cell.variant), Variant(cell.variant))
        if turn is not None:
            self.wishes.send(TakeAnswer(chat.chat.id, turn.question, turn.reply, variant, cell))
        elif live is not None and live.unsent is not None:
            self.wishes.send(TakeAnswer(chat.chat.id, "", None, variant, cell, live))

    def read(self) -> None:
        """Show the chosen answer in full."""
        cell = self.cell()
        if cell is None:
            return
        title = f"{shown(cell.variant, 40)} · {model_name(cell.model)}"
        self.reader = Sheet(title, READ_WIDTH, READ_HEIGHT, self.window())
        text = TextField()
        text.setReadOnly(True)
        text.setPlainText(cell.answer)
        text.setAccessibleName(self.tr("Answer"))
        self.reader.body.addWidget(text, 1)
        fill(self.reader.foot, STRETCH, on_click(button(self.tr("Close")), self.reader.reject))
        self.reader.open()

    def _send(self, plan: Plan, offer: bool = False) -> None:
        chat, turn = self._chat, self._turn
        if chat is not None:
            asked = ("", None) if turn is None else (turn.question, turn.reply)
            self.wishes.send(AskVariants(chat.chat.id, *asked, plan, offer=offer))

    def _stop(self) -> None:
        self.wishes.send(StopAsking())

    def _show(self) -> None:
        sent, live = self._turn is not None, self._live
        running = live is not None and live.stage == "working" and bool(live.requests)
        written = sent or bool(self._draft().strip())
        words = head_words(live, self.found) if written or self.found else self._nothing_written()
        if not sent and live is not None and live.found is not None and live.words != self._draft():
            words = f"{words} · {self.tr('the question was changed since')}"
        if self._is_of_another_branch():
            words = f"{words} · {self.tr('asked on another branch, of another request than this')}"
        self.line.setText(words)
        self.progress.setVisible(running)
        if running and live is not None:
            self.progress.set_fraction(live.done / max(1, live.requests))
        self.stop.setVisible(running)
        more = len(self.missing())
        self.others.setVisible(bool(more) and not running)
        self.others.setText(
            formatting.counted(more, self.tr("Show 1 more column"), self.tr("Show {n} more columns"))
        )
        self.ask.setVisible(not running)
        self.ask.setEnabled(written)
        self.ask.setToolTip(
            tip(self.tr("Choose models and checks. You see the price before anything is asked."))
        )
        self.grid.setVisible(self.found is not None)
        self.grid.show_answers(self.found, AS_SENT if sent else NEXT, running=running)
        if running and self.found is not None and not self._running:
            self.begun.emit()
        self._running = running and self.found is not None

    def _is_of_another_branch(self) -> bool:
        """Whether the answers were given beside another answer than the one whose request stands above them."""
        turn, found = self._turn, self.found
        return turn is not None and found is not None and bool(found.reply) and found.reply != turn.reply

    def _draft(self) -> str:
        return "" if self._chat is None else self._chat.draft

    def _nothing_written(self) -> str:
        return self.tr("Write a question to ask it under every variant before you send it.")


def _is_about(view: ExperimentView | None, key: _Looked) -> bool:
    if view is None or (view.chat, view.question) != key[:2] or not key[0]:
        return False
    return bool(view.question) or view.found is None or view.found.turn == key[2]
