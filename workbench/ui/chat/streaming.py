"""An answer while it grows: what is complete is rendered once and stays, only its end is laid out again and again."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from workbench.ui.chat.block_stack import FRAME_GAP_PX, BlockStack
from workbench.ui.chat.ink import Ink
from workbench.ui.chat.markdown import piece_parts
from workbench.ui.chat.pieces import PAGE_CHARS, pieces, settled_end
from workbench.ui.chat.prose_writer import GAP_PX
from workbench.ui.chat.stack import Place, Stack
from workbench.ui.chat.tail import Tail


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
        self.body = self._new_body()
        self.tail = Tail(self)
        self._arrange()

    @property
    def text(self) -> str:
        """All of the text so far."""
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
        self.tail.show_text(text[self._settled :])
        self._arrange()

    def finish(self, text: str) -> BlockStack:
        """Render the end too, and hand the blocks over to what shows the finished answer."""
        self.show_text(text)
        if self._settled < PAGE_CHARS and self._text[self._settled :]:
            self._take(len(self._text), True)
        self.tail.show_text("")
        body = self.body
        body.link_wished.disconnect(self.link_wished)
        return body

    def _settle(self) -> None:
        end, blank = settled_end(self._text, self._settled)
        if end > self._settled and self._settled < PAGE_CHARS:
            self._take(end, blank)

    def _take(self, end: int, blank: bool) -> None:
        """Freeze everything up to there."""
        after_blank = self._after_blank
        for piece in pieces(self._text, self._settled, end):
            text = self._text[piece.start : piece.end]
            first = piece.start == self._settled
            self.body.add(text, piece_parts(text, after_blank if first else piece.after_blank))
        self._settled, self._after_blank = end, blank

    def _begin_anew(self) -> None:
        old, self.body = self.body, self._new_body()
        self._settled, self._after_blank, self._scanned = 0, True, 0
        self._arrange()
        old.deleteLater()

    def _new_body(self) -> BlockStack:
        made = BlockStack(self._ink, parent=self)
        made.link_wished.connect(self.link_wished)
        return made

    def _arrange(self) -> None:
        """The gap before the end is the one that stays when it is finished."""
        gap = 0 if not self._after_blank else FRAME_GAP_PX if self.tail.is_code() else GAP_PX
        wanted = [Place(self.body)] if self.body.source else []
        if self.tail.text().strip():
            wanted.append(Place(self.tail, gap if wanted else 0))
        self.set_places(wanted)
