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
from workbench.ui.translation import translator
from workbench.ui.widgets.plain import shown

if TYPE_CHECKING:  # the bus is loaded when there is something to notify of
    from workbench.ui.window.desktop import Desktop
    from workbench.ui.window.session import Session

_tr = translator("Notifications")
SILENT_PLATFORMS = ("offscreen", "minimal")
"""Where windows are drawn for nobody, nobody is told either."""


class Notifier(QObject):
    """Notifies of answers and approvals in a session's chats while none of its windows is active."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.desktop: Desktop | None = None
        session.window.returned.connect(self._withdraw)

    def take(self, event: Event, state: WorkbenchState) -> None:
        """Notify of an event, where that is wanted."""
        if not isinstance(event, TurnEnded | ToolAsked) or not state.preferences.notify:
            return
        words = _tr("Needs your approval") if isinstance(event, ToolAsked) else ended_words(event.outcome)
        title = self._title(event.chat, state)
        if not (words and title) or QApplication.activeWindow() is not None:
            return
        if self.desktop is None and QGuiApplication.platformName() not in SILENT_PLATFORMS:
            from workbench.ui.window.desktop import Desktop

            self.desktop = Desktop(self)
            self.desktop.clicked.connect(self.open)
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
        if self._session.window.is_covered():
            return QApplication.applicationDisplayName()
        if chat.filed.temporary:
            return _tr("Temporary chat")  # a desktop may keep what it was told
        return shown(chat.title) if chat.title else _tr("New chat")

    def _withdraw(self) -> None:
        if self.desktop is not None:
            self.desktop.withdraw()

    def open(self, chat: str) -> None:
        """Open the chat whose notification was clicked."""
        self._session.window.come_to_front()
        self._session.when_open(lambda: self._session.open_chat(chat))


def ended_words(outcome: TurnOutcome) -> str:
    """How a turn ended, and what it took; empty where the person stopped it. Nothing of what it says."""
    if outcome.state == "stopped":
        return ""
    if outcome.state != "complete":
        return _tr("The answer failed")
    tokens, cost, took = outcome.usage.completion_tokens, outcome.cost, outcome.timings.total_ms
    figures = (
        formatting.token_words(tokens) if tokens else "",
        formatting.usd(cost.usd) if cost is not None and cost.usd else "",
        formatting.seconds(took) if took else "",
    )
    told = ", ".join(filter(None, figures))
    return _tr("The answer is ready: {figures}").format(figures=told) if told else _tr("The answer is ready")
