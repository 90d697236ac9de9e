"""What lies over the messages: what to do where there are none, the way to the end, and to what is above."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.ui import formatting
from workbench.ui.chat.transcript.following_scroll import NEAR_END_PX, TOP_PX, FollowingScroll
from workbench.ui.widgets.buttons import Button, button
from workbench.ui.widgets.empty import EmptyState

EARLIER_REACH_PX = 60


class Overlays(QObject):
    """Keeps them in their places, and shows them when they are of use."""

    def __init__(self, area: FollowingScroll) -> None:
        super().__init__(area)
        self._area = area
        self.has_chat = False
        self.no_chat = EmptyState(
            "chat",
            self.tr("No chat open"),
            self.tr("Choose one on the left, or begin a new one."),
            self.tr("New chat"),
        )
        self.ask = EmptyState(
            "edit",
            self.tr("Ask something"),
            self.tr("Write below, or drop files here: the bar shows what will be sent."),
        )
        self.jump = button(self.tr("Jump to the latest"), icon="chevron-down")
        self.earlier = button("", "ghost", size="small")
        for widget in (self.no_chat, self.ask, self.jump, self.earlier):
            widget.setParent(area)
            widget.hide()
        area.floating = (self.jump, self.earlier)
        self.jump.clicked.connect(area.to_end)
        self.earlier.clicked.connect(area.make_in_turns)
        area.settled.connect(self.refresh)

    def refresh(self) -> None:
        area = self._area
        bar, column = area.verticalScrollBar(), area.column
        self.no_chat.setVisible(not self.has_chat)
        self.ask.setVisible(self.has_chat and not column.items())
        for state in (self.no_chat, self.ask):
            state.setGeometry(area.rect())
        below = bar.maximum() - bar.value() > NEAR_END_PX
        self.jump.setVisible(not column.reaches_end() or (below and not area.follows()))
        size = self.jump.sizeHint()
        self._place(self.jump, area.height() - size.height() - 12)
        self.jump.raise_()
        self.earlier.setVisible(column.first > 0 and bar.value() < EARLIER_REACH_PX)
        words = (
            self.tr("Show one earlier message") if column.first == 1 else self.tr("Show {n} earlier messages")
        )
        self.earlier.setText(words.format(n=formatting.tokens(column.first)))
        self._place(self.earlier, TOP_PX - bar.value())

    def _place(self, made: Button, y: int) -> None:
        size = made.sizeHint()
        made.setGeometry((self._area.width() - size.width()) // 2, y, size.width(), size.height())
