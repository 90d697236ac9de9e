"""The turns panel: the bars, what they mean, and beside them the chosen turn in words."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from workbench.domain.shown.envelope_view import RowKey
from workbench.domain.shown.turn_view import TurnRow
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.inspector.rows.row_words import turn_title
from workbench.ui.inspector.rows.verdict_words import cache_line, turn_headline, turn_sentence, turns_summary
from workbench.ui.inspector.turns.timeline_layout import (
    MARK_HALF,
    MARK_HEIGHT,
    Mark,
    Timeline,
    paint_cached,
    paint_mark,
    turn_bar,
)
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import set_text_style, stroke_rounded
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Hairline
from workbench.ui.widgets.guided import lead_to, tell_figure
from workbench.ui.widgets.labels import label, set_text, set_token
from workbench.ui.wishes import Wishes

__all__ = ["Timeline", "TimelineLegend", "TurnsPanel"]
DETAIL_SHARE = 0.46
HEIGHT = 16
SWATCH, DASH = 12, 10
WORD_GAP, GAP = 5, 14


class TurnsPanel(QWidget):
    """Bars and detail; `legend` is for the heading it stands under.

    Attributes:
        timeline: the bars. legend: what they mean.
    """

    selected = Signal(object)

    def __init__(self, wishes: Wishes | None = None) -> None:
        super().__init__()
        self.wishes = wishes or Wishes(self)
        self._turns: tuple[TurnRow, ...] = ()
        self._opened: int | None = None
        self._awaited: int | None = None
        self._summary = turns_summary(())
        self.timeline = Timeline(self.wishes)
        self.legend = TimelineLegend()
        self.detail = TurnDetail()
        self.empty = label("", "small", "t3", wrap=True)
        self._say_empty(watched=False)
        self._stack = QStackedWidget()
        both = QWidget()
        fill(columns(both, spacing=16), (self.timeline, 1), Hairline(upright=True), self.detail)
        self._stack.addWidget(both)
        self._stack.addWidget(self.empty)
        rows(self).addWidget(self._stack)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        told = tr("Predicted from the requests before, and reported by the provider with its answer.")
        tell_figure(self.detail.cache, told, "cache")
        lead_to(self, "cache")
        self.timeline.chosen.connect(self._on_chosen)
        self.detail.open_wanted.connect(self._open)

    def show_state(self, state: WorkbenchState, chat: ChatState | None) -> None:
        self.timeline.show_state(state, chat)
        self._follow(chat)
        turns = chat.turns if chat is not None else ()
        if turns is not self._turns:
            self._summary = turns_summary(turns)
        if turns is not self._turns or self.timeline.turn() is not self.detail.turn():
            self._turns = turns
            self._say_empty(watched=chat is not None and chat.chat.filed.watched is not None)
            self._stack.setCurrentIndex(0 if self.timeline.turn() is not None else 1)
            self.detail.show_turn(self.timeline.turn())

    def _follow(self, chat: ChatState | None) -> None:
        """The frame goes to the turn that was opened, wherever that was done."""
        opened = None if chat is None or chat.opened is None else chat.opened.turn
        if opened != self._opened:
            self._opened = self._awaited = opened
        if self._awaited is not None and self.timeline.knows(self._awaited):
            # A watched request is opened when it is sent; its bar comes with its answer.
            awaited, self._awaited = self._awaited, None
            self.timeline.choose(awaited)
        self._show_opening()

    def _show_opening(self) -> None:
        turn = self.timeline.turn()
        self.detail.open.setVisible(turn is None or turn.number != self._opened)

    def _say_empty(self, watched: bool) -> None:
        words = tr("No turns yet. Each answer adds a bar: tokens from the cache, and tokens re-read.")
        if watched:
            words = tr("No answers yet. Each adds a bar: tokens from the cache, and tokens re-read.")
        set_text(self.empty, words)

    def select(self, key: RowKey | None) -> None:
        """A row of a request is no turn: nothing is marked."""

    def summary(self) -> str:
        return self._summary

    def sizeHint(self) -> QSize:
        return QSize(720, self.timeline.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.detail.setFixedWidth(min(round(self.width() * DETAIL_SHARE), 320))

    def _on_chosen(self, _number: int) -> None:
        self.detail.show_turn(self.timeline.turn())
        self._show_opening()

    def _open(self) -> None:
        self.timeline.open_turn()
        self.wishes.run("layers")


class TurnDetail(QWidget):
    """A turn in words: what became of its cache, and why."""

    open_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._turn: TurnRow | None = None
        self.title = label("", "ui_heading")
        self.mark = MarkSpot()
        self.headline = label("", "ui_label")
        self.sentence = label("", "small", "t2", wrap=True)
        self.cache = label("", "small", "t2", wrap=True)
        self.open = on_click(button(tr("Open request"), size="small"), self.open_wanted)
        down = rows(self, spacing=4)
        fill(columns(down, spacing=6), self.title, self.mark, self.headline, STRETCH)
        fill(rows(down), self.sentence, self.cache)
        down.addSpacing(4)
        fill(columns(down, spacing=8), self.open, STRETCH)
        down.addStretch(1)

    def turn(self) -> TurnRow | None:
        return self._turn

    def show_turn(self, turn: TurnRow | None) -> None:
        self._turn = turn
        if turn is None:
            return
        set_text(self.title, turn_title(turn.number, turn.watched))
        words, token = turn_headline(turn)
        set_text(self.headline, words)
        set_token(self.headline, token)
        self.mark.show_mark(turn_bar(turn).mark)
        set_text(self.sentence, turn_sentence(turn))
        self.sentence.setVisible(bool(turn_sentence(turn)))
        set_text(self.cache, cache_line(turn))


class MarkSpot(QWidget):
    """The mark of a turn beside its words."""

    def __init__(self) -> None:
        super().__init__()
        self._mark: Mark = ""
        self.setFixedSize(round(2 * MARK_HALF) + 2, round(MARK_HEIGHT) + 4)
        self.setVisible(False)

    def show_mark(self, mark: Mark) -> None:
        self._mark = mark
        self.setVisible(bool(mark))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        tip = QPointF(QRectF(self.rect()).center().x(), self.height() - 1)
        paint_mark(QPainter(self), tip, self._mark)


class TimelineLegend(QWidget):
    """A line of swatches with their words, at the end of a heading."""

    def __init__(self) -> None:
        super().__init__()
        self._words = (
            ("cached", tr("cached")),
            ("fresh", tr("fresh")),
            ("output", tr("output")),
            ("predicted", tr("predicted")),
            ("reported", tr("reported")),
        )
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Legend"))
        self.setAccessibleDescription(", ".join(word for _, word in self._words))

    def sizeHint(self) -> QSize:
        return QSize(
            round(sum(self._width(word) for _, word in self._words)) + GAP * (len(self._words) - 1), HEIGHT
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(0, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        end = float(self.width())
        for name, word in reversed(self._words):
            start = end - self._width(word)
            if start < 0:
                return
            self._paint_swatch(painter, QRectF(start, 2, SWATCH, SWATCH), name)
            set_text_style(painter, font("meta"), colour("t2", theme))
            width = metrics("meta").horizontalAdvance(word) + 1
            painter.drawText(QRectF(end - width, 0, width, HEIGHT), Qt.AlignmentFlag.AlignCenter, word)
            end = start - GAP

    def _width(self, word: str) -> float:
        return SWATCH + WORD_GAP + metrics("meta").horizontalAdvance(word) + 1

    def _paint_swatch(self, painter: QPainter, box: QRectF, name: str) -> None:
        theme = theme_of(self)
        match name:
            case "cached":
                paint_cached(painter, box)
            case "fresh":
                painter.fillRect(box, colour("fresh", theme))
            case "output":
                painter.fillRect(box, colour("surface", theme))
                stroke_rounded(painter, box, theme.edge, 1)
            case _:
                token = "t1" if name == "predicted" else "accent"
                painter.fillRect(QRectF(box.left(), box.center().y() - 1, DASH, 2), colour(token, theme))
