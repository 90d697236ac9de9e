"""What comes back is set by switches, each a change of the chat's settings."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from workbench.domain.settings.preferences import ContextSettings, HistorySettings
from workbench.engine.intents import ChangeSettings
from workbench.ui.parameters.recalling import RecallSettings

ON = ContextSettings(history=HistorySettings(recall=True))


def test_each_control_changes_its_own_setting(qtbot: QtBot):
    parts = RecallSettings()
    qtbot.addWidget(parts)
    told: list[ChangeSettings] = []
    parts.wanted.connect(told.append)
    parts.show_settings("chat", ON, in_workspace=True)
    assert told == []
    parts.chats.click()
    parts.room.setValue(2_000)
    parts.sections.click()
    parts.recall.click()
    parts.memory.click()
    last = told[-1].settings
    assert last.history == HistorySettings(recall=False, recall_tokens=2_000, recall_chats=True)
    assert last.sections.by_relevance
    assert not last.filters.include_memory
    assert [one.chat for one in told] == ["chat"] * 5


def test_what_would_do_nothing_cannot_be_set(qtbot: QtBot):
    parts = RecallSettings()
    qtbot.addWidget(parts)
    parts.show_settings("chat", ON, in_workspace=False)
    assert not parts.chats.isEnabled()
    assert parts.room.isEnabled()
    parts.show_settings("chat", replace(ON, history=HistorySettings()), in_workspace=True)
    assert not parts.chats.isEnabled()
    assert not parts.room.isEnabled()
