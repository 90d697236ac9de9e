"""The card with the chart of cached shares: what the layout spared, and the choice of another."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt

from workbench.domain.models.learnt import ModelLearnt
from workbench.domain.settings.preferences import Layout
from workbench.domain.shown.shares_view import LayoutShares
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.inspector.turns.columns import layout_word, model_name
from workbench.ui.inspector.turns.share_chart import ShareChart
from workbench.ui.inspector.turns.shares_layout import turn_marks
from workbench.ui.inspector.turns.shares_words import saving_words, waiting_words, why_none
from workbench.ui.look.fonts import font
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.steps import apply_settings
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Choice
from workbench.ui.widgets.labels import IconSpot, label, set_text
from workbench.ui.wishes import Wishes

LAYOUTS: tuple[Layout, ...] = ("auto", "append_only", "layered")


class SharesCard(Card):
    """The chart, what the layout spares, and the choice of another one."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__()
        self.wishes = wishes
        self._chat: ChatState | None = None
        self._shown: tuple[object, ...] = ()
        self.title = label(self.tr("Cached share per turn, %"), "ui_heading")
        self.waiting = label("", "small", "t3")
        self.named = label(self.tr("Layout"), "small", "t3")
        self.choice = Choice(tuple((each, layout_word(each)) for each in LAYOUTS))
        self.choice.setAccessibleName(self.tr("Layout"))
        self.named.setBuddy(self.choice)
        self.icon = IconSpot("check", "ok")
        self.lead = label("", "small")
        self.lead.setFont(font("small", 600))
        self.rest = label("", "small", "t2", wrap=True)
        self.none = label("", "small", "t3", wrap=True)
        self.accuracy = label("", "small", "t3", wrap=True)
        self.accuracy.setVisible(False)
        self.chart = ShareChart()
        self._place()
        self.choice.activated.connect(self._on_choice)

    def _place(self) -> None:
        down = rows(self, (14, 8, 14, 10), 4)
        fill(columns(down, spacing=8), self.title, self.waiting, STRETCH, self.named, self.choice)
        line = columns(down, spacing=6)
        line.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.lead, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.rest, 1, Qt.AlignmentFlag.AlignTop)
        fill(down, self.none, self.chart, self.accuracy)

    def show_chat(self, chat: ChatState, learnt: ModelLearnt | None = None) -> None:
        self._chat = chat
        self._show_accuracy(chat.chat.settings.model, learnt)
        layout = chat.chat.settings.layout
        self.choice.choose(layout)
        shown = (chat.shares, chat.turns, layout, chat.chat.settings.model)
        if len(shown) == len(self._shown) and all(a is b for a, b in zip(shown, self._shown, strict=True)):
            return
        self._shown = shown
        none = why_none(chat.shares, chat.chat.settings.model)
        set_text(self.none, none)
        self.none.setVisible(bool(none))
        self.chart.setVisible(not none)
        set_text(self.waiting, waiting_words(chat.shares))
        shares = chat.shares or LayoutShares()
        self._say(shares, layout, bool(none))
        if not none:
            self.chart.show_shares(shares, turn_marks(chat.turns))

    def _show_accuracy(self, model: str, learnt: ModelLearnt | None) -> None:
        there = learnt is not None and learnt.judged > 0
        self.accuracy.setVisible(there)
        if learnt is not None and there:
            told = formatting.accuracy(learnt.within, learnt.judged)
            words = self.tr("Forecasts of {model}: {told} of the request.")
            set_text(self.accuracy, words.format(model=model_name(model), told=told))

    def _say(self, shares: LayoutShares, layout: Layout, none: bool) -> None:
        words = saving_words(shares, layout)
        there = bool(words.lead) and not none
        for widget in (self.icon, self.lead, self.rest):
            widget.setVisible(there)
        self.icon.show_icon(*(("check", "ok") if words.good else ("info", "t3")))
        set_text(self.lead, words.lead)
        set_text(self.rest, words.rest)

    def _on_choice(self) -> None:
        wanted = next((each for each in LAYOUTS if each == self.choice.chosen()), None)
        if self._chat is None or wanted is None:
            return
        title = self.tr("Layout: {name}").format(name=layout_word(wanted))
        settings = replace(self._chat.chat.settings, layout=wanted)
        self.wishes.do(apply_settings(self._chat, settings, title))
