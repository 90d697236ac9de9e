"""A message's text as a stack of blocks; a block that does not change keeps its widget."""

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
from workbench.ui.chat.text.prose import LineBelow, ProseView
from workbench.ui.chat.text.prose_writer import GAP_PX, INDENT_PX, gap_above
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.chat.text.selection import Holder, Mark, Selection, marks_in, numbered_in
from workbench.ui.chat.text.table_view import TableView
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import Button, button
from workbench.ui.widgets.found_words import qt_spans
from workbench.ui.widgets.stack import StackItem

FRAME_GAP_PX = 10
LEAST_WIDTH_PX, USUAL_WIDTH_PX = 160, 548

BlockView = ProseView | CodeBlock | TableView | FormulaView


class Spot(NamedTuple):
    """A place in a text on the screen: a widget and a rectangle in it."""

    widget: QWidget
    box: QRect


class BlockStack(Holder):
    """The text of a message, read piece by piece so that a long one does not block the window."""

    link_wished = Signal(str)
    word_pointed = Signal(int)

    def __init__(self, ink: Ink, *, verbatim: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._ink, self._verbatim = ink, verbatim
        self._source = ""
        self._token = "t1"
        self._parts: list[Part] = []
        self._blocks: tuple[Block, ...] = ()
        self._views: list[BlockView] = []
        self._spare: dict[type[BlockView], BlockView] = {}
        self._reader: PageReader | None = None
        self._read_timer: QTimer | None = None
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
        """The views, as what a selection across blocks goes over."""
        return tuple(self._views)

    def text(self) -> str:
        return blocks_text(self._blocks)

    def is_whole(self) -> bool:
        return not self._is_reading() and not self._characters_left()

    def show_text(self, source: str) -> None:
        """Show a text: its first piece now, the rest in later turns of the event loop."""
        if source == self._source:
            return
        self._source = source
        self._parts = []
        self._begin_page(0)

    def show_more(self) -> None:
        if self._reader is not None and self._reader.done:
            self._begin_page(self._reader.end)

    def read_all(self) -> None:
        """Read the page to its end now; for pictures, which must show all of it."""
        while self._is_reading():
            self._read_next()

    def add(self, text: str, parts: Sequence[Part]) -> None:
        """Append a piece of text that was parsed elsewhere."""
        self._source += text
        self._parts.extend(parts)
        self._show(grouped(self._parts))

    def show_parts(self, text: str, parts: Sequence[Part]) -> None:
        """Show a whole text that was parsed elsewhere; blocks that do not change keep their widgets."""
        self._source, self._parts = text, list(parts)
        self._show(grouped(self._parts))

    def mark_words(self, pattern: re.Pattern[str] | None, current: int | None = None) -> Spot | None:
        """Mark all matches in the blocks; returns where the current one is, or None."""
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
        """Mark ranges of the source text wherever they are shown; an empty sequence removes the marks."""
        browsers = self._browsers()
        texts = [browser.document().toPlainText() for browser in browsers]
        for browser, own in zip(browsers, marks_in(self._source, texts, marks), strict=True):
            browser.mark_carried(own)

    def show_below(self, begun_chars: int, words: Sequence[tuple[int, int]]) -> None:
        """Draw a line below the beginning of the source text, and dotted ones below words of it, in order."""
        views = [view for view in self._views if isinstance(view, ProseView)]
        texts = [view.document().toPlainText() for view in views]
        shown = numbered_in(self._source, texts, words) if words else [[] for _ in texts]
        first = numbered_in(self._source, texts, [(0, begun_chars)]) if begun_chars else [[] for _ in texts]
        for view, text, own, begun in zip(views, texts, shown, first, strict=True):
            spans = qt_spans(text, [(start, end) for start, end, _ in own])
            lines = [LineBelow(*span, number) for span, (_, _, number) in zip(spans, own, strict=True)]
            lines += [LineBelow(*span) for span in qt_spans(text, [(start, end) for start, end, _ in begun])]
            view.show_below(tuple(lines))

    def choose_below(self, number: int | None) -> None:
        """Draw a ring around one of the words with a dotted line; None for none."""
        for view in self._views:
            if isinstance(view, ProseView):
                view.choose_below(number)

    def numbers_below(self) -> set[int]:
        """Which of the words have a dotted line: those in code and tables have none."""
        return {n for view in self._views if isinstance(view, ProseView) for n in view.numbers_below()}

    def box_below(self, number: int) -> QRect:
        """Where a word with a dotted line stands, on the screen; empty where it is not shown as prose."""
        boxes = (view.box_below(number) for view in self._views if isinstance(view, ProseView))
        return next((box for box in boxes if not box.isEmpty()), QRect())

    def chosen_box(self) -> QRect:
        """Where the chosen fact stands last, on the screen; empty where it is not shown."""
        boxes = (browser.chosen_box() for browser in reversed(self._browsers()))
        return next((box for box in boxes if not box.isEmpty()), QRect())

    def show_found(self, pattern: re.Pattern[str], number: int) -> Spot | None:
        """Mark all matches, loading as much of the text as needed to return where the one with this number is."""
        self.read_all()
        while self._characters_left() and sum(one.count_words(pattern) for one in self._browsers()) <= number:
            self.show_more()
            self.read_all()
        return self.mark_words(pattern, number)

    def gap_above(self) -> int:
        return _gap_and_indent(self._blocks[0])[0] if self._blocks else 0

    def set_token(self, token: str) -> None:
        self._token = token
        for view in (*self._views, *self._spare.values()):
            if isinstance(view, ProseView):
                view.set_token(token)

    def _browsers(self) -> list[SafeBrowser]:
        texts = (view.text if isinstance(view, CodeBlock) else view for view in self._views)
        return [text for text in texts if isinstance(text, SafeBrowser)]

    def _begin_page(self, start: int) -> None:
        self._reader = PageReader(self._source, start, verbatim=self._verbatim)
        self._read_next()
        if not self._reader.done:
            self._start_reading()

    def _read_next(self) -> None:
        reader = self._reader
        if reader is None:
            return
        self._parts.extend(reader.read())
        if reader.done and self._read_timer is not None:
            self._read_timer.stop()
        self._show(grouped(self._parts))

    def _show(self, blocks: tuple[Block, ...]) -> None:
        """Give every block its widget; only changed blocks are filled again."""
        views = [self._view_for(number, block) for number, block in enumerate(blocks)]
        for gone in set(self._views) - set(views):
            gone.hide()
            self._keep_spare(gone)
        self._blocks, self._views = blocks, views
        places = [StackItem(view, *_gap_and_indent(block)) for view, block in zip(views, blocks, strict=True)]
        if self._characters_left():
            places.append(StackItem(self._more_button(self._characters_left()), GAP_PX))
        self.set_stack_items(places)
        self.selection.renew()

    def _more_button(self, left: int) -> Button:
        if self.more is None:
            self.more = button("", "ghost", "chevron-down", size="small")
            self.more.setParent(self)
            self.more.clicked.connect(self.show_more)
        self.more.setText(tr("Show more, {n} kB left").format(n=formatting.tokens(max(1, left // 1000))))
        return self.more

    def _start_reading(self) -> None:
        if self._read_timer is None:
            self._read_timer = QTimer(self)
            self._read_timer.timeout.connect(self._read_next)
        self._read_timer.start(0)

    def _is_reading(self) -> bool:
        return self._read_timer is not None and self._read_timer.isActive()

    def _characters_left(self) -> int:
        done = self._reader is not None and self._reader.done
        return len(self._source) - self._reader.end if done and self._reader is not None else 0

    def _view_for(self, number: int, block: Block) -> BlockView:
        old = self._views[number] if number < len(self._views) else None
        if old is not None and self._blocks[number] == block:
            return old
        kind = _CLASSES[type(block)]
        if old is None or not isinstance(old, kind):
            old = self._spare.pop(kind, None)
        made = old or self._create_view(block)
        _fill(made, block)
        return made

    def _keep_spare(self, gone: BlockView) -> None:
        """Keep one spare widget of each kind for later: creating one takes longer than filling it."""
        if type(gone) in self._spare:
            gone.deleteLater()
        else:
            self._spare[type(gone)] = gone

    def _create_view(self, block: Block) -> BlockView:
        made: BlockView = _CLASSES[type(block)](self._ink, self)
        if isinstance(made, ProseView):
            # What is written is laid out at once: better for the width it will have than for any other.
            made.wrap_at(self.width() if self.width() > LEAST_WIDTH_PX else USUAL_WIDTH_PX)
            made.set_token(self._token)
            made.word_pointed.connect(self.word_pointed)
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


def _gap_and_indent(block: Block) -> tuple[int, int]:
    if isinstance(block, Prose):
        return gap_above(block.lines[0]), 0
    return FRAME_GAP_PX, block.indent * INDENT_PX
