"""Where a request's parts stand, in one sentence, and the button that begins a log anew."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.envelope import WireLayout
from workbench.domain.models.learnt import CacheSeen, ModelLearnt
from workbench.domain.settings.preferences import Layout
from workbench.engine.state import ChatState
from workbench.ui import formatting, steps
from workbench.ui.inspector.rows.cause_words import cause_words
from workbench.ui.inspector.what_if.outcome_words import SentenceText
from workbench.ui.look.space import columns, fill
from workbench.ui.look.tones import tone_token
from workbench.ui.model_button import model_name
from workbench.ui.offers import Offer, Offering
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.labels import ElidedLabel, IconSpot, label, set_text, set_token
from workbench.ui.widgets.plain import shown
from workbench.ui.wishes import Wishes

_tr = translator("LayoutLine")
ICON, GAP = 14, 6


def layout_words(chosen: Layout, layout: WireLayout, model: str, seen: CacheSeen | None = None) -> str:
    """What the layout of a chat is, and why, where `auto` chose it; `seen` is what its cache was seen to do."""
    if layout == "append_only":
        if chosen == "auto":
            words = _tr("Append-only: keeps {model}’s cache; rebuilt when due or free.")
            return words.format(model=shown(model_name(model)))
        return _tr("Append-only: what was sent stays where it was sent; rebuilt when that is due or free.")
    if chosen == "auto" and seen is not None:
        return _tr("Layered: the cache rules of {model} aren’t known. {seen}").format(
            model=shown(model_name(model)), seen=seen_words(seen)
        )
    if chosen == "auto":
        words = _tr(
            "Layered: no prompt cache of {model} is known, so nothing is lost by keeping it in order."
        )
        return words.format(model=shown(model_name(model)))
    return _tr("Layered: Library comes before History; a change re-reads everything after it.")


def seen_words(seen: CacheSeen) -> str:
    """What a server's cache was seen to do: observed, and no rule."""
    last, whole = formatting.tokens(seen.last_tokens), formatting.tokens(seen.last_prompt_tokens)
    least = formatting.tokens(seen.least_tokens)
    if seen.step_tokens is None:
        words = _tr(
            "Forecasts go by what was observed: {n} of {all} tokens served last time, never fewer than {least}."
        )
        return words.format(n=last, all=whole, least=least)
    words = _tr(
        "Forecasts go by what was observed: {n} of {all} tokens served last time, in steps of {step}, never fewer than "
        "{least}."
    )
    return words.format(n=last, all=whole, least=least, step=formatting.tokens(seen.step_tokens))


class LayoutLine(QWidget):
    """The sentence, why this request is begun anew where it is, and Rebuild now."""

    def __init__(self, wishes: Wishes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wishes = wishes
        self._chat: ChatState | None = None
        self.words = ElidedLabel("", "small", "t2")
        self.rebuild = button(self.tr("Rebuild now"), "ghost", "refresh", size="small")
        self.rebuild.clicked.connect(self._on_rebuild)
        Offering(self.rebuild, self._offer, wishes.offer)
        fill(columns(self, spacing=8), (self.words, 1), self.rebuild)

    def show_chat(self, chat: ChatState | None, learnt: ModelLearnt | None = None) -> None:
        self._chat = chat
        view = chat.view if chat is not None else None
        self.setVisible(view is not None)
        if chat is None or view is None:
            return
        settings, seen = chat.chat.settings, None if learnt is None else learnt.seen
        words = layout_words(settings.layout, view.layout, settings.model, seen)
        if view.rebuilt is not None and view.rebuilt != "first":
            words = self.tr("{why}. {layout}").format(why=cause_words("rebuilt", view.rebuilt), layout=words)
        set_text(self.words, words)
        self.rebuild.setVisible(steps.can_rebuild(chat))
        wanted = chat.conversation.rebuild_wanted
        self.rebuild.setText(self.tr("Don’t rebuild") if wanted else self.tr("Rebuild now"))

    def _on_rebuild(self) -> None:
        if self._chat is not None:
            self._wishes.do(steps.rebuild(self._chat))

    def _offer(self) -> Offer | None:
        step = steps.rebuild(self._chat) if self._chat is not None else None
        if step is None:
            return None
        line = self.tr(
            "Rebuilds the request with the next question: moves files to Library, removes what is detached."
        )
        return Offer(step.title, step.do, line, self.tr("Ctrl+Shift+R"), "refresh")


class Sentence(QWidget):
    """An icon before a sentence; without one the sentence begins where the icon would."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = IconSpot("", "t3", ICON, QSize(ICON, 16))
        self._mark.hide()
        self.words = label("", "small", "t3", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
        row = columns(self, spacing=GAP)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.words, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    def say(self, said: SentenceText) -> None:
        set_text(self.words, said.words)
        token = "t3" if said.tone == "neutral" else tone_token(said.tone)
        set_token(self.words, token)
        self._mark.show_icon(said.icon, token)
        self.setAccessibleName(said.words)
