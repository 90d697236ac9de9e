"""The popup of a chat's parameters: parameters, longest reply, recall, and buttons for presets and defaults."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.parameters import TAKES_ALL, ParameterRules
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.control import settings_of
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.parameters.editor import ParametersEditor
from workbench.ui.parameters.setting_fields import ChatSettings, SettingField, SettingsPart
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.floating import Popup
from workbench.ui.widgets.labels import ElidedLabel, label
from workbench.ui.widgets.plain import shown
from workbench.ui.wishes import OpenSettings, Wishes

WIDTH = 380


def rules_of(state: WorkbenchState, chat: ChatState | None, model: str) -> ParameterRules:
    """The parameters that a model takes: from a request built for it, else from the list of models."""
    trial = None if chat is None or chat.trial is None else chat.trial.view
    for view in (trial, None if chat is None else chat.view):
        if view is not None and view.model == model:
            return view.takes
    cards = (one.card for one in state.models or () if one.name == model)
    return next((card.parameters for card in cards if card is not None), TAKES_ALL)


class ChatParameters(SettingsPart):
    """The parameters of a chat, and the longest reply."""

    def __init__(self) -> None:
        super().__init__()
        self.editor = ParametersEditor()
        self.editor.changed.connect(lambda wanted: self._want(replace(self._settings, parameters=wanted)))
        reserve = next(one for one in settings_of(ContextSettings) if one.name == "reserved_output_tokens")
        self.reserve = SettingField(reserve, self.change)
        self.reserve.widget.setAccessibleName(tr("Reply at most, in tokens"))
        column = rows(self, spacing=10)
        column.addWidget(self.editor)
        fill(columns(column, spacing=8), (label(tr("Reply at most"), "ui"), 1), self.reserve.widget)

    def show_settings(self, chat: str, settings: ContextSettings, rules: ParameterRules) -> None:
        if chat != self._chat:
            self.editor.end_edit()
        self._chat, self._settings = chat, settings
        self.editor.show_parameters(settings.parameters, rules)
        self.reserve.show_value(settings.reserved_output_tokens)


class ParametersPopup(Popup):
    """The parameters of the current chat.

    Signals:
        wanted: the `ChangeSettings` to do.
    """

    wanted = Signal(object)

    def __init__(self, wishes: Wishes | None, parent: QWidget) -> None:
        super().__init__(parent, (14, 12, 14, 12))
        self.wishes = wishes or Wishes(self)
        self.setFixedWidth(WIDTH + 48)
        self.body.setSpacing(10)
        self.body.addWidget(label(tr("Parameters of this chat"), "ui_heading"))
        self.model = ElidedLabel("", "small", "t3")
        self.body.addWidget(self.model)
        self.parts = ChatParameters()
        self.parts.wanted.connect(self.wanted)
        self.parts.editor.resized.connect(self.fit_soon)
        self.recall = ChatSettings()
        self.recall.wanted.connect(self.wanted)
        fill(self.body, self.parts, label(tr("Recall"), "ui_heading"), self.recall)
        foot = columns(self.body, (0, 4, 0, 0), 4)
        self.presets = on_click(
            button(tr("Presets…"), "ghost", icon="save", size="small"), self._open_presets
        )
        self.defaults = button(tr("Defaults of new chats…"), "ghost", icon="gear", size="small")
        self.defaults.clicked.connect(self._open_defaults)
        fill(foot, self.presets, STRETCH, self.defaults)

    def show_state(self, state: WorkbenchState, chat: ChatState) -> None:
        settings = chat.chat.settings
        self.model.setText(tr("Sent to {model}, only where set.").format(model=shown(settings.model)))
        self.parts.show_settings(chat.chat.id, settings, rules_of(state, chat, settings.model))
        self.recall.show_settings(chat.chat.id, settings, bool(chat.chat.filed.workspace))

    def showEvent(self, event: QShowEvent) -> None:
        """Resize once shown: only then it is known how many rows the chips take."""
        super().showEvent(event)
        self.fit()

    def _open_presets(self) -> None:
        self.close()
        self.wishes.run("presets")

    def _open_defaults(self) -> None:
        self.close()
        self.wishes.run(OpenSettings("context"))
