"""An answer while it grows: what is complete is rendered once and stays, only its end is laid out again and again."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.chat.text.block_stack import FRAME_GAP_PX, BlockStack
from workbench.ui.chat.text.code_block import HEAD_PX, PADDING_PX, RADIUS, SIDE_PX
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.markdown import piece_parts
from workbench.ui.chat.text.pieces import PAGE_CHARS, pieces, settled_end
from workbench.ui.chat.text.prose_writer import INDENT_PX
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.chat.text.safe_text import visible
from workbench.ui.chat.text.unfinished import OpenCode, completed, split_open_code
from workbench.ui.look.fonts import font, line_height, metrics
from workbench.ui.look.painting import fill_rounded, paint_elided, set_text_style, stroke_rounded
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import Stack, StackItem, tell_height
from workbench.ui.widgets.timer import single_shot

AT_ONCE_MS, FINISH_MS = 10, 60
DEAR_MS, REST, LONGEST_REST_MS = 4, 4, 400
"""An end that takes so long to lay out is left alone for so many times as long."""
LINE_HEAD = 12
"""So many letters of a line tell what it begins: the longest is an item's number."""
MOST_CHARS = 6_000
"""Of an end longer than that, only this much is shown; the rest comes when it is finished."""
CURSOR_WIDTH, CURSOR_HEIGHT = 8, 16


