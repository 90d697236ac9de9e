"""A text as blocks one below the other; a block that stays the same keeps its widget."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, assert_never

from PySide6.QtCore import QRect, QTimer, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui import formatting
from workbench.ui.chat.text.blocks import Block, Code, Formula, Part, Prose, Table, blocks_text, grouped
from workbench.ui.chat.text.code_block import CodeBlock
from workbench.ui.chat.text.formula_view import FormulaView
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.markdown import PageReader
from workbench.ui.chat.text.prose import ProseView
from workbench.ui.chat.text.prose_writer import GAP_PX, INDENT_PX, gap_above
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.chat.text.selection import Holder, Mark, Selection, marks_in
from workbench.ui.chat.text.table_view import TableView
from workbench.ui.widgets.buttons import Button, button
from workbench.ui.widgets.stack import StackItem

FRAME_GAP_PX = 10
LEAST_WIDTH_PX, USUAL_WIDTH_PX = 160, 548

BlockView = ProseView | CodeBlock | TableView | FormulaView


class Spot(NamedTuple):
    """A place in a text on the screen."""

    widget: QWidget
    box: QRect


class BlockStack(Holder):
    """What a message says, read piece by piece, so that a long one does not keep the window waiting."""

    link_wished = Signal(str)

    def __init__(self, ink: Ink, *, verbatim: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._ink, self._verbatim = ink, verbatim
        self._source = ""
        self._token = "t1"
        self._parts: list[Part] = []
        self._blocks: tuple[Block, ...] = ()
        self._views: list[BlockView] = []
        self._by: dict[type[BlockView], BlockView] = {}
        self._reader: PageReader | None = None
        self._turn: QTimer | None = None
        self.more: Button | None = None
        self.selection = Selection(self)

    @property
    def source(self) -> str:
        return self._source

    def blocks(self) -> tuple[Block, ...]:
        return self._blocks

    def views(self) -> tuple[BlockView, ...]:
        return tuple(self._views)

    def readables(self) -> tuple[BlockView, ...]:
        """The same, for what is selected of them."""
        return tuple(self._views)

    def text(self) -> str:
        return blocks_text(self._blocks)

    def is_whole(self) -> bool:
        return not self._is_reading() and not self._left()

    def show_text(self, source: str) -> None:
        """Show a text: its first piece now, the rest in turns."""
        if source == self._source:
            return
        self._source = source
        self._parts = []
        self._begin_page(0)

    def show_more(self) -> None:
        if self._reader is not None and self._reader.done:
            self._begin_page(self._reader.end)

    def read_all(self) -> None:
        """Read the page to its end now; for pictures, which must not be taken half read."""
        while self._is_reading():
            self._read_on()

    def add(self, text: str, parts: Sequence[Part]) -> None:
        """Go on with a piece of text that was read elsewhere."""
        self._source += text
        self._parts.extend(parts)
        self._show(grouped(self._parts))

    def show_parts(self, text: str, parts: Sequence[Part]) -> None:
        """Show a text that was read elsewhere, all of it; blocks that stay the same keep their widgets."""
        self._source, self._parts = text, list(parts)
        self._show(grouped(self._parts))

    def mark_words(self, pattern: re.Pattern[str] | None, current: int | None = None) -> Spot | None:
        """Mark words in all blocks; where one of them is the current one, say where it stands."""
        if pattern is None:
            for browser in self._browsers():
                browser.mark_words(None)
            return None
        counts = [(browser, browser.count_words(pattern)) for browser in self._browsers()]
        total, before, spot = sum(count for _, count in counts), 0, None
        # What is shown may hold fewer than what was written: then the last one is the nearest.
        wanted = None if current is None or not total else min(current, total - 1)
        for browser, count in counts:
            own = None if wanted is None or not before <= wanted < before + count else wanted - before
            browser.mark_words(pattern, own)
            if own is not None:
                spot = Spot(browser, browser.spot_of(own))
            before += count
        return spot

    def mark_carried(self, marks: Sequence[Mark]) -> None:
        """Mark stretches of what was written, wherever they are shown; none marks nothing."""
        browsers = self._browsers()
        texts = [browser.document().toPlainText() for browser in browsers]
        for browser, own in zip(browsers, marks_in(self._source, texts, marks), strict=True):
            browser.mark_carried(own)

    def show_found(self, pattern: re.Pattern[str], number: int) -> Spot | None:
        """Mark words and say where one of them stands, however far down the text it is read."""
        self.read_all()
        while self._left() and sum(one.count_words(pattern) for one in self._browsers()) <= number:
            self.show_more()
            self.read_all()
        return self.mark_words(pattern, number)

    def gap_above(self) -> int:
        return _room(self._blocks[0])[0] if self._blocks else 0

    def set_token(self, token: str) -> None:
        self._token = token
        for view in (*self._views, *self._by.values()):
            if isinstance(view, ProseView):
                view.set_token(token)

    def _browsers(self) -> list[SafeBrowser]:
        texts = (view.text if isinstance(view, CodeBlock) else view for view in self._views)
        return [text for text in texts if isinstance(text, SafeBrowser)]

    def _begin_page(self, start: int) -> None:
        self._reader = PageReader(self._source, start, verbatim=self._verbatim)
        self._read_on()
        if not self._reader.done:
            self._read_in_turns()

    def _read_on(self) -> None:
        reader = self._reader
        if reader is None:
            return
        self._parts.extend(reader.read())
        if reader.done and self._turn is not None:
            self._turn.stop()
        self._show(grouped(self._parts))

    def _show(self, blocks: tuple[Block, ...]) -> None:
        """Give every block its widget; only blocks that are not the same as before are touched."""
        views = [self._view_for(number, block) for number, block in enumerate(blocks)]
        for gone in set(self._views) - set(views):
            gone.hide()
            self._put_by(gone)
        self._blocks, self._views = blocks, views
        places = [StackItem(view, *_room(block)) for view, block in zip(views, blocks, strict=True)]
        if self._left():
            places.append(StackItem(self._more_button(self._left()), GAP_PX))
        self.set_stack_items(places)
        self.selection.renew()

    def _more_button(self, left: int) -> Button:
        if self.more is None:
            self.more = button("", "ghost", "chevron-down", size="small")
            self.more.setParent(self)
            self.more.clicked.connect(self.show_more)
        self.more.setText(self.tr("Show more, {n} kB left").format(n=formatting.tokens(max(1, left // 1000))))
        return self.more

    def _read_in_turns(self) -> None:
        if self._turn is None:
            self._turn = QTimer(self)
            self._turn.timeout.connect(self._read_on)
        self._turn.start(0)

    def _is_reading(self) -> bool:
        return self._turn is not None and self._turn.isActive()

    def _left(self) -> int:
        done = self._reader is not None and self._reader.done
        return len(self._source) - self._reader.end if done and self._reader is not None else 0

    def _view_for(self, number: int, block: Block) -> BlockView:
        old = self._views[number] if number < len(self._views) else None
        if old is not None and self._blocks[number] == block:
            return old
        kind = _CLASSES[type(block)]
        if old is None or not isinstance(old, kind):
            old = self._by.pop(kind, None)
        made = old or self._made(block)
        _fill(made, block)
        return made

    def _put_by(self, gone: BlockView) -> None:
        """Keep one of each kind for the next text: to make one takes longer than to fill it."""
        if type(gone) in self._by:
            gone.deleteLater()
        else:
            self._by[type(gone)] = gone

    def _made(self, block: Block) -> BlockView:
        made: BlockView = _CLASSES[type(block)](self._ink, self)
        if isinstance(made, ProseView):
            # What is written is laid out at once: better for the width it will have than for any other.
            made.wrap_at(self.width() if self.width() > LEAST_WIDTH_PX else USUAL_WIDTH_PX)
            made.set_token(self._token)
        if isinstance(made, ProseView | TableView):
            made.link_wished.connect(self.link_wished)
        made.join(self.selection)
        return made


_CLASSES: dict[type[Block], type[BlockView]] = {
    Prose: ProseView,
    Code: CodeBlock,
    Table: TableView,
    Formula: FormulaView,
}


def _fill(view: BlockView, block: Block) -> None:
    match block:
        case Prose(lines):
            assert isinstance(view, ProseView)
            view.show_lines(lines)
        case Code():
            assert isinstance(view, CodeBlock)
            view.show_code(block)
        case Table():
            assert isinstance(view, TableView)
            view.show_table(block)
        case Formula():
            assert isinstance(view, FormulaView)
            view.show_formula(block)
        case _:
            assert_never(block)


def _room(block: Block) -> tuple[int, int]:
    if isinstance(block, Prose):
        return gap_above(block.lines[0]), 0
    return FRAME_GAP_PX, block.indent * INDENT_PX
