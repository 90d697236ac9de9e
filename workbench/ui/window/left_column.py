"""The left column: the program's head, the chats, and what is attached to the one in view."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QWidget

from workbench.ui.attachments.pane import AttachmentsPane
from workbench.ui.chats.pane import ChatsPane
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import tool_button
from workbench.ui.widgets.labels import label
from workbench.ui.wishes import OpenSettings, Wishes

HEIGHT = 44


class LeftHead(QWidget):
    """The program's name between its menu and its settings."""

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setObjectName("chrome")
        self.setFixedHeight(HEIGHT)
        self.menu = tool_button("menu", self.tr("Menu"), self.tr("Menu (F10)"))
        self.menu.clicked.connect(lambda: self.wishes.run("menu"))
        self.settings = tool_button("gear", self.tr("Settings"), self.tr("Settings (Ctrl+,)"))
        self.settings.clicked.connect(lambda: self.wishes.run(OpenSettings()))
        row = columns(self, (12, 0, 12, 0), 8)
        fill(row, self.menu, label(self.tr("Workbench"), "title"), STRETCH, self.settings)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), colour(theme_of(self).line))


class LeftColumn(QWidget):
    """Chats over attachments; the line between them can be moved."""

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self.setObjectName("chrome")
        self.head = LeftHead(self.wishes)
        self.chats, self.attachments = ChatsPane(self.wishes), AttachmentsPane(self.wishes)
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setHandleWidth(1)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(self.chats)
        self.split.addWidget(self.attachments)
        self.split.setStretchFactor(0, 1)
        self.split.setSizes([640, 300])
        fill(rows(self), self.head, (self.split, 1))
