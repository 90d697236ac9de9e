"""A question on its way: its words stay in the composer until the engine has kept them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QMimeData

from workbench.domain.message import Message
from workbench.domain.outcome import TurnOutcome
from workbench.engine.state import ChatState


@dataclass(frozen=True, slots=True)
class Sending:
    """What was sent, and how the chat stood then."""

    chat: str
    text: str
    known: frozenset[str]
    ended: TurnOutcome | None

    @classmethod
    def of(cls, chat: ChatState, text: str) -> Sending:
        """A question that is sent now."""
        return cls(chat.chat.id, text, frozenset(record.id for record in chat.records), chat.ended)

    def is_kept(self, chat: ChatState) -> bool:
        """Whether the question is among the messages by now, or is being answered."""
        if chat.chat.id != self.chat:
            return False
        return chat.running is not None or any(
            record.id not in self.known and isinstance(record.entry, Message) and record.entry.role == "user"
            for record in chat.records
        )

    def is_over(self, chat: ChatState) -> bool:
        """Whether the turn ended without the question being kept: it was refused."""
        return chat.chat.id == self.chat and chat.running is None and chat.ended is not self.ended


def kept_copy(mime: QMimeData) -> QMimeData:
    """What was dropped or pasted, as it will still be there when Qt has let go of its own."""
    copy = QMimeData()
    if mime.hasUrls():
        copy.setUrls(mime.urls())
    if mime.hasText() and not mime.hasUrls():
        copy.setText(mime.text())
    if mime.hasImage():
        copy.setImageData(mime.imageData())
    return copy
