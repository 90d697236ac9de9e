"""Notifies of answers that end or fail, and of approvals, while the program's windows are behind others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from workbench.domain.outcome import TurnOutcome
from workbench.engine.events import Event, ToolAsked, TurnEnded
from workbench.engine.state import WorkbenchState
from workbench.ui import formatting
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import shown

if TYPE_CHECKING:  # the bus is loaded when there is something to notify of
    from workbench.ui.window.desktop import Desktop
    from workbench.ui.window.windows import Windows

SILENT_PLATFORMS = ("offscreen", "minimal")
"""Where windows are drawn for nobody, nobody is told either."""


class Notifier(QObject):
    """Notifies of answers and approvals while none of the program's windows is active."""

    def __init__(self, windows: Windows) -> None:
        super().__init__(windows)
        self._windows = windows
        self.desktop: Desktop | None = None
        windows.returned.connect(self._withdraw)

    def take(self, event: Event, state: WorkbenchState) -> None:
        """Notify of an event, where that is wanted."""
        if not isinstance(event, TurnEnded | ToolAsked) or not state.preferences.notify:
            return
        words = tr("Needs your approval") if isinstance(event, ToolAsked) else ended_words(event.outcome)
        title = self._title(event.chat, state)
        if not (words and title) or QApplication.activeWindow() is not None:
            return
        if self.desktop is None and QGuiApplication.platformName() not in SILENT_PLATFORMS:
            from workbench.ui.window.desktop import Desktop

            self.desktop = Desktop(self)
            self.desktop.clicked.connect(self._windows.show_chat)
        if self.desktop is not None:
            self.desktop.notify(event.chat, title, words)

    def _title(self, key: str, state: WorkbenchState) -> str:
        """The chat's title; behind a locked window nothing of a chat, and of other programs' chats nothing at all."""
        opened = state.open.get(key)
        chat = (
            opened.chat if opened is not None else next((one for one in state.chats if one.id == key), None)
        )
        if chat is None or chat.filed.watched is not None:
            return ""
        if self._windows.covered:
            return QApplication.applicationDisplayName()
        if chat.filed.temporary:
            return tr("Temporary chat")  # a desktop may keep what it was told
        return shown(chat.title) if chat.title else tr("New chat")

    def _withdraw(self) -> None:
        if self.desktop is not None:
            self.desktop.withdraw()


def ended_words(outcome: TurnOutcome) -> str:
    """How a turn ended, and what it took; empty where the person stopped it. Nothing of what it says."""
    if outcome.state == "stopped":
        return ""
    if outcome.state != "complete":
        return tr("The answer failed")
    tokens, cost, took = outcome.usage.completion_tokens, outcome.cost, outcome.timings.total_ms
    figures = (
        formatting.token_words(tokens) if tokens else "",
        formatting.usd(cost.usd) if cost is not None and cost.usd else "",
        formatting.seconds(took) if took else "",
    )
    told = ", ".join(filter(None, figures))
    return tr("The answer is ready: {figures}").format(figures=told) if told else tr("The answer is ready")
