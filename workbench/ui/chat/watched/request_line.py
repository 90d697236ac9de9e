"""The line above what a watched request brought: which one it is, and what became of its prefix."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from workbench.domain.shown.turn_view import TurnRow
from workbench.ui import formatting
from workbench.ui.chat.messages.feed import RequestMark
from workbench.ui.chat.messages.message_view import MessageView
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.painting import dashed_pen, elided, set_text_style, take, take_end
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.model_button import model_name
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import tip
from workbench.ui.widgets.stack import StackItem

HEIGHT = 22
GAP = 8
TRIANGLE = 8
LEAST_LINE = 36


def request_words(turn: TurnRow) -> str:
    """Which request, when, to which model, with how many tools."""
    tools = "" if not turn.tools else formatting.counted(turn.tools, tr("1 tool"), tr("{n} tools"))
    parts = (
        tr("Request {n}").format(n=formatting.tokens(turn.number)),
        formatting.clock(turn.sent_utc),
        model_name(turn.model),
        tools,
    )
    return " · ".join(part for part in parts if part)


def prefix_words(turn: TurnRow) -> str:
    """What became of the prefix, or that the answer is not there yet; empty where nothing of it was lost."""
    if turn.state == "running":
        return tr("answering…")
    if turn.change == "diverged" and turn.lost_tokens:
        return tr("prefix lost")
    return tr("sent again") if turn.change == "identical" else ""


class RequestLine(MessageView):
    """A quiet rule; pressed, the inspector shows its request."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, parent=parent)
        self.item: RequestMark | None = None
        self.rule = RequestRule()
        self.rule.clicked.connect(self._on_click)
        self.set_stack_items([StackItem(self.rule)])

    def show_item(self, item: object) -> None:
        assert isinstance(item, RequestMark)
        self.item = item
        self.rule.show_turn(item.turn, item.shown)

    def _on_click(self) -> None:
        if self.item is not None:
            self.asked.emit("open_turn", str(self.item.turn.number))


class RequestRule(QAbstractButton):
    """Words at both ends of a dashed line."""

    def __init__(self) -> None:
        super().__init__()
        self._words = self._lost = self._figure = ""
        self._broke = self._shown = False
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFixedHeight(HEIGHT)
        self.setProperty("ring_radius", 6)

    def show_turn(self, turn: TurnRow, is_shown: bool) -> None:
        self._words, self._lost = request_words(turn), prefix_words(turn)
        self._broke, self._shown = turn.change == "diverged" and turn.state != "running", is_shown
        self._figure = tr("{n} in").format(n=formatting.tokens(turn.last_tokens))
        self.setAccessibleName(", ".join(part for part in (self._words, self._lost, self._figure) if part))
        lines = (
            formatting.moment(turn.sent_utc),
            *turn.why_lost,
            tr("Shows this request in full."),
        )
        self.setToolTip(tip("\n".join(filter(None, lines))))
        self.update()

    def words(self) -> tuple[str, str, str]:
        return self._words, self._lost, self._figure

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        room, measure = QRectF(self.rect()), metrics("small")
        behind = sum(measure.horizontalAdvance(text) + GAP for text in (self._lost, self._figure))
        words = elided(font("small", 500), self._words, room.width() - behind - LEAST_LINE)
        token = "accent_text" if self._shown else "t2" if self.underMouse() else "t3"
        set_text_style(painter, font("small", 500 if self._shown else 400), colour(token, theme))
        width = metrics("small", 500 if self._shown else 400).horizontalAdvance(words) + 1
        painter.drawText(take(room, width, GAP), Qt.AlignmentFlag.AlignVCenter, words)
        set_text_style(painter, font("small"), colour("t3", theme))
        figure = take_end(room, measure.horizontalAdvance(self._figure) + 1, GAP)
        painter.drawText(figure, Qt.AlignmentFlag.AlignVCenter, self._figure)
        if self._lost:
            self._paint_lost(painter, room)
        painter.setPen(dashed_pen(theme.line2, 1, 3, 3))
        middle = round(room.center().y())
        if room.width() > GAP:
            painter.drawLine(round(room.left()), middle, round(room.right()), middle)

    def _paint_lost(self, painter: QPainter, room: QRectF) -> None:
        theme = theme_of(self)
        token = "err" if self._broke else "t3"
        width = metrics("small").horizontalAdvance(self._lost) + 1
        set_text_style(painter, font("small"), colour(token, theme))
        painter.drawText(take_end(room, width, 4), Qt.AlignmentFlag.AlignVCenter, self._lost)
        if self._broke:
            spot = take_end(room, TRIANGLE, GAP)
            left, top = spot.left(), spot.center().y() - 3
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("errline", theme))
            painter.drawPolygon([QPointF(left, top), QPointF(left + 8, top), QPointF(left + 4, top + 7)])
