"""One quiet line in the composer: what just happened to what was pasted, or why nothing was sent."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.look.space import S2, columns
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.labels import ElidedLabel

STAY_MS = 12_000


class ComposerNote(QWidget):
    """Says one thing, with at most one thing to do about it; goes by itself, and when something new is done."""

    def __init__(self) -> None:
        super().__init__()
        self._act: Callable[[], None] | None = None
        self.words = ElidedLabel("", "small", "t3")
        self.action = button("", "link", size="small")
        self.close_button = tool_button("x", self.tr("Close"), side=20)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(STAY_MS)
        self._timer.timeout.connect(self.hide)
        self.action.clicked.connect(self._on_action)
        self.close_button.clicked.connect(self.hide)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.words.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        across = columns(self, spacing=S2)
        across.addWidget(self.words)
        across.addWidget(self.action)
        across.addStretch(1)
        across.addWidget(self.close_button)
        self.hide()

    def say(self, words: str, action: str = "", act: Callable[[], None] | None = None) -> None:
        """Say something, to the eye and to a screen reader."""
        self._act = act
        self.words.setText(words)
        self.action.setText(action)
        self.action.setVisible(bool(action))
        self.show()
        self._timer.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, f"{words} {action}".strip()))

    def _on_action(self) -> None:
        act = self._act
        self.hide()
        if act is not None:
            act()
