"""A side question over the composer: what was asked beside the chat, its answer, what it took, and Make it a turn."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from workbench.domain.side import SideQuestion
from workbench.engine.intents import MakeSideTurn, StopTurn
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.space import columns, fill, rows
from workbench.ui.side_words import side_figures
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.card import DASHED, LeadingIcon, Panel
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import scroll_area
from workbench.ui.wishes import Wishes

MOST_PX = 220
"""So high an answer is shown at most; a longer one scrolls."""
NARROW_PX, NARROW_WINDOW_PX, LINE_PX, HEAD_PX = 460, 1100, 40, 34
"""In a column or a window narrower than these it is one line, until somebody wants to see the rest."""


class SideHead(Panel):
    """What it is, on a tint, and the way to close it."""

    ground, radius = "accent_tint", 8.0
    leading = LeadingIcon("chat", "accent_text", 14, (12, 0, 14, 0))


class SideCard(Panel):
    """The side question that is asked or looked at; hidden where there is none.

    Esc closes it, as its button does; it stays in the list of its chat.
    """

    border, radius, dash, ground = "accent", 10.0, DASHED, "surface"

    def __init__(self, wishes: Wishes, ink: Ink | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes
        self._chat: ChatState | None = None
        self._open, self._unfolded = "", False
        self._words = ""
        self.head = SideHead()
        self.close_it = tool_button("x", tr("Close the side question"), tr("Close (Esc)"), side=24)
        self.title = label(tr("Side question"), "ui_heading", "accent_text")
        self.note = ElidedLabel("", "small", "t2")
        self.unfold = on_click(button(tr("Show"), "link", size="small"), self._unfold)
        row = columns(self.head, (34, 4, 6, 4), 8)
        fill(row, self.title, (self.note, 1), self.unfold, self.close_it)
        self.question = ElidedLabel("", "small", "t2")
        self.body = BlockStack(ink or Ink())
        self.area = scroll_area(self.body, tr("Answer to the side question"))
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.viewport().setAutoFillBackground(False)
        self.body.setAutoFillBackground(False)  # Qt gives it the window's ground, a grey band in the card
        self.area.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.figures = ElidedLabel("", "small", "t2")
        self.stop = on_click(button(tr("Stop"), icon="stop", size="small"), self._stop)
        self.make = on_click(button(tr("Make it a turn"), icon="plus", size="small"), self._make)
        self.close_word = on_click(button(tr("Close"), size="small"), self.close_card)
        self.close_it.clicked.connect(self.close_card)
        self.inner = QWidget()
        inner = rows(self.inner, (12, 6, 12, 6), 6)
        fill(inner, self.question, self.area)
        fill(columns(inner, spacing=8), (self.figures, 1), self.stop, self.make, self.close_word)
        fill(rows(self, (2, 2, 2, 2), 0), self.head, self.inner)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()

    def open(self, side: str) -> None:
        """Show a side question of the chat, by its id."""
        self._open, self._unfolded = side, True
        self.show_state(self._chat)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_card(self) -> None:
        self._open, self._unfolded = "", False
        self.show_state(self._chat)

    def show_state(self, chat: ChatState | None) -> None:
        """Show the side question that runs; else the one that was asked or chosen last, until it is closed."""
        if chat is None or (self._chat is not None and self._chat.chat.id != chat.chat.id):
            self._open = ""
        self._chat = chat
        running = chat.running if chat is not None else None
        if running is not None and running.side:
            self._open = running.question or self._open
            self._words = tr("Asking…")
            self._show(running.asked, running.text + running.more, self._words, done=None)
            return
        side = next((one for one in chat.sides if one.id == self._open), None) if chat is not None else None
        self.setVisible(side is not None)
        if side is not None:
            problem = shown(side.problem, 200)
            price = formatting.usd(side.cost_usd) if side.cost_usd else ""
            self._words = problem or ", ".join(filter(None, (tr("answered"), price)))
            self._show(side.question, side.answer, problem or side_figures(side), done=side)

    def _show(self, question: str, answer: str, words: str, *, done: SideQuestion | None) -> None:
        line = shown(" ".join(question.split()), 400)
        self.question.setText(line)
        self.question.setToolTip(tip(line))
        self.body.show_text(answer)
        set_text(self.figures, words)
        self.stop.setVisible(done is None)
        self.make.setVisible(done is not None)
        self.make.setEnabled(done is not None and bool(done.answer) and self._idle())
        self.close_word.setVisible(done is not None)
        self.close_it.setVisible(done is not None)
        self.setAccessibleName(tr("Side question, not part of this chat: {words}").format(words=line))
        self.setAccessibleDescription(words)
        self.setVisible(True)
        self._fit()

    def _unfold(self) -> None:
        self._unfolded = True
        self._fit()

    def _fit(self) -> None:
        narrow = self.width() < NARROW_PX or self.window().width() < NARROW_WINDOW_PX
        folded = narrow and not self._unfolded
        self.head.setFixedHeight(LINE_PX - 4 if folded else HEAD_PX)
        self.inner.setVisible(not folded)
        self.unfold.setVisible(folded)
        self.note.setText(
            f"{self.question.text()} · {self._words}" if folded else tr("not part of this chat")
        )
        wanted = self.body.heightForWidth(max(100, self.area.viewport().width()))
        wanted = wanted if wanted > 0 else self.body.sizeHint().height()
        most = min(MOST_PX, max(60, self.window().height() // 4))
        self.area.setFixedHeight(max(22, min(wanted, most)) if self.body.source else 0)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(400, super().sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.stop.isHidden():
            self.close_card()
            return
        super().keyPressEvent(event)

    def _idle(self) -> bool:
        return self._chat is not None and self._chat.running is None

    def _stop(self) -> None:
        if self._chat is not None:
            self.wishes.send(StopTurn(self._chat.chat.id))

    def _make(self) -> None:
        if self._chat is not None and self._open:
            self.wishes.send(MakeSideTurn(self._chat.chat.id, self._open))
