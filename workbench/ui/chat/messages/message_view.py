"""What all messages in the transcript have in common: what they show, and how they say what is wanted of them."""

from __future__ import annotations

import re

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QApplication, QWidget

from workbench.ui.chat.messages.message_head import MessageButtons
from workbench.ui.chat.text.block_stack import BlockStack, Spot
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.painting import fill_rounded, stroke_rounded
from workbench.ui.look.space import Margins, columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.labels import ElidedLabel
from workbench.ui.widgets.stack import Stack

NAME_CHARS = 48
RECALLED_RADIUS, STRIPE = 10, 4


class MessageView(Stack):
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

    def __init__(self, ink: Ink, margins: Margins = (0, 0, 0, 0), parent: QWidget | None = None) -> None:
        super().__init__(margins, parent)
        self.ink = ink
        self._marked = False

    def show_item(self, item: object) -> None:
        raise NotImplementedError

    def is_untouched(self) -> bool:
        """Whether it can show any other item of its kind as a new one would."""
        return False

    def set_marked(self, marked: bool) -> None:
        if marked != self._marked:
            self._marked = marked
            self.update()

    def is_marked(self) -> bool:
        return self._marked

    def paint_recalled(self, painter: QPainter) -> None:
        """Paint the stripe of what comes back, and a border: stronger where it is selected."""
        theme, box = theme_of(self), QRectF(self.rect())
        fill_rounded(painter, box, theme.raised, RECALLED_RADIUS)
        inside = QPainterPath()
        inside.addRoundedRect(box, RECALLED_RADIUS, RECALLED_RADIUS)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipPath(inside)
        painter.fillRect(QRectF(0, 0, STRIPE, box.height()), colour("accent", theme))
        painter.restore()
        stroke_rounded(painter, box, theme.accent if self.is_marked() else theme.line2, RECALLED_RADIUS)

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
        self.button = on_click(button(self.tr("Put back"), icon="undo", size="small"), self.pressed)
        words = ElidedLabel(self.tr("not in the next request; still in the chat"), "small", "t3")
        fill(columns(self, spacing=8), self.button, (words, 1))
