"""Messages that wait to be sent, over the text of the composer: one line each, to be edited or taken away."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.engine.intents import SendQueued, TakeQueued
from workbench.engine.state import ChatState
from workbench.ui import formatting
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.space import S1, S2, STRETCH, columns, fill, rows
from workbench.ui.widgets.buttons import button, tool_button
from workbench.ui.widgets.labels import ElidedLabel, label
from workbench.ui.widgets.plain import shown, tip

ICON, LONGEST = 14, 400


class QueuedLine(QWidget):
    """One message that waits, and the turn that it will be; 0 where nobody knows."""

    def __init__(self, text: str, number: int, turn: int) -> None:
        super().__init__()
        words = shown(" ".join(text.split()), LONGEST)
        self.words = ElidedLabel(words, "small", "t2")
        self.words.setToolTip(tip(words))
        self.turn = label(
            self.tr("Turn {n}").format(n=formatting.tokens(turn)) if turn else "", "small", "t3"
        )
        after = self.tr("Sent as turn {n} when turn {before} is answered.")
        told = after.format(n=formatting.tokens(turn), before=formatting.tokens(turn - 1)) if turn > 1 else ""
        self.turn.setToolTip(tip(told))
        self.turn.setVisible(bool(turn))
        self.edit = tool_button(
            "edit", self.tr("Edit queued message {n}").format(n=number), self.tr("Edit"), side=20
        )
        self.remove = tool_button(
            "x", self.tr("Remove queued message {n}").format(n=number), self.tr("Do not send this"), side=20
        )
        self.setAccessibleName(self.tr("Queued message {n}: {words}").format(n=number, words=words))
        self.setAccessibleDescription(told)
        fill(columns(self, (ICON + 6, 0, 0, 0), S1), self.turn, (self.words, 1), self.edit, self.remove)

    def paintEvent(self, _event: QPaintEvent) -> None:
        spot = QRectF(0, 0, ICON, self.height())
        paint_icon(QPainter(self), spot, "clock", "t3", ICON)


class QueuedLines(QWidget):
    """All messages that wait, in order; where they are held, why, and the way to send them.

    Signals:
        changed: what the engine is to do with them. rebuilt: there are other lines.
    """

    changed = Signal(object)
    rebuilt = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._chat = ""
        self._shown: tuple[tuple[tuple[int, str], ...], bool, int] = ((), False, 0)
        self.lines: list[QueuedLine] = []
        self.why = ElidedLabel("", "small", "warn")
        self.send = button(self.tr("Send now"), "link", size="small")
        self.send.clicked.connect(lambda: self.changed.emit(SendQueued(self._chat)))
        self.why.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._down = rows(self, (2, 0, 2, S2), S1)
        self._head = QWidget()
        fill(columns(self._head, spacing=S2), self.why, self.send, STRETCH)
        self._down.addWidget(self._head)
        self.hide()

    def show_state(self, chat: ChatState | None) -> None:
        self._chat = chat.chat.id if chat is not None else ""
        wanted = (_keyed(chat), chat.held, _next_turn(chat)) if chat is not None else ((), False, 0)
        if wanted == self._shown:
            return
        self._shown = wanted
        queued, held, first = wanted
        for line in self.lines:
            self._down.removeWidget(line)
            line.hide()
            line.deleteLater()
        self.lines = [
            self._line(text, key, (at + 1, first and first + at)) for at, (key, text) in enumerate(queued)
        ]
        words = self.tr("Not sent: the answer before did not complete.") if held else ""
        self.why.setText(words)
        self._head.setVisible(held)
        self.setVisible(bool(queued))
        self.rebuilt.emit()
        said = words or self.tr("{n} queued").format(n=len(queued))
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))

    def in_order(self) -> list[QAbstractButton]:
        """What takes the focus, from the top."""
        lines = [one for line in self.lines for one in (line.edit, line.remove)]
        return [self.send, *lines] if lines else []

    def _line(self, text: str, key: int, places: tuple[int, int]) -> QueuedLine:
        made = QueuedLine(text, *places)
        made.edit.clicked.connect(partial(self._take, key, True))
        made.remove.clicked.connect(partial(self._take, key, False))
        self._down.addWidget(made)
        return made

    def _take(self, key: int, back: bool, _checked: bool = False) -> None:
        self.changed.emit(TakeQueued(self._chat, key, back))


def _keyed(chat: ChatState) -> tuple[tuple[int, str], ...]:
    return tuple(zip(chat.queued_keys, chat.queued, strict=True))


def _next_turn(chat: ChatState) -> int:
    """Which turn the first message that waits will be: the one after what is being answered, or was last."""
    if not chat.queued:
        return 0
    if chat.running is not None:
        return chat.running.number and chat.running.number + 1
    return max((turn.number for turn in chat.turns), default=0) + 1
