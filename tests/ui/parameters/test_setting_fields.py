"""What comes back is set by switches, each a change of the chat's settings."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from workbench.domain.settings.context_settings import ContextSettings, HistorySettings
from workbench.engine.intents import ChangeSettings
from workbench.ui.parameters.setting_fields import ChatSettings
from workbench.ui.widgets.choice import NumberField, Switch

ON = ContextSettings(history=HistorySettings(recall=True))


def test_each_control_changes_its_own_setting(qtbot: QtBot):
    parts = ChatSettings()
    qtbot.addWidget(parts)
    told: list[ChangeSettings] = []
    parts.wanted.connect(told.append)
    parts.show_settings("chat", ON, in_workspace=True)
    assert told == []
    for name in ("history.recall_chats", "sections.by_relevance", "history.recall", "include_memory"):
        switch = parts.fields[name].widget
        assert isinstance(switch, Switch)
        switch.click()
    room = parts.fields["history.recall_tokens"].widget
    assert isinstance(room, NumberField)
    room.setValue(2_000)
    last = told[-1].settings
    assert last.history == HistorySettings(recall=False, recall_tokens=2_000, recall_chats=True)
    assert last.sections.by_relevance
    assert not last.filters.include_memory
    assert [one.chat for one in told] == ["chat"] * 5


def test_what_would_do_nothing_cannot_be_set(qtbot: QtBot):
    parts = ChatSettings()
    qtbot.addWidget(parts)
    parts.show_settings("chat", ON, in_workspace=False)
    assert not parts.fields["history.recall_chats"].widget.isEnabled()
    assert parts.fields["history.recall_tokens"].widget.isEnabled()
    parts.show_settings("chat", replace(ON, history=HistorySettings()), in_workspace=True)
    assert not parts.fields["history.recall_chats"].widget.isEnabled()
    assert not parts.fields["history.recall_tokens"].widget.isEnabled()
