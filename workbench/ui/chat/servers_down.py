"""The notice that a server of tools failed: its tools are not in the next request, and the way to have them again."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent

from workbench.domain.mcp.server import McpListing
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.workspace_intents import StartServer
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.tools.values import workspace_of
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown
from workbench.ui.wishes import Wishes


class ServersDownCard(Card):
    """There while a server whose tools the chat has is down."""

    def __init__(self, wishes: Wishes) -> None:
        super().__init__("warn", "surface")
        self._wishes, self._workspace = wishes, ""
        self._down: tuple[McpListing, ...] = ()
        self.title = label("", "ui_label", wrap=True)
        self.words = label("", "small", "t2", wrap=True)
        self.again = button(self.tr("Start again"), size="small")
        self.again.clicked.connect(self._on_again)
        across = columns(self, (38, 8, 8, 8), 8)
        said = rows(across, spacing=2)
        across.setStretchFactor(said, 1)
        fill(said, self.title, self.words)
        across.addWidget(self.again)
        self.hide()

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        """Say which servers are down, once for each failure."""
        down = () if chat is None else servers_down(state, chat)
        self._workspace = "" if chat is None else chat.chat.filed.workspace
        if down == self._down:
            return
        self._down = down
        self.setVisible(bool(down))
        if not down:
            return
        names = ", ".join(shown(one.server, 40) for one in down)
        one, several = (
            self.tr("{names} isn’t running. Its tools are left out of the next request."),
            self.tr("{names} aren’t running. Their tools are left out of the next request."),
        )
        set_text(self.title, (one if len(down) == 1 else several).format(names=names))
        set_text(self.words, shown(" ".join(dict.fromkeys(one.problem for one in down if one.problem)), 300))
        self.words.setVisible(bool(self.words.text()))
        self.setAccessibleName(f"{self.title.text()} {self.words.text()}".strip())
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleName()))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_icon(QPainter(self), QRectF(12, 8, 16, 18), "warn", "warn", 16)

    def _on_again(self) -> None:
        for one in self._down:
            self._wishes.send(StartServer(self._workspace, one.server, again=True))


def servers_down(state: WorkbenchState, chat: ChatState) -> tuple[McpListing, ...]:
    """The servers that failed, of those whose tools the chat has."""
    place = workspace_of(state, chat.chat)
    if place is None:
        return ()
    has = {tool.name for tool in chat.chat.settings.tools}
    found = (
        state.servers.get((place.id, server.name))
        for server in place.servers
        if server.enabled and any(tool.called in has for tool in server.approved)
    )
    return tuple(listing for listing in found if listing is not None and listing.state == "failed")
