"""Suggested priorities: the card that offers them all, and the steps that accept them."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.attachment_view import Opinion, Relevance, Suggestion
from workbench.engine.state import ChatState
from workbench.engine.tuning_intents import (
    AskPriorities,
    AttachedChange,
    DismissSuggestions,
    OfferPriorities,
    TuneAttached,
)
from workbench.ui import formatting
from workbench.ui.look.space import S1, S2, S3, STRETCH, columns, fill, rows
from workbench.ui.steps import Step
from workbench.ui.translation import listed, tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.wishes import Wishes

LINE = 22


class SuggestedCard(QWidget):
    """Seen only while something is suggested, or asked of the model."""

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._relevance: Relevance | None = None
        self.title = ElidedLabel("", "ui_label")
        self.words = label("", "small", "t2", wrap=True)
        self.accept = on_click(button("", "primary", size="small"), self._on_accept)
        self.dismiss = on_click(button("", "ghost", size="small"), lambda: self._send(DismissSuggestions))
        self.ask = tool_button("chip", tr("Ask the model for priorities"), side=24)
        self.ask.clicked.connect(lambda: self._send(OfferPriorities))
        self._arrange()
        self.hide()

    def _arrange(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        # Words that are long are wrapped, and never make the column wider.
        self.words.setMinimumWidth(1)
        self.card = Card("accent", "accent_tint", dashed=True)
        rows(self, (S3, S1, S3, S3)).addWidget(self.card)
        down = rows(self.card, (10, 7, 10, 8), 2)
        fill(columns(down, spacing=6), IconSpot("bulb", "accent_text", 16, QSize(16, LINE)), (self.title, 1))
        fill(down, self.words, S1)
        fill(columns(down, spacing=S2), self.accept, self.dismiss, STRETCH, self.ask)

    def show_chat(self, chat: ChatState | None) -> bool:
        """Show what is suggested in a chat; return whether the card came, went, or is of another height."""
        self._chat = chat
        relevance = None if chat is None else chat.relevance
        if relevance is self._relevance:
            return False
        before, self._relevance = self.room(), relevance
        opinion = None if relevance is None else relevance.opinion
        if relevance is not None and opinion is not None and opinion.stage != "done":
            self._show_opinion(opinion)
        elif relevance is not None:
            self._show_suggestions(relevance)
        self.setVisible(self._is_wanted())
        return self.room() != before

    def room(self) -> int:
        """How high it is; nothing where it is not seen."""
        if not self._is_wanted():
            return 0
        width = self.width() or 252
        return self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height()

    def _is_wanted(self) -> bool:
        found = self._relevance
        asked = found is not None and found.opinion is not None and found.opinion.stage != "done"
        return found is not None and (found.open or asked)

    def _show_suggestions(self, relevance: Relevance) -> None:
        opinion = relevance.opinion
        of = tr("from your question") if opinion is None else tr("from {model}")
        count = len(relevance.suggestions)
        many = tr("1 change") if count == 1 else tr("{n} changes")
        words = listed((of, many)) if count else tr("nothing to change now")
        model = "" if opinion is None else shown(opinion.model, 40)
        self._say(tr("Priorities suggested"), words.format(model=model, n=count))
        self._offer(tr("Accept all") if count != 1 else tr("Accept"), tr("Dismiss"))
        self.accept.setEnabled(bool(count))
        self.ask.setVisible(opinion is None)

    def _show_opinion(self, opinion: Opinion) -> None:
        self.ask.hide()
        model = shown(opinion.model, 40)
        match opinion.stage:
            case "offered":
                cost = opinion.cost_usd
                price = tr("price unknown") if cost is None else formatting.usd(cost)
                words = tr("{n} tokens, {price}. Your question, names, sizes and outlines are sent.")
                self._say(
                    tr("Ask {model}?").format(model=model),
                    words.format(n=formatting.tokens(opinion.tokens), price=price),
                )
                self._offer(tr("Ask"), tr("Cancel"))
                self.accept.setEnabled(True)
            case "asking":
                self._say(tr("Asking for priorities"), tr("{model} is reading the list…").format(model=model))
                self._offer("", "")
            case _:
                self._say(tr("The model suggested nothing"), opinion.problem)
                self._offer("", tr("Dismiss"))

    def _say(self, title: str, words: str) -> None:
        set_text(self.title, title)
        set_text(self.words, words)
        self.card.setAccessibleName(f"{title}: {words}")

    def _offer(self, accept: str, dismiss: str) -> None:
        for made, words in ((self.accept, accept), (self.dismiss, dismiss)):
            made.setVisible(bool(words))
            if words:
                made.setText(words)

    def _on_accept(self) -> None:
        chat, found = self._chat, self._relevance
        if chat is None or found is None:
            return
        if found.opinion is not None and found.opinion.stage == "offered":
            self._send(AskPriorities)
        else:
            self.wishes.do(accepted(chat, found.suggestions))

    def _send(self, kind: type[AskPriorities | DismissSuggestions | OfferPriorities]) -> None:
        if self._chat is not None:
            self.wishes.send(kind(self._chat.chat.id))


def accepted(chat: ChatState, wanted: Iterable[Suggestion]) -> Step | None:
    """Take over suggested priorities, all in one step; taken back, they are suggested again."""
    held = {one.key: one for one in chat.conversation.attached}
    taken = [one for one in wanted if one.key in held and held[one.key].priority != one.wanted]
    if not taken:
        return None
    key = chat.chat.id
    do = tuple(AttachedChange(one.key, priority=one.wanted) for one in taken)
    undo = tuple(AttachedChange(one.key, priority=held[one.key].priority) for one in taken)
    title = tr("Accept {n} suggested priorities").format(n=len(taken))
    if len(taken) == 1:
        name = held[taken[0].key].title or held[taken[0].key].name_for_model
        title = tr("Accept priority {n} for {what}").format(n=taken[0].wanted, what=name)
    return Step(
        key, title, (TuneAttached(key, do, suggested=True),), (TuneAttached(key, undo, suggested=True),)
    )


def fit_question(chat: ChatState, keys: Iterable[str], wanted: bool) -> Step | None:
    """Send attachments as their outline and what fits the question, or as they are again."""
    asked = frozenset(keys)
    turned = [one for one in chat.conversation.attached if one.key in asked and one.by_relevance != wanted]
    if not turned:
        return None
    key = chat.chat.id
    what = turned[0].title or turned[0].name_for_model
    if len(turned) > 1:
        what = tr("{n} attachments").format(n=len(turned))
    words = tr("Send {what} by relevance") if wanted else tr("Send {what} whole again")
    do = TuneAttached(key, tuple(AttachedChange(one.key, by_relevance=wanted) for one in turned))
    undo = TuneAttached(key, tuple(AttachedChange(one.key, by_relevance=not wanted) for one in turned))
    return Step(key, words.format(what=what), (do,), (undo,))
