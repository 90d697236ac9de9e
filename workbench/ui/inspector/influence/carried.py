"""What a chosen piece carried: words of the answer with their nats, which add up to its influence."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from workbench.domain.influence import Influence, PieceInfluence
from workbench.ui import formatting
from workbench.ui.inspector.influence.words import value_text
from workbench.ui.look.painting import fill_rounded, placed
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import theme_of
from workbench.ui.translation import listed, tr
from workbench.ui.widgets.card import Card, Hairline
from workbench.ui.widgets.labels import ElidedLabel, label, set_text

MOST_WORDS = 5
BAR_WIDTH, BAR_HEIGHT = 56, 6


class NatsBar(QWidget):
    """How many of a piece's nats some words have."""

    def __init__(self, share: float, others: bool) -> None:
        super().__init__()
        self._share, self._others = share, others
        self.setFixedSize(BAR_WIDTH, BAR_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter, box = theme_of(self), QPainter(self), QRectF(self.rect())
        fill_rounded(painter, box, theme.track, 3)
        if self._share > 0:
            part = placed(box, 0, max(2.0, box.width() * min(1.0, self._share)))
            fill_rounded(painter, part, theme.edge if self._others else theme.accent, 3)


class CarriedCard(QWidget):
    """Words and nats of one piece; hidden where none is chosen or its words are not known."""

    spoken_role = QAccessible.Role.Grouping

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._about: tuple[object, str, str] | None = None
        self.title = label(tr("What it carried"), "ui_heading")
        self.name = ElidedLabel("", "ui", "t2")
        self.sum = label("", "small", "t2")
        self.card = Card()
        rows(self, (16, 8, 16, 10)).addWidget(self.card)
        down = rows(self.card, (1, 0, 1, 8), 6)
        head = fill(columns(down, (12, 0, 12, 0), 8), self.title, self.name, STRETCH, self.sum)
        head.addStrut(34)
        down.addWidget(Hairline())
        self._holder: QWidget | None = None
        self._down = down
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_piece(self, piece: PieceInfluence | None, result: Influence | None, answer: str) -> None:
        """Show what a piece carried of an answer."""
        if piece is None or result is None or not piece.carried or piece.nats is None:
            self._about = None
            self.hide()
            return
        about = (piece, answer, result.made_utc)
        if about == self._about:
            return
        self._about = about
        self.name.setText(piece.name)
        set_text(self.sum, sum_words(piece, result))
        lines = carried_lines(piece, answer)
        self._fill(lines)
        self.setAccessibleName(f"{self.title.text()}: {piece.name}")
        told = listed(f"{words} {formatting.score(nats)}" for words, nats in lines)
        self.setAccessibleDescription(f"{self.sum.text()}. {told}")
        self.show()

    def _fill(self, lines: list[tuple[str, float]]) -> None:
        if self._holder is not None:
            self._holder.hide()
            self._holder.deleteLater()
        self._holder = QWidget()
        grid = QGridLayout(self._holder)
        grid.setContentsMargins(12, 0, 12, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(5)
        high = (len(lines) + 1) // 2
        largest = max((abs(nats) for _, nats in lines), default=0.0) or 1.0
        for place, (words, nats) in enumerate(lines):
            others = place == len(lines) - 1
            row, side = place % high, place // high * 4
            grid.addWidget(ElidedLabel(words, "small", "t2" if others else "accent_text"), row, side)
            grid.addWidget(NatsBar(abs(nats) / largest, others or nats < 0), row, side + 1)
            figure = label(_signed(nats), "small")
            grid.addWidget(figure, row, side + 2, Qt.AlignmentFlag.AlignRight)
            grid.setColumnStretch(side, 1)
        grid.setColumnMinimumWidth(3, 18)
        self._down.addWidget(self._holder)


def carried_lines(piece: PieceInfluence, answer: str) -> list[tuple[str, float]]:
    """The strongest words with their nats, and all others together, so that they add up to the piece's."""
    told = piece.carried[:MOST_WORDS]
    lines = [(" ".join(answer[one.start : one.end].split()), one.nats) for one in told]
    return [*lines, (tr("all other words"), (piece.nats or 0.0) - sum(one.nats for one in told))]


def sum_words(piece: PieceInfluence, result: Influence) -> str:
    """“0.41 a token × 181 answer tokens = 74.2 nats”."""
    return tr("{figure} a token × {n} answer tokens = {nats} nats").format(
        figure=value_text(piece.per_answer_token or 0.0),
        n=formatting.tokens(result.answer_tokens),
        nats=_signed(piece.nats or 0.0),
    )


def _signed(nats: float) -> str:
    return f"{'−' if round(nats, 1) < 0 else ''}{formatting.score(abs(nats))}"
