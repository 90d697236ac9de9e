"""What is shown under an answer that is on its way: how fast it comes, what is being loaded, or what is waited for."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QElapsedTimer, QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.answer import Failure
from workbench.engine.state import Stage
from workbench.ui import formatting
from workbench.ui.chat.messages.failure_card import CardHead, indented
from workbench.ui.chat.messages.failure_words import failure_look
from workbench.ui.look.fonts import font
from workbench.ui.look.painting import paint_elided, set_text_style
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, Hairline
from workbench.ui.widgets.labels import FigureLabel, label
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.progress import ProgressLine

_tr = translator("WaitingLines")

HEIGHT, BAR_PX = 28, 96


def stage_words(stage: Stage) -> str:
    """What a turn is at before its model is asked."""
    words = {
        "": "",
        "starting": _tr("the model is getting ready"),
        "commands": _tr("running what the question asks to read"),
        "counting": _tr("counting the request"),
    }
    return words[stage]


CHARS_A_TOKEN = 4
"""While an answer arrives nobody counts its tokens; so this is a rough guess, and marked as one."""
RATE_FROM_MS = 500


class ProgressFoot(QWidget):
    """A runner and a few figures; before the first word, what the model is busy with."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self._begun, self._flowing = QElapsedTimer(), QElapsedTimer()
        self._begun.start()
        self._first_ms: int | None = None
        self._chars = 0
        self._waited = False
        self.bar = ProgressLine()
        self.bar.setParent(self)
        self.bar.set_fraction(None)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._say(self.tr("waiting for the first token"))

    def words(self) -> str:
        return self._words

    def show_amount(self, chars: int) -> None:
        if chars and not self._flowing.isValid():
            self._flowing.start()
            # What was there already when this was made came at a time that nobody knows.
            self._first_ms = self._begun.elapsed() if self._waited else None
        self._waited |= not chars
        self._chars = chars
        self.bar.set_fraction(None)
        if chars:
            self._say(self._figures())

    def show_progress(self, what: str, fraction: float | None) -> None:
        self._waited = True
        self.bar.set_fraction(fraction)
        self._say(shown(what, 120))

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.bar.setGeometry(0, (HEIGHT - 4) // 2, BAR_PX, 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        room = QRectF(self.rect()).adjusted(BAR_PX + 12, 0, 0, 0)
        set_text_style(painter, font("small"), colour("t3", theme_of(self)))
        paint_elided(painter, room, self._words)

    def _figures(self) -> str:
        tokens = max(1, round(self._chars / CHARS_A_TOKEN))
        parts = [f"≈ {formatting.token_words(tokens)}"]
        took_ms = self._flowing.elapsed()
        if took_ms > RATE_FROM_MS:
            rate = formatting.tokens(round(tokens * 1000 / took_ms))
            parts.append(self.tr("{n} per second").format(n=rate))
        if self._first_ms is not None:
            parts.append(self.tr("first token after {s}").format(s=formatting.seconds(self._first_ms)))
        return " · ".join(parts)

    def _say(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self.setAccessibleName(words)
            self.update()


class RetryCard(Card):
    """An attempt failed, and another one follows: why, and when."""

    stopped = Signal()

    def __init__(self, failure: Failure, attempt: tuple[int, int] = (0, 0)) -> None:
        super().__init__("warn")
        self.failure, self._attempt = failure, attempt
        look = failure_look(failure)
        self._passed = QElapsedTimer()
        self._passed.start()
        self.bar = ProgressLine()
        self.count = FigureLabel(role="small", weight=600, reserve=self._again(10))
        self.stop = on_click(button(self.tr("Stop waiting"), "ghost", size="small"), self.stopped)
        self._timer = QTimer(self)
        self._timer.setInterval(1_000)
        self._timer.timeout.connect(self._tick)
        down = rows(self, (1, 1, 1, 1))
        self.sentence = label(shown(failure.message, 400), "small", "t2", wrap=True)
        fill(down, CardHead("warn", look.icon, look.title, failure.kind), indented(self.sentence, 6))
        fill(columns(down, (12, 0, 12, 10), 12), 15, (self.bar, 1), self.count)
        down.addWidget(Hairline())
        fill(columns(down, (12, 8, 12, 8), 8), self.stop, STRETCH)
        self._tick()
        self.setAccessibleName(f"{look.title}. {self.sentence.text()} {self.count.figure()}")
        self._timer.start()
        # Spoken once; a screen reader that counted along would say nothing else.
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.accessibleName()))

    def _tick(self) -> None:
        wait_s = self.failure.retry_after_s
        left = None if wait_s is None else max(0, ceil(wait_s - self._passed.elapsed() / 1000))
        if not left:
            self.bar.set_fraction(None)
            self.count.set_figure(self._again(0))
            return
        self.bar.set_fraction(1 - left / max(1.0, wait_s or 1.0))
        self.count.set_figure(self._again(left))

    def _again(self, left_s: int) -> str:
        words = self.tr("Trying again in {s} s") if left_s else self.tr("Trying again")
        number, most = self._attempt
        if most:
            words = (
                self.tr("Trying again in {s} s, {n} of {all}")
                if left_s
                else self.tr("Trying again, {n} of {all}")
            )
        return words.format(s=formatting.tokens(left_s), n=number, all=most)
