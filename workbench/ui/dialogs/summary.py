"""The dialog of a summary before it is applied: its turns and writer, its cost, both texts, and its check."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QWidget

from workbench.domain.shown.envelope_view import PriceTag
from workbench.domain.shown.summary_view import SummaryView
from workbench.domain.summary import OUTLINE, SummaryWish
from workbench.ui import formatting
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.model_button import model_name, short_name
from workbench.ui.price_words import price_line
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Choice, NumberField, TextField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text, set_token
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.progress import ProgressRow

WIDTH, HEIGHT = 880, 640
BUILTIN = "builtin"


class SummarySheet(Sheet):
    """Shows a `SummaryView`; nothing changes until `applied` is emitted.

    Signals:
        offered: the wish to price; made: the wish to carry out. stopped: the work is to be cancelled.
        applied: the summary is to be used from now on.
    """

    offered = Signal(object)
    made = Signal(object)
    stopped = Signal()
    applied = Signal()

    def __init__(self, wish: SummaryWish, model: str, parent: QWidget | None = None) -> None:
        title = tr("Summarise an attachment") if wish.artifact else tr("Summarise earlier turns")
        super().__init__(title, WIDTH, HEIGHT, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._wish = wish
        self._view: SummaryView | None = None
        self._build_choices(model)
        self._build_texts()
        self.progress = ProgressRow("compact", tr("Writing the summary"))
        self.progress.cancelled.connect(self.stopped)
        self.check = label("", "ui", "t2", wrap=True)
        self.price = label("", "small", "t2", wrap=True)
        fill(self.body, self.progress, self.check, self.price)
        self._build_foot()
        self._show_stage()

    def _build_choices(self, model: str) -> None:
        across = columns(self.body, spacing=8)
        self.first, self.last = NumberField(1, 1), NumberField(1, 1)
        self.first.setAccessibleName(tr("First turn"))
        self.last.setAccessibleName(tr("Last turn"))
        if not self._wish.artifact:
            for words, field in ((tr("Turns"), self.first), (tr("to"), self.last)):
                fill(across, label(words, "ui", "t2"), field)
                field.valueChanged.connect(self._update_wish)
            across.addSpacing(12)
        options = [
            (model, short_name(model)),
            *([(BUILTIN, short_name(BUILTIN))] if model != BUILTIN else []),
        ]
        if not self._wish.artifact:
            options.insert(0, (OUTLINE, tr("extract, no model")))
        self.writer = Choice(tuple(options))
        self.writer.setAccessibleName(tr("Writer"))
        self.writer.currentIndexChanged.connect(self._update_wish)
        fill(across, label(tr("written by"), "ui", "t2"), self.writer, STRETCH)
        self.cost = label("", "small", "t3", wrap=True)
        self.body.addWidget(self.cost)
        self._wish = replace(self._wish, by=self.writer.chosen())

    def _build_texts(self) -> None:
        across = columns(self.body, spacing=12)
        self.before_head, self.before = self._text(across, tr("Original"))
        self.after_head, self.after = self._text(across, tr("Summary"))

    def _text(self, across: QHBoxLayout, name: str) -> tuple[QLabel, QPlainTextEdit]:
        down = rows(across, spacing=6)
        head, text = label(name, "ui_label", "t2"), TextField()
        text.setReadOnly(True)
        text.setAccessibleName(name)
        fill(down, head, (text, 1))
        across.setStretchFactor(down, 1)
        return head, text

    def _build_foot(self) -> None:
        self.foot.addWidget(
            label(tr("The original is kept. You can undo this at any time."), "small", "t3"), 1
        )
        self.discard = on_click(button(tr("Discard"), "ghost", "", "Esc"), self.reject)
        self.write = button(tr("Write summary"), "secondary", "edit")
        self.write.clicked.connect(lambda: self.made.emit(self._wish))
        self.apply = on_click(button(tr("Apply"), "primary", "check", "Ctrl+↵"), self._apply)
        for widget in (self.discard, self.write, self.apply):
            self.foot.addWidget(widget)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self._apply)

    def wish(self) -> SummaryWish:
        return self._wish

    def begin(self) -> None:
        """Ask for the price of what is chosen; a summary without a model costs nothing and is made at once."""
        (self.made if self._wish.by == OUTLINE else self.offered).emit(self._wish)

    def show_view(self, view: SummaryView | None, tag: PriceTag | None) -> None:
        """Show the progress of the summary; a view for another wish is ignored."""
        if view is None or view.wish != self._wish:
            return
        self._view = view
        self._show_turns(view)
        self._show_texts(view)
        self._show_words(view)
        priced = price_line(tag) if tag is not None and view.stage == "ready" else None
        set_text(self.price, "" if priced is None else tr("Applied: {price}").format(price=priced.words))
        self._show_stage()

    def _show_turns(self, view: SummaryView) -> None:
        if not view.most_turn:
            return
        for field, value in ((self.first, view.first_turn), (self.last, view.last_turn)):
            field.blockSignals(True)
            field.setMaximum(view.most_turn)
            field.setValue(value)
            field.updateGeometry()
            field.blockSignals(False)

    def _show_texts(self, view: SummaryView) -> None:
        heads = (
            (self.before_head, _capitalised(shown(view.what, 60)), view.original_tokens),
            (self.after_head, tr("In short"), view.text_tokens),
        )
        for head, words, tokens in heads:
            figure = tr("{what}: {tokens}").format(what=words, tokens=formatting.token_words(tokens))
            set_text(head, figure if tokens else words)
        for field, text in ((self.before, view.original), (self.after, view.text)):
            if field.toPlainText() != text:
                field.setPlainText(text)

    def _show_words(self, view: SummaryView) -> None:
        set_text(self.cost, _cost_words(view))
        words, token = _check_words(view)
        set_text(self.check, words)
        set_token(self.check, token)
        if view.stage == "working":
            done = (view.part - 1) / view.parts if view.part and view.parts > 1 else None
            amount = tr("part {a} of {b}").format(a=view.part, b=view.parts) if view.parts > 1 else ""
            self.progress.show_progress(done, amount)

    def _show_stage(self) -> None:
        stage = self._view.stage if self._view is not None else ""
        by_model = self._wish.by != OUTLINE
        self.progress.setVisible(stage == "working")
        self.check.setVisible(bool(self.check.text()) and stage != "working")
        self.price.setVisible(bool(self.price.text()))
        self.write.setVisible(by_model)
        self.write.setEnabled(stage in ("offered", "ready", "refused"))
        again = stage in ("ready", "refused")
        self.write.setText(tr("Write again") if again else tr("Write summary"))
        self.apply.setEnabled(stage == "ready")

    def _update_wish(self) -> None:
        turns = (
            (0, 0) if self._wish.artifact else (min(self.first.value(), self.last.value()), self.last.value())
        )
        known = self._view is not None and self._view.most_turn
        first, last = turns if known else (self._wish.first_turn, self._wish.last_turn)
        self._wish = replace(self._wish, by=self.writer.chosen(), first_turn=first, last_turn=last)
        self.begin()

    def _apply(self) -> None:
        if self.apply.isEnabled():
            self.applied.emit()
            self.accept()


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def _cost_words(view: SummaryView) -> str:
    if not view.model:
        return tr("Uses the chat’s own sentences. No model, no cost.")
    if not view.ask_tokens:
        return ""
    cost = "" if view.cost_usd is None else formatting.usd(view.cost_usd, about=True)
    requests = tr("1 request") if view.parts == 1 else tr("{n} requests").format(n=view.parts)
    words = tr(
        "{model} reads {n} tokens in {requests}{price}, and writes its answers; twice that if it has to try again."
    )
    price = f", {cost}" if cost else ""
    return words.format(
        model=model_name(view.model),
        n=formatting.tokens(view.ask_tokens),
        requests=requests,
        price=price,
    )


def _check_words(view: SummaryView) -> tuple[str, str]:
    match view.stage:
        case "ready" if view.wish.artifact:
            return tr("Checked: no number, name, date or address in it is new."), "ok"
        case "ready":
            return tr(
                "Checked: every number, name, date and address you wrote is in it, and none is new."
            ), "ok"
        case "refused":
            return tr("Rejected, nothing was changed: {why}").format(why=view.problem), "err"
        case "failed":
            return view.problem, "err"
        case _:
            return "", "t2"
