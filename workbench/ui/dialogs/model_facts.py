"""The dialog that declares what a model can do if nothing else tells, and whether its server may count drafts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtWidgets import QWidget

from workbench.domain.model import ModelFacts, WindowFrom
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences
from workbench.engine.state import WorkbenchState
from workbench.ui.dialogs.settings_parts import SettingRow
from workbench.ui.formatting import tokens
from workbench.ui.look.space import STRETCH, columns, fill
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Choice, NumberField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.wishes import Wishes

LEAST_WINDOW, LARGEST_WINDOW = 256, 100_000_000
YES, NO, UNSAID = "yes", "no", ""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about a model.

    Attributes:
        preferences: contain what the user declared about it.
        window_tokens: the size of its window, if known; `assumed`: that this is a guess.
        window_from, largest_tokens: as in `ModelCard`.
    """

    model: str
    preferences: Preferences
    window_tokens: int | None = None
    assumed: bool = False
    window_from: WindowFrom = ""
    largest_tokens: int | None = None

    @property
    def said(self) -> ModelFacts:
        return self.preferences.models.get(self.model, ModelFacts())


def known_of(state: WorkbenchState, model: str) -> Known:
    """What is known about a model, from the next request of a chat that uses it or from the list of models."""
    preferences = state.preferences
    for chat in state.open.values():
        if (
            chat.view is not None
            and chat.chat.settings.model == model
            and not chat.chat.settings.context_window
        ):
            view = chat.view
            window = view.limit_tokens + view.reserve_tokens
            return Known(
                model, preferences, window, view.window_assumed, view.window_from, view.largest_window_tokens
            )
    for card in (one.card for one in state.models or () if one.name == model):
        if card is not None:
            assumed, source = card.window_assumed, card.window_from
            window, most = card.context_window_tokens, card.largest_window_tokens
            return Known(model, preferences, window, assumed, source, most)
    return Known(model, preferences)


class ModelFactsDialog(Sheet):
    """A few questions about a model, each of which may be left open."""

    def __init__(self, known: Known, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(tr("About {model}").format(model=shown(known.model, 60)), 560, parent=parent)
        self.wishes = wishes or Wishes(self)
        self._known = known
        said = known.said
        self.window_tokens = NumberField(0, LARGEST_WINDOW, 1024)
        self.window_tokens.setSpecialValueText(tr("not set"))
        self.window_tokens.setValue(said.context_window or 0)
        self.images, self.tools = _yes_no_choice(said.images), _yes_no_choice(said.tools)
        self.typing = _yes_no_choice(said.count_while_typing)
        self.lifetime = Choice(((UNSAID, tr("5 minutes")), ("1h", tr("1 hour"))))
        self.lifetime.choose("1h" if said.cache_lifetime == "1h" else UNSAID)
        self.body.addWidget(label(_window_words(known), "small", "t2", wrap=True))
        most = known.largest_tokens
        self.most = button(tr("Use all {n}").format(n=tokens(most or 0)), "link", size="small")
        on_click(self.most, lambda: self.window_tokens.setValue(most or 0))
        self.most.setVisible(most is not None)
        fill(columns(self.body), self.most, STRETCH)
        card = Card()
        for line in self._setting_rows():
            card.add_row(line)
        self.problem = label("", "small", "err", wrap=True)
        self.problem.hide()
        fill(self.body, card, self.problem, STRETCH)
        self._buttons(said != ModelFacts())

    def _setting_rows(self) -> tuple[SettingRow, ...]:
        window = SettingRow(
            tr("Window, in tokens"), tr("What it reads and answers together."), self.window_tokens
        )
        pictures = SettingRow(tr("Can see pictures"), tr("If not, pictures are left out."), self.images)
        tools = SettingRow(tr("Can use tools"), tr("If not, no tools are sent."), self.tools)
        typing = SettingRow(
            tr("Count while I type"),
            tr("A server on another computer then gets your draft before you send it, to count it exactly."),
            self.typing,
        )
        if self._known.model.partition(":")[0] != "anthropic":
            return (window, pictures, tools, typing)
        words = tr("An hour survives a pause, but writing to the cache then costs twice the input.")
        return (window, pictures, tools, typing, SettingRow(tr("Cache lifetime"), words, self.lifetime))

    def _buttons(self, declared: bool) -> None:
        self.forget = on_click(button(tr("Forget what was set"), "danger"), lambda: self._store(None))
        self.forget.setVisible(declared)
        cancel, self.keep = button(tr("Cancel")), button(tr("Save"), "primary")
        cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(self._save)
        self.keep.setDefault(True)
        fill(self.foot, self.forget, STRETCH, cancel, self.keep)

    def facts(self) -> ModelFacts:
        return ModelFacts(
            self.window_tokens.value() or None,
            _as_bool(self.images.chosen()),
            _as_bool(self.tools.chosen()),
            _as_bool(self.typing.chosen()),
            "1h" if self.lifetime.chosen() == "1h" else None,
        )

    def _save(self) -> None:
        self.window_tokens.interpretText()
        window = self.facts().context_window
        if window is not None and window < LEAST_WINDOW:
            words = tr("A window has at least {n} tokens. Nothing was saved yet.")
            set_text(self.problem, words.format(n=tokens(LEAST_WINDOW)))
            self.problem.show()
            self.window_tokens.setFocus()
            return
        self._store(self.facts())

    def _store(self, facts: ModelFacts | None) -> None:
        preferences, name = self._known.preferences, self._known.model
        models = {other: said for other, said in preferences.models.items() if other != name}
        if facts is not None and facts != ModelFacts():
            models[name] = facts
        if models != preferences.models:
            self.wishes.send(ChangePreferences(replace(preferences, models=models), preferences))
        self.accept()


def _yes_no_choice(said: bool | None) -> Choice:
    made = Choice(((UNSAID, tr("as known")), (YES, tr("yes")), (NO, tr("no"))))
    made.choose(UNSAID if said is None else YES if said else NO)
    return made


def _as_bool(chosen: str) -> bool | None:
    return None if chosen == UNSAID else chosen == YES


def _window_words(known: Known) -> str:
    if known.window_tokens is None:
        return tr("Nothing is known about it yet. What you set here applies everywhere.")
    words = tr("Its window has {n} tokens. What you set here overrides that.")
    if known.said.context_window is not None:
        words = tr("Its window of {n} tokens was set here.")
    elif known.assumed:
        words = tr(
            "The model’s window is unknown; {n} tokens are assumed. Set it if you know it. If it’s "
            "too large, the server may reject requests or ignore their start."
        )
    elif known.window_from == "modelfile":
        words = tr("Its window of {n} tokens is from its Modelfile. What you set here overrides that.")
    elif known.window_from == "default" and known.largest_tokens is not None:
        words = tr("Its window is {n} tokens by default; it supports {most}. A larger one needs more memory.")
    elif known.window_from == "default":
        words = tr("Its window is {n} tokens by default. A larger one needs more memory.")
    return words.format(n=tokens(known.window_tokens), most=tokens(known.largest_tokens or 0))
