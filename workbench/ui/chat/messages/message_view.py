"""What all messages in the transcript have in common: what they show, and how they say what is wanted of them."""

from __future__ import annotations

import re
from abc import abstractmethod

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QWidget

from workbench.domain.message import Message
from workbench.ui import formatting
from workbench.ui.chat.messages.feed import Note
from workbench.ui.chat.messages.message_head import HeadWords, MessageButtons, MessageHead
from workbench.ui.chat.messages.tool_line import record_text
from workbench.ui.chat.text.block_stack import BlockStack, Spot
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.space import Margins, columns, fill
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import DASHED, PanelLook
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.stack import Stack, StackItem

NAME_CHARS = 48


class MessageView(PanelLook, Stack):
    """One item of the transcript.

    Signals:
        asked: an action and the id of what it is about; edited: a question's id and its new words, to be sent.
        editing: a question's id and what it is being changed to; None when that is over.
        link_wished: an address that somebody clicked.
        looked_at: an action that is pointed at or has the focus, what it is about, and where it stands on the screen;
            an empty action when none is any more. hovered: whether the item is looked at, by its id.
    """

    asked = Signal(str, str)
    edited = Signal(str, str)
    editing = Signal(str, object)
    link_wished = Signal(str)
    looked_at = Signal(str, str, object)
    hovered = Signal(str, bool)

    radius, stripe_width = 10, 4

    def __init__(self, ink: Ink, margins: Margins = (0, 0, 0, 0), parent: QWidget | None = None) -> None:
        super().__init__(margins, parent)
        self.ink = ink
        self._marked = False

    @abstractmethod
    def show_item(self, item: object) -> None: ...

    def is_untouched(self) -> bool:
        """Whether it can show any other item of its kind as a new one would."""
        return False

    def set_marked(self, marked: bool) -> None:
        if marked != self._marked:
            self._marked = marked
            self.update()

    def is_marked(self) -> bool:
        return self._marked

    def set_look(self, place: str, recalled: bool) -> None:
        """Look like a message that is sent, left out ("excluded"), or brought back for the next request."""
        dashed = place == "excluded" and not recalled
        marked = self._marked and not dashed
        self.ground, self.stripe = ("raised", "accent") if recalled else ("", "")
        self.border = "accent" if marked else "line2" if recalled or dashed else "line"
        self.dash = DASHED if dashed else (0, 0)

    def holds_nothing(self, buttons: MessageButtons, body: BlockStack) -> bool:
        """Whether nobody has pointed at it, and nothing in it is selected or has the focus."""
        held: QWidget | None = QApplication.focusWidget()
        return not buttons.buttons and not body.selection.parts() and not (held and self.isAncestorOf(held))

    def read_all(self) -> None:
        """Lay everything out now; for pictures, which must not be taken half made."""

    def bodies(self) -> dict[str, BlockStack]:
        """The texts of it in which words can be marked, by the part they are; those that are folded are left out."""
        return {}

    def show_found(self, part: str, number: int, pattern: re.Pattern[str] | None) -> Spot | None:
        self.unfold(part)
        body = self.bodies().get(part)
        return body.show_found(pattern, number) if body is not None and pattern is not None else None

    def unfold(self, part: str) -> None:
        """Show a part that is folded."""


class PutBackLine(QWidget):
    """A button and a line."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = on_click(button(tr("Put back"), icon="undo", size="small"), self.pressed)
        words = ElidedLabel(tr("not in the next request; still in the chat"), "small", "t3")
        fill(columns(self, spacing=8), self.button, (words, 1))


# A message that neither the person nor the model said: shown quietly, folded to a few lines of text.


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

    def update_look(self) -> None:
        self.border = "accent" if self.is_marked() else "line"

    def _name(self, item: Note) -> str:
        entry = item.record.entry
        if not isinstance(entry, Message):
            return entry.kind.replace("_", " ").capitalize()
        names = {
            "system": tr("System"),
            "tool": tr("Tool result"),
            "user": tr("You, meanwhile"),
        }
        return names.get(entry.role, tr("Message"))
