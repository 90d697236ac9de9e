"""An answer while it grows: what is complete is rendered once and stays, only its end is laid out again and again."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui.chat.text.block_stack import BlockStack
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.markdown import piece_parts
from workbench.ui.chat.text.pieces import PAGE_CHARS, pieces, settled_end
from workbench.ui.chat.text.tail import Tail
from workbench.ui.widgets.stack import Stack, StackItem
from workbench.ui.widgets.timer import single_shot

AT_ONCE_MS, FINISH_MS = 10, 60
DEAR_MS, REST, LONGEST_REST_MS = 4, 4, 400
"""An end that takes so long to lay out is left alone for so many times as long."""
LINE_HEAD = 12
"""So many letters of a line tell what it begins: the longest is an item's number."""


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
        """Render the end too, and hand the blocks over to what shows the finished answer."""
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
        """The gap before the end is the one that stays when it is finished."""
        wanted = [StackItem(self.body)] if self.body.source else []
        if self.tail.stack_items():
            wanted.append(StackItem(self.tail, self.tail.gap_above() if wanted else 0))
        self.set_stack_items(wanted)
