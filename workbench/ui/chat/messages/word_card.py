"""The words of an answer that its model was not sure of: how many, and for each what else could have stood there."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QWidget

from workbench.domain.probability import CANDIDATES, Candidate, LikelyWord
from workbench.ui.look.painting import fill_rounded, paint_text
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.floating import MARGIN, Popup, within
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown

WIDTH, ROW, BAR, BAR_HEIGHT = 312, 22, 72, 6
LONGEST = 24


def share_words(share: float) -> str:
    """A probability as it is written: two places, and less than the least of them where it is not nothing."""
    return f"{share:.2f}" if share >= 0.005 or not share else "< 0.01"


def doubt_words(count: int) -> str:
    """How many words of an answer were unsure."""
    return tr("1 word under 0.5") if count == 1 else tr("{n} words under 0.5").format(n=count)


class DoubtLine(QWidget):
    """How many words of an answer were unsure, as a link to the first of them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.open = button("", "link", size="small")
        self.open.setToolTip(tr("What else could have stood there"))
        fill(columns(self), self.open, STRETCH)

    def show_count(self, count: int) -> None:
        self.open.setText(doubt_words(count))
        self.setVisible(bool(count))


class CandidateRows(QWidget):
    """The candidates with their shares; one of them is chosen.

    Signals:
        chosen: another row was pressed, by its number. wished: one was pressed twice.
    """

    chosen = Signal(int)
    wished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._word: LikelyWord | None = None
        self.current = 0
        self.setFixedSize(WIDTH - 2, CANDIDATES * ROW)

    def show_word(self, word: LikelyWord, current: int) -> None:
        self._word, self.current = word, current
        self.setFixedHeight(max(1, len(word.candidates)) * ROW)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.chosen.emit(int(event.position().y()) // ROW)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.wished.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        word, painter, theme = self._word, QPainter(self), theme_of(self)
        if word is None:
            return
        if not word.candidates:
            paint_text(
                painter,
                QRectF(12, 0, self.width() - 24, ROW),
                tr("Nothing else was reported."),
                "small",
                "t3",
            )
        for number, one in enumerate(word.candidates):
            box = QRectF(0, number * ROW, self.width(), ROW)
            if number == self.current:
                painter.fillRect(box, colour("sel", theme))
            paint_text(painter, box.adjusted(12, 0, 0, 0), str(number + 1), "meta", "t3")
            name = candidate_words(word, one)
            paint_text(painter, QRectF(30, box.y(), 120, ROW), name, "small", "t1", 600)
            bar = QRectF(154, box.center().y() - BAR_HEIGHT / 2, BAR, BAR_HEIGHT)
            fill_rounded(painter, bar, colour("line", theme), 3)
            width = max(2.0, BAR * one.probability)
            fill_rounded(painter, QRectF(bar.x(), bar.y(), width, BAR_HEIGHT), colour("accent", theme), 3)
            paint_text(painter, QRectF(232, box.y(), 36, ROW), share_words(one.probability), "small", "t1")
            if one.text == word.token:
                paint_text(painter, QRectF(264, box.y(), 44, ROW), tr("written"), "meta", "t3")


def candidate_words(word: LikelyWord, candidate: Candidate) -> str:
    """A candidate as a word; what cannot be seen is named."""
    made = word.word_with(candidate)
    if made or not candidate.text:
        return shown(made, LONGEST) if made else tr("(end)")
    return tr("(a line end)") if "\n" in candidate.text else tr("(a blank)")


class WordCard(Popup):
    """One word of an answer; ← and → go to the others, 1 to 5 choose a candidate, Enter goes on from it.

    Signals:
        wished: to go on from a word with a candidate, by both their numbers. stepped: another word is shown, by its
            number. closed: it is over.
    """

    wished = Signal(int, int)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, (1, 0, 1, 0))
        self._words: Sequence[LikelyWord] = ()
        self._places: tuple[int, ...] = ()
        self._at = self._current = 0
        self._why, self._spot, self._hovering = "", QRect(), False
        self.title = ElidedLabel("", "ui_heading")
        self.count = label("", "small", "t3")
        self.other = label("", "small", "t3")
        self.rows = CandidateRows()
        self.go_on = on_click(button("", icon="play", size="small"), self._go_on)
        self.price = ElidedLabel("", "small", "t3")
        self.body.setSpacing(0)
        fill(columns(self.body, (12, 9, 12, 9), 6), self.title, self.count, STRETCH, self.other)
        self.body.addWidget(self.rows)
        self.why = label("", "small", "warn", wrap=True)
        foot = rows(self.body, (12, 9, 12, 9), 6)
        fill(columns(foot, spacing=8), self.go_on, STRETCH, self.price)
        foot.addWidget(self.why)
        self.rows.chosen.connect(self.choose)
        self.rows.wished.connect(self._go_on)
        self.setFixedWidth(WIDTH + 2 * MARGIN)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_words(
        self, words: Sequence[LikelyWord], places: tuple[int, ...], why_not: str, price: str
    ) -> None:
        """Take the words of an answer and which of them are marked; `why_not` says why its model cannot go on."""
        self._words, self._places, self._why = words, places, why_not
        set_text(self.price, price)
        set_text(self.why, why_not)
        self.why.setVisible(bool(why_not))

    def word(self) -> LikelyWord:
        return self._words[self._at]

    def open_at(self, number: int, spot: QRect, room: QRect, *, hovering: bool = False) -> None:
        """Open at a word, beside its place on the screen; one opened by pointing goes when the pointer does.

        `room` is where the answer is seen: what lies below that is not covered where it fits above the word.
        """
        self._hovering = hovering
        self._show(number)
        self.adjustSize()
        self.lie_beside(spot, room)
        self.show()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def lie_beside(self, spot: QRect, room: QRect) -> None:
        """Lie below a word, or above it where it would cover what is below the answer."""
        self._spot = spot
        x, y = spot.center().x() - WIDTH // 2 - MARGIN, spot.bottom() + 6 - MARGIN
        if y + self.height() - MARGIN > room.bottom():
            y = spot.top() - 6 - self.height() + MARGIN
        self.move(within(self.screen().availableGeometry(), QPoint(x, y), self.size()))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.closed.emit()

    def choose(self, number: int) -> None:
        """Choose a candidate by its number from 0."""
        if 0 <= number < len(self.word().candidates):
            self._current = number
            self._show_choice()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if Qt.Key.Key_1 <= key < Qt.Key.Key_1 + CANDIDATES:
            self.choose(key - Qt.Key.Key_1)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.choose(self._current + (1 if key == Qt.Key.Key_Down else -1))
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(1 if key == Qt.Key.Key_Right else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._go_on()
        elif key == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.globalPosition().toPoint()
        inside = self.rect().adjusted(MARGIN - 8, MARGIN - 8, 8 - MARGIN, 8 - MARGIN)
        if self._hovering and not inside.contains(self.mapFromGlobal(at)) and not self._spot.contains(at):
            self.close()

    def _step(self, by: int) -> None:
        """To the next word that was doubted, or the one before."""
        there = [place for place in self._places if (place - self._at) * by > 0]
        if there:
            self._hovering = False
            self._show(there[0] if by > 0 else there[-1])
            self.stepped.emit(self._at)

    def _show(self, number: int) -> None:
        self._at = number
        word = self.word()
        written = [place for place, one in enumerate(word.candidates) if one.text == word.token]
        self._current = next((place for place in range(len(word.candidates)) if place not in written), 0)
        set_text(self.title, shown(word.text, LONGEST))
        set_text(self.count, tr("word {n} of {all}").format(n=number + 1, all=len(self._words)))
        set_text(self.other, tr("other words {share}").format(share=share_words(word.other_share)))
        self.other.setVisible(bool(word.candidates))
        self._show_choice()
        self.fit()

    def _show_choice(self) -> None:
        word = self.word()
        self.rows.show_word(word, self._current)
        name = candidate_words(word, word.candidates[self._current]) if word.candidates else ""
        told = tr("Continue from here with “{word}”").format(word=name) if name else tr("Continue from here")
        self.go_on.setText(told)
        self.go_on.setEnabled(self._can_go_on())
        self.go_on.setToolTip(self._why)
        said = f"{self.title.text()}, {self.count.text()}. {told}"
        if word.candidates:
            said += f", {share_words(word.candidates[self._current].probability)}"
        self.setAccessibleName(said)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))

    def _can_go_on(self) -> bool:
        chosen = self.word().candidates[self._current : self._current + 1]
        return not self._why and bool(chosen) and bool(chosen[0].text)

    def _go_on(self) -> None:
        if self._can_go_on():
            self.close()
            self.wished.emit(self._at, self._current)
