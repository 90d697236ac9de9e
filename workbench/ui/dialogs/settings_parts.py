"""Base class and building blocks of the settings pages: headings, cards, and rows with a control at their end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QLayout, QScrollArea, QVBoxLayout, QWidget

from workbench.domain.secrets import KeyStatus
from workbench.domain.settings.app_preferences import Preferences
from workbench.engine.program_intents import ChangePreferences
from workbench.engine.state import WorkbenchState
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.widgets.card import Card, Panel
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.stack import transparent
from workbench.ui.wishes import Wishes


class Page(QScrollArea):
    """One page: a title, a line about it, and what can be set."""

    def __init__(self, title: str, line: str, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._preferences = Preferences()
        self.setWidgetResizable(True)
        self.setAccessibleName(title)
        self.words = f"{title} {line}"
        content = transparent()
        self.column: QVBoxLayout = rows(content, (24, 16, 24, 24), 12)
        self.top = columns(self.column, spacing=12)
        fill(rows(self.top, spacing=2), label(title, "figure2"), label(line, "small", "t3", wrap=True))
        self.top.setStretch(0, 1)
        self.setWidget(content)

    def show_state(self, state: WorkbenchState) -> None:
        """Show the current settings; does nothing on pages without any."""

    def show_keys(self, status: KeyStatus) -> None:
        """Show what opens the store; does nothing on pages that do not tell it."""

    def add_heading(self, words: str) -> None:
        self.words += f" {words}"
        fill(self.column, 4, label(words, "ui_heading"))

    def add_card(self, *lines: QWidget) -> Card:
        card = Card()
        for line in lines:
            if isinstance(line, SettingRow):
                self.words += f" {line.words}"
            card.add_row(line)
        self.column.addWidget(card)
        return card

    def end(self) -> None:
        self.column.addStretch(1)

    def _save(self, **changes: Any) -> None:
        before, self._preferences = self._preferences, replace(self._preferences, **changes)
        if self._preferences != before:
            self.wishes.send(ChangePreferences(self._preferences, before))


class SettingRow(Panel):
    """A row of settings: a title, what it does, and its control."""

    def __init__(self, title: str, line: str, control: QWidget) -> None:
        super().__init__()
        self.words = f"{title} {line}"
        control.setAccessibleName(title)
        control.setAccessibleDescription(line)
        self.control = control
        across = columns(self, (16, 10, 16, 10), 16)
        names = rows(across, spacing=1)
        self.line = label(line, "small", "t3", wrap=True)
        names.addWidget(label(title, "ui_label", wrap=True))
        if line:
            names.addWidget(self.line)
        across.setStretch(0, 1)
        across.addWidget(control)


def clear(layout: QLayout) -> None:
    """Remove everything from a layout and delete its widgets."""
    while layout.count():
        item = layout.takeAt(0)
        # Qt gives None for either of them, whatever its stub says.
        inner: QLayout | None = item.layout()
        widget: QWidget | None = item.widget()
        if inner is not None:
            clear(inner)
        if widget is not None:
            widget.deleteLater()
