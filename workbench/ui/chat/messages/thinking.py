"""What a model thought before it answered: one line, which unfolds to the thoughts themselves."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.ui import formatting
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.fonts import metrics
from workbench.ui.look.painting import Run
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.card import PanelLook
from workbench.ui.widgets.stack import Stack, StackItem

LINE_PX, INDENT_PX = 22, 18


class Thinking(Stack):
    """Folded at first; the thoughts are laid out only when somebody wants to read them."""

    link_wished = Signal(str)

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._ink = ink
        self._text = ""
        self._body: BlockStack | None = None
        self.line = FoldLine(self)
        self.line.clicked.connect(self._toggle)
        self.set_stack_items([StackItem(self.line)])

    def show_thoughts(self, text: str, words: str) -> None:
        self._text = text
        self.line.show_words(words)
        if self._body is not None and self.line.unfolded:
            self._body.show_text(text)

    def is_unfolded(self) -> bool:
        return self.line.unfolded

    def unfold(self) -> None:
        if not self.line.unfolded:
            self._toggle()

    def details(self) -> BlockStack | None:
        """The thoughts as they are shown; None while they are folded."""
        return self._body if self.line.unfolded else None

    def text(self) -> str:
        return self._text

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.line.unfolded:
            box = QRectF(6, LINE_PX + 2, 2, self.height() - LINE_PX - 2)
            QPainter(self).fillRect(box, colour("line", theme_of(self)))

    def _toggle(self) -> None:
        self.line.set_unfolded(not self.line.unfolded)
        if self._body is None:
            self._body = BlockStack(self._ink, verbatim=True, parent=self)
            self._body.set_token("t2")
            self._body.link_wished.connect(self.link_wished)
        if self.line.unfolded:
            self._body.show_text(self._text)
        places = [StackItem(self.line), StackItem(self._body, 2, INDENT_PX)]
        self.set_stack_items(places if self.line.unfolded else places[:1])
        self.set_margins((0, 0, 0, 6 if self.line.unfolded else 0))


class FoldLine(PanelLook, QAbstractButton):
    """A chevron and a few words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.unfolded = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setProperty("ring_radius", 4)

    def show_words(self, words: str) -> None:
        if words != self.text():
            self.setText(words)
            self._tell()
            self.update()

    def set_unfolded(self, unfolded: bool) -> None:
        self.unfolded = unfolded
        self._tell()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(metrics("small").horizontalAdvance(self.text())) + 24, LINE_PX)

    def update_look(self) -> None:
        token = "t1" if self.underMouse() else "t3"
        chevron = "chevron-down" if self.unfolded else "chevron-right"
        self.runs = (Run(icon=chevron, token=token, size=12, width=14, gap=4), Run(self.text(), token))

    def _tell(self) -> None:
        self.setAccessibleName(self.text())
        self.setAccessibleDescription(tr("unfolded") if self.unfolded else tr("folded"))


def thought_words(took_ms: float | None, tokens: int | None, *, going_on: bool = False) -> str:
    """How long was thought, and how much, as far as that is known."""
    if going_on:
        return tr("Thinking…")
    amount = formatting.token_words(tokens) if tokens is not None else ""
    seconds = formatting.tokens(max(1, round(took_ms / 1000))) if took_ms is not None else ""
    if seconds and amount:
        return tr("Thought for {s} s · {n}").format(s=seconds, n=amount)
    if seconds:
        return tr("Thought for {s} s").format(s=seconds)
    return tr("Thought · {n}").format(n=amount) if amount else tr("Thought")
