"""The popup "Send this once with": another model, preset or parameters for one message, tried out before sending."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import applied
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.look.space import columns, fill
from workbench.ui.model_button import model_names
from workbench.ui.parameters.editor import ParametersEditor
from workbench.ui.parameters.popup import rules_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Choice
from workbench.ui.widgets.floating import Popup
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown

WIDTH = 400


class OncePopup(Popup):
    """What is chosen here applies to the next message only; the inspector shows that request while it is open.

    Signals:
        tried: settings to show in the inspector; None ends that. sent: settings to send the message with.
    """

    tried = Signal(object)
    sent = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, (14, 12, 14, 12))
        self.setFixedWidth(WIDTH + 48)
        self.body.setSpacing(10)
        self._state, self._own = WorkbenchState(), ContextSettings()
        self._chat: ChatState | None = None
        self.settings = ContextSettings()
        self.model, self.preset, self.editor = Choice(), Choice(), ParametersEditor()
        self.body.addWidget(label(tr("Send this once with"), "ui_heading"))
        for words, control in ((tr("Model"), self.model), (tr("Preset"), self.preset)):
            control.setAccessibleName(words)
            control.setMaximumWidth(WIDTH - 80)
            fill(columns(self.body, spacing=8), (label(words, "ui"), 1), control)
        self.figures = label("", "small", "t2", wrap=True)
        fill(self.body, self.editor, self.figures)
        foot = columns(self.body, spacing=8)
        self.send = on_click(button(tr("Send once"), "primary", icon="send"), self._send)
        fill(foot, (label(tr("The chat keeps its own settings."), "small", "t3", wrap=True), 1), self.send)
        self.model.activated.connect(
            lambda _index: self._try(replace(self.settings, model=self.model.chosen()))
        )
        self.preset.activated.connect(lambda _index: self._apply_preset())
        self.editor.changed.connect(lambda wanted: self._try(replace(self.settings, parameters=wanted)))
        self.editor.resized.connect(self.fit_soon)

    def begin(self, state: WorkbenchState, chat: ChatState) -> None:
        self._own = self.settings = chat.chat.settings
        self.editor.end_edit()
        self._set_names(self.model, model_names(state, self._own.model))
        self._set_names(self.preset, ["", *state.presets])
        self.model.choose(self._own.model)
        self.preset.choose("")
        self.show_state(state, chat)

    def show_state(self, state: WorkbenchState, chat: ChatState) -> None:
        self._state, self._chat = state, chat
        self.editor.show_parameters(self.settings.parameters, rules_of(state, chat, self.settings.model))
        trial = chat.trial if chat.trial is not None and chat.trial.settings == self.settings else None
        view = chat.view if self.settings == self._own else None if trial is None else trial.view
        why = self._why_not(chat)
        if view is not None and view.over_tokens:
            why = tr("{tokens} over the limit of this model.").format(
                tokens=formatting.token_words(view.over_tokens)
            )
        elif view is None:
            why = why or tr("The request is being counted.")
        words = "" if view is None else formatting.token_words(view.total_tokens)
        if trial is not None and trial.lost_tokens:
            lost = formatting.tokens(trial.lost_tokens)
            words += tr("; {n} of them would have come from the cache").format(n=lost)
        set_text(self.figures, "\n".join(one for one in (words, why) if one))
        self.send.setEnabled(not why)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.tried.emit(None)

    def _why_not(self, chat: ChatState) -> str:
        if chat.running is not None:
            return tr("An answer is still arriving.")
        return "" if chat.draft.strip() else tr("Write a message first.")

    def _set_names(self, choice: Choice, names: list[str]) -> None:
        choice.clear()
        for name in names:
            choice.addItem(shown(name, 48) if name else tr("none"), name)

    def _apply_preset(self) -> None:
        preset = self._state.presets.get(self.preset.chosen())
        wanted = self._own if preset is None else applied(preset, self._own)
        if self.model.findData(wanted.model) < 0:
            self.model.addItem(shown(wanted.model, 48), wanted.model)
        self.model.choose(wanted.model)
        self._try(wanted)

    def _try(self, settings: ContextSettings) -> None:
        self.settings = settings
        self.tried.emit(None if settings == self._own else settings)
        if self._chat is not None:
            self.show_state(self._state, self._chat)

    def _send(self) -> None:
        wanted = self.settings
        self.close()
        self.sent.emit(wanted)

    def showEvent(self, event: QShowEvent) -> None:
        """Resize once shown: only then it is known how many rows the chips take."""
        super().showEvent(event)
        self.fit()

    def fit(self) -> None:
        """Resize upwards, so that the popup stays above the Send button."""
        bottom = self.geometry().bottom()
        super().fit()
        self.move(self.x(), bottom - self.height() + 1)
