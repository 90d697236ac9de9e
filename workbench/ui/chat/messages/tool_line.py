"""A call of a tool that was answered, in one line; unfolded, what it was given and what it gave back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.ui.chat.messages.tool_words import CallWords
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.blocks import Code
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.fonts import Role, font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import (
    fill_rounded,
    paint_elided,
    set_text_style,
    stroke_rounded,
    take,
    take_end,
)
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.stack import Stack, StackItem

HEIGHT = 32
LONGEST_SHOWN = 20_000


class ToolLine(Stack):
    """What a tool did."""

    undo_wished = Signal()
    agent_wished = Signal()

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._ink = ink
        self._given, self._result = "", ""
        self._details: BlockStack | None = None
        self.line = CallLine(self)
        self.line.clicked.connect(self._toggle)
        self.line.undo.clicked.connect(self.undo_wished)
        self.line.agent.clicked.connect(self.agent_wished)
        self.set_stack_items([StackItem(self.line)])

    def show_call(self, words: CallWords, given: str, result: str, *, undoable: bool) -> None:
        changed = (given, result) != (self._given, self._result)
        self._given, self._result = given, result
        self.line.show_words(words, undoable)
        if changed and self._details is not None:
            details, self._details = self._details, None
            self.line.unfolded = False
            self.set_stack_items([StackItem(self.line)])
            details.deleteLater()

    def show_agent(self, there: bool) -> None:
        """Offer the sub-agent that the call began, where one was watched."""
        self.line.show_agent(there)

    def unfold(self) -> None:
        if not self.line.unfolded:
            self._toggle()

    def details(self) -> BlockStack | None:
        return self._details if self.line.unfolded else None

    def _toggle(self) -> None:
        self.line.unfolded = not self.line.unfolded
        self.line.update()
        if self._details is None:
            self._details = BlockStack(self._ink, parent=self)
            parts = (Code(self._given[:LONGEST_SHOWN], "json"), Code(self._result[:LONGEST_SHOWN]))
            self._details.add("", [part for part in parts if part.text])
        places = [StackItem(self.line), StackItem(self._details, 4)]
        self.set_stack_items(places if self.line.unfolded else places[:1])


CALL = "call:"
"""What a message calls its calls, each by its number."""


def unfolded(lines: Sequence[ToolLine]) -> dict[str, BlockStack]:
    """The calls that are unfolded, by what they are called."""
    shown = {f"{CALL}{number}": line.details() for number, line in enumerate(lines)}
    return {name: details for name, details in shown.items() if details is not None}


def unfold_line(lines: Sequence[ToolLine], part: str) -> None:
    """Unfold the call of that name, where it is one."""
    number = part.removeprefix(CALL)
    if part.startswith(CALL) and int(number) < len(lines):
        lines[int(number)].unfold()


class CallLine(QAbstractButton):
    """Icon, tool, verb, target and note, with a chevron at the end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.unfolded = False
        self._words = CallWords("", "t3", "", "", "", "")
        self.undo = button(self.tr("Undo"), "ghost", "undo", size="small")
        self.agent = button(self.tr("Sub-agent"), "ghost", "eye", size="small")
        self.agent.setToolTip(tip(self.tr("Open what the sub-agent asked")))
        for own in (self.undo, self.agent):
            own.setParent(self)
            own.hide()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", 8)

    def words(self) -> CallWords:
        return self._words

    def show_words(self, words: CallWords, undoable: bool) -> None:
        self._words = words
        self.setAccessibleName(" ".join(part for part in words[2:] if part))
        self.undo.setVisible(undoable)
        self.undo.setAccessibleName(self.tr("Undo what {tool} did").format(tool=words.name))
        self._place()
        self.update()

    def show_agent(self, there: bool) -> None:
        if there == self.agent.isHidden():
            self.agent.setVisible(there)
            self._place()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme, words = QPainter(self), theme_of(self), self._words
        box = QRectF(self.rect())
        fill_rounded(painter, box, theme.hover if self.underMouse() else theme.surface, 8)
        stroke_rounded(painter, box, theme.line, 8)
        room = box.adjusted(10, 0, -10, 0)
        chevron = take_end(room, 14, 6)
        paint_icon(painter, chevron, "chevron-down" if self.unfolded else "chevron-right", "t3", 12)
        for own in (self.undo, self.agent):
            if not own.isHidden():
                take_end(room, own.sizeHint().width(), 6)
        paint_icon(painter, take(room, 14, 8), words.icon, words.token, 14)
        self._text(painter, room, words.name, ("small", 600, "t1"))
        self._text(painter, room, words.verb, ("small", 400, "t1"))
        self._text(painter, room, words.target, ("code", 400, "t1"))
        self._text(painter, room, words.note, ("small", 400, "t3"))

    def _text(self, painter: QPainter, room: QRectF, text: str, face: tuple[Role, int, str]) -> None:
        role, weight, token = face
        if not text or room.width() < 12:
            return
        width = min(metrics(role, weight).horizontalAdvance(text) + 1, room.width())
        set_text_style(painter, font(role, weight), colour(token, theme_of(self)))
        paint_elided(painter, take(room, width, 6), text)

    def _place(self) -> None:
        end = self.width() - 30
        for own in (self.undo, self.agent):
            size = own.sizeHint()
            left = end - size.width()
            own.setGeometry(left, (HEIGHT - size.height()) // 2, size.width(), size.height())
            end = end if own.isHidden() else left - 6
