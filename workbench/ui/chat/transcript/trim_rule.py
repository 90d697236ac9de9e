"""The line below the last message that is sent shortened: how many are, and what they still cost."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from workbench.ui import formatting
from workbench.ui.chat.messages.feed import TrimMark
from workbench.ui.chat.messages.message_head import offer_action
from workbench.ui.chat.messages.message_view import MessageView
from workbench.ui.chat.text.ink import Ink
from workbench.ui.look.fonts import font, metrics
from workbench.ui.look.icons import paint_icon
from workbench.ui.look.painting import dashed_pen, elided, set_text_style
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.buttons import QuietButton
from workbench.ui.widgets.stack import StackItem, tell_height

HEIGHT, NOTE_HEIGHT = 24, 16
PADDING = 8


class TrimRule(MessageView):
    """A dashed rule with its words, and a button that brings everything above back."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(ink, parent=parent)
        self.item: TrimMark | None = None
        self.line = RuleLine()
        self.untrim = QuietButton("undo", self.tr("Untrim all of them"), 24)
        self.untrim.setParent(self.line)
        self.untrim.clicked.connect(self._on_untrim)
        offer_action(self.untrim, lambda: "untrim", self._look)
        self.line.end = self.untrim
        self.set_stack_items([StackItem(self.line)])

    def show_item(self, item: object) -> None:
        assert isinstance(item, TrimMark)
        self.item = item
        # Of what is trimmed something stays, of what left nothing does.
        one, several = (
            self.tr("1 message above is dropped"),
            self.tr("{n} messages above are dropped"),
        )
        if item.tokens:
            one = self.tr("1 message above is trimmed, {tokens}")
            several = self.tr("{n} messages above are trimmed, {tokens}")
        words = formatting.counted(len(item.members), one, several)
        words = words.replace("{tokens}", formatting.token_words(item.tokens))
        if item.back == 1:
            words = self.tr("{cut}; 1 recalled in full").format(cut=words)
        elif item.back:
            back = formatting.tokens(item.back)
            words = self.tr("{cut}; {n} recalled in full").format(cut=words, n=back)
        note = self._why(item)
        self.line.show_words(words, note)
        self.setAccessibleName(f"{words}. {note}" if note else words)

    def _why(self, item: TrimMark) -> str:
        if item.threshold_tokens is None:
            turn = formatting.tokens(item.since_turn)
            return self.tr("cut before turn {turn}").format(turn=turn) if item.since_turn else ""
        over = formatting.tokens(item.threshold_tokens)
        if not item.since_turn:
            return self.tr("cut for the next request: it would be over {n} tokens").format(n=over)
        words = self.tr("cut before turn {turn}: the request was over {n} tokens")
        return words.format(turn=formatting.tokens(item.since_turn), n=over)

    def _look(self, action: str, at: QRect | None) -> None:
        if self.item is not None:
            self.looked_at.emit(action, self.item.members[0], at)

    def _on_untrim(self) -> None:
        if self.item is not None:
            self.asked.emit("untrim", self.item.members[0])


class RuleLine(QWidget):
    """An icon and words in the middle of a dashed line; a mark before the note warns, where the icon does.

    Without an icon the line is whole: nothing is cut there.
    """

    def __init__(self, icon: str = "cut", token: str = "warn") -> None:
        super().__init__()
        self._icon, self._token = icon, token
        self._words = self._note = ""
        self.end: QWidget | None = None

    def words(self) -> str:
        return self._words

    def show_words(self, words: str, note: str = "") -> None:
        other_height = bool(note) != bool(self._note)
        self._words, self._note = words, note
        if other_height:
            tell_height(self)
        self.update()

    def note(self) -> str:
        return self._note

    def sizeHint(self) -> QSize:
        return QSize(200, HEIGHT + (NOTE_HEIGHT if self._note else 0))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), theme_of(self)
        end = self.end.sizeHint().width() + PADDING if self.end is not None else 0
        room = self.width() - end
        text = elided(font("meta"), self._words, room - 60)
        lead = 20 if self._icon else 0
        width = metrics("meta").horizontalAdvance(text) + lead
        left = max(0.0, (room - width) / 2)
        middle = HEIGHT / 2
        painter.setPen(dashed_pen(theme.line2, 1, 3, 3) if self._icon else colour("line", theme))
        painter.drawLine(0, round(middle), round(left - PADDING), round(middle))
        painter.drawLine(round(left + width + PADDING), round(middle), round(room), round(middle))
        if self._icon:
            paint_icon(painter, QRectF(left, 0, 14, HEIGHT), self._icon, self._token, 12)
        set_text_style(painter, font("meta"), colour("t2", theme))
        measure = metrics("meta")
        painter.drawText(round(left + lead), round(middle + (measure.ascent() - measure.descent()) / 2), text)
        if self._note:
            self._paint_note(painter, room)

    def _paint_note(self, painter: QPainter, room: float) -> None:
        text = elided(font("meta"), self._note, room - 40)
        width = metrics("meta").horizontalAdvance(text) + 14
        left, top = max(0.0, (room - width) / 2), float(HEIGHT - 2)
        middle = top + NOTE_HEIGHT / 2 - 1
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour("errline", theme_of(self)))
        if self._token == "warn":
            painter.drawPolygon(
                [QPointF(left, middle - 3), QPointF(left + 8, middle - 3), QPointF(left + 4, middle + 4)]
            )
        painter.setPen(colour("t2", theme_of(self)))
        painter.drawText(QRectF(left + 14, top, width, NOTE_HEIGHT), Qt.AlignmentFlag.AlignVCenter, text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.end is not None:
            size = self.end.sizeHint()
            self.end.setGeometry(
                self.width() - size.width(), (HEIGHT - size.height()) // 2, size.width(), size.height()
            )
