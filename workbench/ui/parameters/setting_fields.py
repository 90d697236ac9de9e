"""Fields for settings that declare their own control, and the part with all settings of a chat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QWidget

from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.control import Setting, settings_of
from workbench.engine.intents import ChangeSettings
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.choice import Choice, NumberField, Switch
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import tip

UNSET_WIDTH = 190


class SettingField:
    """The widget that changes a setting: a switch, a choice of values, or a number.

    Attributes:
        widget: to be put into a layout. `changed` is called with the setting and its new value.
    """

    def __init__(self, setting: Setting, changed: Callable[[Setting, Any], None]) -> None:
        self.setting = setting
        self.widget: Switch | Choice | NumberField
        control = setting.control
        if setting.is_switch:
            switch = self.widget = Switch()
            switch.clicked.connect(lambda on: changed(setting, on))
        elif control.choices:
            options = tuple((value, tr(words)) for value, words in control.choices.items())
            choice = self.widget = Choice(options)
            choice.activated.connect(lambda _index: changed(setting, choice.chosen()))
        else:
            number = self.widget = NumberField(0, control.most, control.step)
            if setting.optional:
                number.setSpecialValueText(tr(control.unset))
                number.setMinimumWidth(UNSET_WIDTH)
            if control.percent:
                number.setSuffix(" %")
            number.valueChanged.connect(lambda n: changed(setting, self._value(n)))

    def show_value(self, value: Any) -> None:
        """Show a value without calling `changed`; a number being typed is left alone."""
        match self.widget:
            case Switch():
                self.widget.setChecked(value)
            case Choice():
                self.widget.choose(value)
            case NumberField() if not self.widget.hasFocus():
                with QSignalBlocker(self.widget):
                    self.widget.setValue(self.setting.shown(value) or 0)

    def _value(self, number: int) -> Any:
        return None if self.setting.optional and not number else self.setting.stored(number)


class SettingsPart(QWidget):
    """A part of a chat's settings that can be edited.

    Signals:
        wanted: the `ChangeSettings` to do.
    """

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._chat, self._settings = "", ContextSettings()

    def change(self, setting: Setting, value: object) -> None:
        self._want(setting.with_value(self._settings, value))

    def _want(self, settings: ContextSettings) -> None:
        before = self._settings
        if self._chat and settings != before:
            self._settings = settings
            self.wanted.emit(ChangeSettings(self._chat, settings, before))


class ChatSettings(SettingsPart):
    """A row for every setting that is declared to be one of a chat.

    Attributes:
        fields: the fields, by the name of their setting.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, SettingField] = {}
        column = rows(self, spacing=8)
        for setting in settings_of(ContextSettings):
            control = setting.control
            if control.in_chat is None:
                continue
            field = self.fields[setting.name] = SettingField(setting, self.change)
            title = tr(control.in_chat.label or control.label)
            hint = tr(control.in_chat.hint or control.hint)
            name = label(title, "ui", wrap=True)
            for widget in (name, field.widget):
                widget.setToolTip(tip(hint))
            field.widget.setAccessibleName(title)
            field.widget.setAccessibleDescription(hint)
            fill(columns(column, spacing=8), (name, 1), field.widget)

    def show_settings(self, chat: str, settings: ContextSettings, in_workspace: bool) -> None:
        """Show the settings of a chat; outside a workspace there are no other chats to recall from."""
        self._chat, self._settings = chat, settings
        for field in self.fields.values():
            field.show_value(field.setting.value(settings))
        enable_needed(self.fields)
        others = self.fields["history.recall_chats"].widget
        others.setEnabled(others.isEnabled() and in_workspace)


def enable_needed(fields: dict[str, SettingField]) -> None:
    """Enable each field whose effect depends on a switch only while that switch is on."""
    for field in fields.values():
        switch = fields[field.setting.control.needs].widget if field.setting.control.needs else None
        if isinstance(switch, Switch):
            field.widget.setEnabled(switch.isChecked())
