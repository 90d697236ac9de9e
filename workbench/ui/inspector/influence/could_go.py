"""A line that offers to leave out what did next to nothing for an answer, with its price."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.influence import CouldGo, Influence, PieceInfluence
from workbench.engine.intents import PriceStep
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.inspector.influence.words import value_text
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import dashed_pen
from workbench.ui.look.space import columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.price_words import price_line
from workbench.ui.steps import Step, leave_out_members
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.labels import ElidedLabel, label, set_text, set_token
from workbench.ui.wishes import Wishes

_tr = translator("Influence")
HEIGHT = 36
PRICED = "influence:"


def suggested(result: Influence | None, stale: bool) -> CouldGo | None:
    """What could go; nothing where the result is not to be trusted."""
    if result is None or stale or not result.carried or result.reliability.trust != "reliable":
        return None
    return result.could_go


def _is_there(piece: PieceInfluence, chat: ChatState, changed: Collection[str]) -> bool:
    """Whether the chat still has it, and in the words that were measured."""
    held = chat.conversation
    known = {one.key for one in held.attached} | {one.key for one in held.library}
    known |= {one.id for one in chat.records}
    return not known.isdisjoint(piece.members) and set(changed).isdisjoint(piece.members)


class CouldGoLine(QWidget):
    """One suggestion; it asks what leaving it out costs, and does it as one step that can be undone."""

    spoken_role = QAccessible.Role.Grouping

    def __init__(self, wishes: Wishes | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.wishes = wishes or Wishes(self)
        self._chat: ChatState | None = None
        self._members: tuple[str, ...] = ()
        self._priced: tuple[object, ...] = ()
        self.words = ElidedLabel("", "ui")
        self.price = label("", "small", "t2")
        self.leave_out = button(_tr("Leave out"), icon="eye-off", size="small")
        self.leave_out.clicked.connect(self._on_leave_out)
        fill(columns(self, (40, 0, 14, 0), 10), (self.words, 1), self.price, self.leave_out)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_result(
        self, chat: ChatState | None, result: Influence | None, stale: bool, changed: Collection[str] = ()
    ) -> None:
        """Show the suggestion of a result for the next request of a chat; `changed` is sent in other words by now."""
        idle = suggested(result, stale)
        self._chat = chat
        piece = next((one for one in result.pieces if idle and one.id == idle.id), None) if result else None
        if chat is None or idle is None or piece is None or not _is_there(piece, chat, changed):
            self._members, self._priced = (), ()
            self.hide()
            return
        self._members = piece.members
        words = _tr("{name} could go: {tokens}, influence {figure}").format(
            name=piece.name,
            tokens=formatting.token_words(idle.tokens),
            figure=value_text(idle.per_answer_token),
        )
        self.words.setText(words)
        self._show_button(piece.name)
        self._show_price(chat)
        self.setAccessibleName(words)
        self.setAccessibleDescription(self.price.text())
        self.show()

    def is_out(self) -> bool:
        """Whether it is left out of the next request already."""
        return self._chat is not None and leave_out_members(self._chat, self._members, True) is None

    def step(self) -> Step | None:
        """What leaving it out of the next request is, or putting it back where that is done already."""
        chat = self._chat
        return None if chat is None else leave_out_members(chat, self._members, not self.is_out())

    def _show_button(self, name: str) -> None:
        out = self.is_out()
        self.leave_out.setText(_tr("Put back") if out else _tr("Leave out"))
        spoken = _tr("Put back {name}") if out else _tr("Leave out {name}")
        self.leave_out.setAccessibleName(spoken.format(name=name))

    def _show_price(self, chat: ChatState) -> None:
        step = self.step()
        if self.is_out() or step is None:
            set_text(self.price, _tr("left out of the next request"))
            set_token(self.price, "t2")
            self._priced = ()
            return
        key = f"{PRICED}{self._members[0]}"
        wanted = (chat.chat.id, self._members, chat.conversation.tuning)
        if wanted != self._priced:
            self._priced = wanted
            set_text(self.price, "")
            self.wishes.send(PriceStep(chat.chat.id, key, step.do))
        if chat.price is not None and chat.price.key == key and chat.price.tag is not None:
            told = price_line(chat.price.tag)
            set_text(self.price, told.words)
            set_token(self.price, told.tone if told.tone in ("ok", "warn", "err") else "t2")

    def _on_leave_out(self) -> None:
        self.wishes.do(self.step())

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter, box = theme_of(self), QPainter(self), QRectF(self.rect())
        painter.fillRect(box, colour(theme.accent_tint))
        painter.setPen(dashed_pen(theme.accent, 1, 3, 3))
        for y in (0.5, box.bottom() - 0.5):
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        paint_icon(painter, QRectF(14, 0, 18, self.height()), "bulb", "accent_text", 16)
