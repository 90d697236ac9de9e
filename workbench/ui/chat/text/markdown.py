"""Reads Markdown into blocks; raw HTML is text, pictures are labels, and links that may not be opened are text."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.dollarmath import dollarmath_plugin

from workbench.ui.chat.text.blocks import Block, Code, Line, Part, Span, grouped
from workbench.ui.chat.text.links import may_open
from workbench.ui.chat.text.markdown_parts import PartReader
from workbench.ui.chat.text.pieces import page_end, pieces

# Rules added to the Markdown reader: a limit on its work, and formulas between \( \) and \[ \].

STEPS = "steps"
MOST_STEPS = 1_200
"""A reader of hostile text may look at each sign many times; after so many looks the rest is plain text."""

# Links are looked at several times, and code and formulas are laid out apart.
_DEAR, DEAR_STEPS = "<[!$`", 4
_PAIRS = {"\\(": ("\\)", "math_inline"), "\\[": ("\\]", "math_inline_double")}


def add_rules(reader: MarkdownIt, formulas: bool = True) -> None:
    """Teach a reader our rules."""
    reader.inline.ruler.before("text", "limit", limit)
    if formulas:
        reader.inline.ruler.before("escape", "bracket_math", bracket_math)
        reader.block.ruler.before(
            "paragraph",
            "bracket_math_block",
            bracket_math_block,
            {"alt": ["paragraph", "reference", "blockquote"]},
        )


def limit(state: StateInline, silent: bool) -> bool:
    """Take all that is left as text once the steps are used up."""
    state.env[STEPS] = state.env.get(STEPS, 0) + (DEAR_STEPS if state.src[state.pos] in _DEAR else 1)
    if state.env[STEPS] <= MOST_STEPS:
        return False
    if not silent:
        state.pending += state.src[state.pos : state.posMax]
    state.pos = state.posMax
    return True


def bracket_math(state: StateInline, silent: bool) -> bool:
    """A formula within a line."""
    opening = state.src[state.pos : state.pos + 2]
    if opening not in _PAIRS:
        return False
    closing, kind = _PAIRS[opening]
    end = state.src.find(closing, state.pos + 2, state.posMax)
    if end < 0 or not state.src[state.pos + 2 : end].strip():
        return False
    if not silent:
        token = state.push(kind, "math", 0)
        token.content = state.src[state.pos + 2 : end]
        token.markup = opening
    state.pos = end + 2
    return True


def bracket_math_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A formula on lines of its own, from a line that begins with \\[ to one that ends with \\]."""
    first = state.src[state.bMarks[start_line] + state.tShift[start_line] : state.eMarks[start_line]]
    if not first.startswith("\\["):
        return False
    lines = [first[2:]]
    line = start_line
    while not lines[-1].rstrip().endswith("\\]"):
        line += 1
        if line >= end_line or state.sCount[line] < state.blkIndent:
            return False
        lines.append(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]])
    if silent:
        return True
    token = state.push("math_block", "math", 0)
    token.content = "\n".join(lines).rstrip()[:-2]
    token.map = [start_line, line + 1]
    state.line = line + 1
    return True


MOST_NESTING = 40
MOST_BARS = 40
"""A line with more bars than that is no row of a table that could be shown as one."""
PAGE_STEPS, PAGE_FRAMES = 3_600, 30
_NEWLINES = re.compile(r"\r\n?|\x85|\u2028|\u2029")


class PageReader:
    """Reads a page of a text piece by piece, so that others can have a turn in between.

    A page ends after 50 kB, 1,000 lines or 30 frames, or where reading on would take too long; `end` is how far it got.
    """

    def __init__(self, source: str, start: int = 0, *, verbatim: bool = False) -> None:
        self._source, self._verbatim = source, verbatim
        self._pieces = pieces(source, start, page_end(source, start))
        self._steps = self._frames = 0
        self._next = next(self._pieces, None)
        self.end = start

    @property
    def done(self) -> bool:
        return self._next is None or self._steps > PAGE_STEPS or self._frames >= PAGE_FRAMES

    def read(self) -> tuple[Part, ...]:
        piece = self._next
        if piece is None:
            return ()
        env: dict[str, int] = {}
        parts = _parts(self._source[piece.start : piece.end], piece.after_blank, self._verbatim, env)
        self._steps += env.get(STEPS, 0)
        self._frames += sum(not isinstance(part, Line) for part in parts)
        self.end, self._next = piece.end, next(self._pieces, None)
        return parts


def blocks_of(source: str, verbatim: bool = False) -> tuple[Block, ...]:
    """The first page of a text as blocks; `verbatim` keeps everything as it was typed but fenced and inline code."""
    reader, parts = PageReader(source, verbatim=verbatim), list[Part]()
    while not reader.done:
        parts.extend(reader.read())
    return grouped(parts)


def piece_parts(text: str, after_blank: bool = True) -> tuple[Part, ...]:
    """The parts of a piece of an answer."""
    return _parts(text, after_blank, False, {})


def _parts(text: str, after_blank: bool, verbatim: bool, env: dict[str, int]) -> tuple[Part, ...]:
    text = _NEWLINES.sub("\n", text)
    if verbatim:
        return _verbatim_parts(text, after_blank, env)
    lines = text.split("\n")
    tables = max(line.count("|") for line in lines) <= MOST_BARS
    tokens = _reader(tables).parse(text, env)
    # Deeper down the reader leaves text out; nothing that was said may be missing.
    if any(token.level >= MOST_NESTING - 2 for token in tokens):
        return _verbatim_parts(text, after_blank, {})
    return tuple(PartReader(lines, after_blank).read(tokens))


def _verbatim_parts(text: str, after_blank: bool, env: dict[str, int]) -> tuple[Part, ...]:
    """Fences and inline code are shown as such; all other lines stand as they were typed."""
    reader = PartReader(text.split("\n"), after_blank)
    return tuple(_as_typed(part) for part in reader.read(_verbatim_reader().parse(text, env)))


def _as_typed(part: Part) -> Part:
    if isinstance(part, Line):
        return Line(part.spans or (Span(""),), close=part.close)
    return Code(part.text, part.language) if isinstance(part, Code) else part


@lru_cache(maxsize=2)
def _reader(tables: bool) -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": MOST_NESTING})
    # An indented fence would be code within code, and a reference could change what has long been shown.
    reader.enable("strikethrough").disable(["html_block", "html_inline", "reference", "code"])
    if tables:
        reader.enable("table")
    reader.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    add_rules(reader)
    reader.validateLink = may_open  # type: ignore[method-assign]
    return reader


@lru_cache(maxsize=1)
def _verbatim_reader() -> MarkdownIt:
    reader = MarkdownIt("zero", {"maxNesting": MOST_NESTING}).enable(["fence", "backticks"])
    add_rules(reader, formulas=False)
    return reader
