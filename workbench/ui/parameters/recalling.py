"""Where context comes from, as it is set for a chat: what was cut, other chats, sections, what is remembered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.domain.settings.preferences import ContextSettings
from workbench.engine.intents import ChangeSettings
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.translation import translator
from workbench.ui.widgets.choice import NumberField, Switch
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import tip

_tr = translator("RecallSettings")

MOST_ROOM, ROOM_STEP = 200_000, 250


class SettingsPart(QWidget):
    """A part of a chat's settings, by its id, whichever chat that is.

    Signals:
        wanted: the `ChangeSettings` that somebody wants.
    """

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._chat, self._settings = "", ContextSettings()

    def _want(self, settings: ContextSettings) -> None:
        before = self._settings
        if self._chat and settings != before:
            self._settings = settings
            self.wanted.emit(ChangeSettings(self._chat, settings, before))


class RecallSettings(SettingsPart):
    """Switches and the room for what comes back."""

    def __init__(self) -> None:
        super().__init__()
        self.recall, self.chats, self.sections, self.memory = Switch(), Switch(), Switch(), Switch()
        self.room = room_field()
        column = rows(self, spacing=8)
        for words, about, control in (
            (
                _tr("Recall trimmed messages"),
                _tr("Messages that match the question are quoted."),
                self.recall,
            ),
            (
                _tr("Room for it, in tokens"),
                _tr("Share of the request for everything recalled."),
                self.room,
            ),
            (
                _tr("Also from other chats of this workspace"),
                _tr("Only in a workspace; archived chats count. A quote says in which chat it was said."),
                self.chats,
            ),
            (
                _tr("Sections of files by relevance"),
                _tr("For a file that doesn’t fit, sends the sections that match the question."),
                self.sections,
            ),
            (
                _tr("What is remembered"),
                _tr("The facts of the workspace and those for all chats, in the instructions."),
                self.memory,
            ),
        ):
            self._add(column, words, about, control)
        self.recall.clicked.connect(lambda on: self._set_history(recall=on))
        self.chats.clicked.connect(lambda on: self._set_history(recall_chats=on))
        self.room.valueChanged.connect(lambda tokens: self._set_history(recall_tokens=tokens or None))
        self.sections.clicked.connect(self._set_sections)
        self.memory.clicked.connect(self._set_memory)

    def show_settings(self, chat: str, settings: ContextSettings, in_workspace: bool) -> None:
        """Show what is set for a chat; in no workspace there are no other chats to recall from."""
        self._chat, self._settings = chat, settings
        history = settings.history
        self.recall.setChecked(history.recall)
        self.chats.setChecked(history.recall_chats)
        self.sections.setChecked(settings.sections.by_relevance)
        self.memory.setChecked(settings.filters.include_memory)
        self.room.setEnabled(history.recall)
        self.chats.setEnabled(history.recall and in_workspace)
        if not self.room.hasFocus():
            with QSignalBlocker(self.room):
                self.room.setValue(history.recall_tokens or 0)

    def _add(self, column: QVBoxLayout, words: str, about: str, control: QWidget) -> None:
        line = columns(column, spacing=8)
        name = label(words, "ui", wrap=True)
        for widget in (name, control):
            widget.setToolTip(tip(about))
        control.setAccessibleName(words)
        control.setAccessibleDescription(about)
        fill(line, (name, 1), control)

    def _set_history(self, **changed: Any) -> None:
        self._want(replace(self._settings, history=replace(self._settings.history, **changed)))

    def _set_sections(self, on: bool) -> None:
        self._want(replace(self._settings, sections=replace(self._settings.sections, by_relevance=on)))

    def _set_memory(self, on: bool) -> None:
        self._want(replace(self._settings, filters=replace(self._settings.filters, include_memory=on)))


def room_field() -> NumberField:
    """How many tokens may come back; the lowest value leaves it to the program."""
    field = NumberField(0, MOST_ROOM, ROOM_STEP)
    field.setSpecialValueText(_tr("automatic, up to 1,000"))
    field.setMinimumWidth(190)
    return field