class GrowingText(Stack):
    """Finished blocks, and below them the end that is still being written."""

    link_wished = Signal(str)

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._ink = ink
        self._text = ""
        self._settled, self._after_blank = 0, True
        self._scanned = 0
        self._later = single_shot(self, self._catch_up)
        self.body = self._new_body()
        self.tail = Tail(ink, self)
        self._shown_at = -1
        self._rest = single_shot(self, self._show_tail)
        self.put_aside(self.body, self.tail)
        self._arrange()

    @property
    def text(self) -> str:
        return self._text

    def show_text(self, text: str) -> None:
        """Show a text that goes on where the last one ended; any other begins anew."""
        if text == self._text:
            return
        if not text.startswith(self._text):
            self._begin_anew()
        self._text = text
        # Only where a line begins can anything before it turn out to be complete.
        if "\n" in text[max(0, self._scanned - LINE_HEAD) :]:
            self._settle()
        self._scanned = len(text)
        # Where the end takes long to lay out, the loop has the most of the time; what is complete is never shown twice.
        if not self._rest.isActive() or self._shown_at != self._settled:
            self._show_tail()

    def finish(self, text: str) -> BlockStack:
        self.show_text(text)
        self._rest.stop()
        if self._settled < PAGE_CHARS and self._text[self._settled :]:
            self._later.stop()
            self._take(min(len(self._text), PAGE_CHARS), True, at_once_ms=FINISH_MS)
        self.tail.show_text("")
        body = self.body
        body.link_wished.disconnect(self.link_wished)
        return body

    def _settle(self) -> None:
        """Freeze what is complete, but not for long: an answer that is far along is caught up with in turns."""
        if self._settled >= PAGE_CHARS:
            return
        end, blank = settled_end(self._text, self._settled, self._settled + PAGE_CHARS)
        if end > self._settled and not self._take(end, blank):
            self._later.start(0)

    def _take(self, end: int, blank: bool, at_once_ms: int = AT_ONCE_MS) -> bool:
        """Freeze everything up to there; False where the time was not enough for all of it."""
        clock = QElapsedTimer()
        clock.start()
        wanted = list(pieces(self._text, self._settled, end))
        for number, piece in enumerate(wanted):
            if number and clock.elapsed() > at_once_ms:
                return False
            text = self._text[piece.start : piece.end]
            self.body.add(text, piece_parts(text, self._after_blank if number == 0 else piece.after_blank))
            self._settled = piece.end
            self._after_blank = wanted[number + 1].after_blank if number + 1 < len(wanted) else blank
        return True

    def _catch_up(self) -> None:
        self._settle()
        self._show_tail()

    def _show_tail(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        self.tail.show_text(self._text[self._settled :], self._after_blank)
        self._shown_at = self._settled
        self._arrange()
        if clock.elapsed() >= DEAR_MS:
            self._rest.start(min(LONGEST_REST_MS, REST * clock.elapsed()))

    def _begin_anew(self) -> None:
        old, self.body = self.body, self._new_body()
        self._settled, self._after_blank, self._scanned = 0, True, 0
        self._arrange()
        old.deleteLater()

    def _new_body(self) -> BlockStack:
        made = BlockStack(self._ink, parent=self)
        made.hide()
        made.link_wished.connect(self.link_wished)
        return made

    def _arrange(self) -> None:
        wanted = [StackItem(self.body)] if self.body.source else []
        if self.tail.stack_items():
            wanted.append(StackItem(self.tail, self.tail.gap_above() if wanted else 0))
        self.set_stack_items(wanted)


class Tail(Stack):
    """What is said so far, and below it code that is not closed yet; it changes too often to be pressed or selected."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._text = ""
        self.said = BlockStack(ink, parent=self)
        self.code = GrowingCode(self)
        self.caret = _Caret(self)
        self.put_aside(self.said, self.code, self.caret)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def text(self) -> str:
        return self._text

    def is_code(self) -> bool:
        return any(place.widget is self.code for place in self.stack_items())

    def gap_above(self) -> int:
        return self.said.gap_above() if self.said.blocks() else FRAME_GAP_PX

    def show_text(self, text: str, after_blank: bool = True) -> None:
        """Show this end; `after_blank` says whether an empty line stands before it."""
        if text == self._text:
            return
        self._text = text
        before, code = split_open_code(text)
        said = before[-MOST_CHARS:].strip("\n")
        said = said if code is not None else completed(said)
        self.said.show_parts(said, piece_parts(said, after_blank) if said.strip() else ())
        places = [StackItem(self.said)] if self.said.blocks() else []
        if code is not None:
            self.code.show_code(code)
            places.append(StackItem(self.code, FRAME_GAP_PX, code.depth * INDENT_PX))
        self.set_stack_items(places)
        self._place_cursor()

    def place_all(self) -> None:
        """The cursor goes with the words it stands behind."""
        super().place_all()
        self._place_cursor()

    def _place_cursor(self) -> None:
        last = self.said.views()[-1] if self.said.views() and not self.is_code() else None
        self.caret.setVisible(isinstance(last, SafeBrowser))
        if isinstance(last, SafeBrowser):
            spot = last.viewport().mapTo(self, last.end_of_text())
            self.caret.move(round(spot.x()) + 2, round(spot.y()) - CURSOR_HEIGHT // 2)
            self.caret.raise_()


class _Caret(QWidget):
    """A small block of colour where the next word will stand."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.resize(CURSOR_WIDTH, CURSOR_HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), colour("accent", theme_of(self)))


class GrowingCode(QWidget):
    """Code that is not closed yet, in the frame it will have; paints only the lines in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = ""
        self._lines = [""]
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def lines(self) -> tuple[str, ...]:
        return tuple(self._lines)

    def show_code(self, code: OpenCode) -> None:
        self._language = code.language
        self._lines = visible(code.text[-MOST_CHARS:]).expandtabs(4).split("\n")
        tell_height(self)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, HEAD_PX + 2 * PADDING_PX + len(self._lines) * line_height("code"))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, box, step = theme_of(self), QRectF(self.rect()), line_height("code")
        painter, seen = QPainter(self), QRectF(event.rect())
        fill_rounded(painter, box, theme.code_bg, RADIUS)
        stroke_rounded(painter, box, theme.line, RADIUS)
        painter.fillRect(QRectF(1, HEAD_PX, box.width() - 2, 1), colour("line", theme))
        set_text_style(painter, font("meta"), colour("t3", theme))
        head = QRectF(SIDE_PX, 0, box.width() - 2 * SIDE_PX, HEAD_PX)
        paint_elided(painter, head, shown(self._language, 24) or self.tr("code"))
        painter.setClipRect(box.adjusted(2, HEAD_PX + 1, -2, -2))
        set_text_style(painter, font("code"), colour("t1", theme))
        top = HEAD_PX + PADDING_PX
        first = max(0, int((seen.top() - top) // step))
        last = min(len(self._lines), int((seen.bottom() - top) // step) + 1)
        for number in range(first, last):
            painter.drawText(QPointF(SIDE_PX, top + number * step + step * 0.8), self._lines[number][:500])
        x = SIDE_PX + metrics("code").horizontalAdvance(self._lines[-1][:500])
        cursor = QRectF(round(x + 1), top + (len(self._lines) - 1) * step + 2, CURSOR_WIDTH, CURSOR_HEIGHT)
        painter.fillRect(cursor, colour("accent", theme))
