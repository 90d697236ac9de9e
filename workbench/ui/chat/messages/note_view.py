"""A message that neither the person nor the model said: shown quietly, folded to a few lines of text."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.domain.message import Message
from workbench.ui import formatting
from workbench.ui.chat.messages.feed import Note
from workbench.ui.chat.messages.message_head import HeadWords, MessageHead
from workbench.ui.chat.messages.message_view import MessageView
from workbench.ui.chat.messages.tool_words import record_text
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.painting import stroke_rounded
from workbench.ui.look.theme import theme_of
from workbench.ui.widgets.stack import StackItem


class NoteView(MessageView):
    """An instruction, or a part of an imported agent's memory."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, (12, 8, 12, 8), parent)
        self.item: Note | None = None
        self.head = MessageHead(self)
        self.body = BlockStack(ink, verbatim=True, parent=self)
        self.body.set_token("t2")
        self.body.link_wished.connect(self.link_wished)
        self.set_stack_items([StackItem(self.head), StackItem(self.body, 2)])

    def show_item(self, item: object) -> None:
        assert isinstance(item, Note)
        self.item = item
        time = formatting.clock(item.record.created_utc)
        self.head.show_words(
            HeadWords(self._name(item), time, muted=True, when=formatting.moment(item.record.created_utc))
        )
        self.setAccessibleName(f"{self._name(item)}, {time}")
        self.body.show_text(record_text(item.record))

    def bodies(self) -> dict[str, BlockStack]:
        return {"text": self.body}

    def read_all(self) -> None:
        self.body.read_all()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = theme_of(self)
        line = theme.accent if self.is_marked() else theme.line
        stroke_rounded(QPainter(self), QRectF(self.rect()), line, 10)

    def _name(self, item: Note) -> str:
        entry = item.record.entry
        if not isinstance(entry, Message):
            return entry.kind.replace("_", " ").capitalize()
        names = {"system": self.tr("System"), "tool": self.tr("Tool result")}
        return names.get(entry.role, self.tr("Message"))
