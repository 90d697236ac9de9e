"""The foot of the payload page: whether the bytes shown are the bytes sent."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.ui import formatting
from workbench.ui.look.space import columns, fill
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.look.tones import Tone
from workbench.ui.translation import translator
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.labels import ElidedLabel, label, set_text

_tr = translator("Payload")

HEIGHT = 36
DIGEST_LETTERS = 8


class Check(NamedTuple):
    """A turn's digests: of the bytes that were shown when it was sent, and of those that were sent."""

    turn: int
    shown: str
    sent: str


class FootWords(NamedTuple):
    """What the foot says: a badge with a digest, and a line."""

    tone: Tone
    icon: str
    badge: str
    digest: str
    line: str


def foot_words(view: EnvelopeView, check: Check | None, total_bytes: int | None) -> FootWords:
    """The verdict on the last turn that was sent, and what holds for the request that is shown."""
    size = "…" if total_bytes is None else formatting.tokens(total_bytes)
    if view.standing == "next":
        line = _tr("This request: {n} bytes, compared when you send.").format(n=size)
    else:
        line = _tr("Turn {turn}: {n} bytes, as sent.").format(turn=formatting.tokens(view.turn), n=size)
    if check is None or not check.sent:
        return FootWords("neutral", "", "", "", line)
    turn = formatting.tokens(check.turn)
    if not check.shown:
        return FootWords("neutral", "", _tr("turn {turn}: sent").format(turn=turn), check.sent, line)
    if check.shown == check.sent:
        words = _tr("turn {turn}: bytes shown = bytes sent").format(turn=turn)
        return FootWords("ok", "check", words, check.sent, line)
    words = _tr("turn {turn}: bytes sent differ from those shown").format(turn=turn)
    return FootWords(
        "err", "warn", words, check.sent, _tr("What is shown was built again, and is not what went out.")
    )


class PayloadFoot(QWidget):
    """A badge, a digest, and a line at the end."""

    def __init__(self) -> None:
        super().__init__()
        self._badge = Badge()
        self._digest = label("", "digest", "t3")
        self._line = ElidedLabel("", "small", "t2")
        self._line.setAlignment(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter)
        self._line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        fill(columns(self, (16, 1, 16, 0), 8), self._badge, self._digest, (self._line, 1))

    def say(self, words: FootWords) -> None:
        self._badge.setVisible(bool(words.badge))
        self._badge.show_words(words.tone, words.icon, words.badge)
        set_text(self._digest, f"{words.digest[:DIGEST_LETTERS]}…" if words.digest else "")
        self._digest.setVisible(bool(words.digest))
        self._digest.setAccessibleName(_tr("Digest {digest}").format(digest=words.digest))
        self._line.setText(words.line)

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(QRectF(0, 0, self.width(), 1), colour("line", theme_of(self)))
