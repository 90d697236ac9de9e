"""Parses Markdown into blocks; raw HTML, pictures and links that may not be opened become text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from workbench.ui.chat.text.blocks import (
    Align,
    Block,
    Code,
    Formula,
    Line,
    LineKind,
    Part,
    Span,
    Spans,
    Table,
    grouped,
    spans_text,
)
from workbench.ui.chat.text.pieces import page_end, pieces
from workbench.ui.chat.text.safe_text import may_open

STEPS = "steps"
MOST_STEPS = 1_200
"""The most steps a piece may take, against text made to parse slowly; after them the rest is plain text."""
# Links are looked at several times, and code and formulas are laid out apart.
_DEAR, DEAR_STEPS = "<[!$`", 4
_PAIRS = {"\\(": ("\\)", "math_inline"), "\\[": ("\\]", "math_inline_double")}
_PLAIN = Span("")


def add_rules(reader: MarkdownIt, formulas: bool = True) -> None:
    """Add our rules to a Markdown parser: the limit of steps, and formulas in brackets."""
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
    """Rule that takes everything left as text once the steps are used up."""
    state.env[STEPS] = state.env.get(STEPS, 0) + (DEAR_STEPS if state.src[state.pos] in _DEAR else 1)
    if state.env[STEPS] <= MOST_STEPS:
        return False
    if not silent:
        state.pending += state.src[state.pos : state.posMax]
    state.pos = state.posMax
    return True


def bracket_math(state: StateInline, silent: bool) -> bool:
    """Rule for a formula within a line, in round or square brackets with backslashes."""
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
"""A text with more bars than this in one line is parsed without tables."""
PAGE_STEPS, PAGE_FRAMES = 3_600, 30
OWN_PAGE = re.compile(r"([a-z-]+)\.md")
_NEWLINES = re.compile(r"\r\n?|\x85|\u2028|\u2029")


class PageReader:
    """Parses a page of a text piece by piece, so that the event loop can run in between.

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
    """The first page of a text as blocks; `verbatim` leaves everything as typed except fenced and inline code."""
    reader, parts = PageReader(source, verbatim=verbatim), list[Part]()
    while not reader.done:
        parts.extend(reader.read())
    return grouped(parts)


def piece_parts(text: str, after_blank: bool = True) -> tuple[Part, ...]:
    """The parts of one piece of an answer's text."""
    return _parts(text, after_blank, False, {})


def guide_parts(text: str) -> tuple[Part, ...]:
    """The parts of a text of the program itself, such as the guide; its links may lead to pages such as `budget.md`."""
    return tuple(
        part
        for piece in pieces(text, 0, len(text))
        for part in _parts(text[piece.start : piece.end], piece.after_blank, False, {}, _guide_reader())
    )


def _parts(
    text: str, after_blank: bool, verbatim: bool, env: dict[str, int], own: MarkdownIt | None = None
) -> tuple[Part, ...]:
    text = _NEWLINES.sub("\n", text)
    if verbatim:
        return _verbatim_parts(text, after_blank, env)
    lines = text.split("\n")
    tables = max(line.count("|") for line in lines) <= MOST_BARS
    tokens = (own or _reader(tables)).parse(text, env)
    # Deeper down the reader leaves text out; nothing that was said may be missing.
    if any(token.level >= MOST_NESTING - 2 for token in tokens):
        return _verbatim_parts(text, after_blank, {})
    return tuple(PartReader(lines, after_blank).read(tokens))


def _verbatim_parts(text: str, after_blank: bool, env: dict[str, int]) -> tuple[Part, ...]:
    """The parts of a text in which only fences and inline code are recognised; other lines stay as typed."""
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
def _guide_reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": MOST_NESTING})
    reader.disable(["html_block", "html_inline", "reference", "code"]).enable("table")
    reader.validateLink = lambda url: bool(OWN_PAGE.fullmatch(url)) or may_open(url)  # type: ignore[method-assign]
    return reader


@lru_cache(maxsize=1)
def _verbatim_reader() -> MarkdownIt:
    reader = MarkdownIt("zero", {"maxNesting": MOST_NESTING}).enable(["fence", "backticks"])
    add_rules(reader, formulas=False)
    return reader


def spans_of(tokens: Sequence[Token]) -> Spans:
    """The spans of a line, with neighbours of the same style joined."""
    runs: list[tuple[Span, list[str]]] = []
    style = _PLAIN
    for token in tokens:
        if token.nesting:
            style = _updated_style(style, token)
            continue
        own, words = _styled(style, token)
        if runs and not own.math and runs[-1][0] == own:
            runs[-1][1].append(words)
        elif words:
            runs.append((own, [words]))
    return tuple(replace(own, text="".join(words)) for own, words in runs)


def _updated_style(style: Span, token: Token) -> Span:
    on = token.nesting > 0
    match token.type.removesuffix("_open").removesuffix("_close"):
        case "strong":
            return replace(style, bold=on)
        case "em":
            return replace(style, italic=on)
        case "s":
            return replace(style, struck=on)
        case "link":
            return replace(style, link=str(token.attrGet("href") or "") if on else "")
        case _:
            return style


def _styled(style: Span, token: Token) -> tuple[Span, str]:
    """The style of a token's words, and the words."""
    match token.type:
        case "code_inline":
            return replace(style, code=True), token.content
        case "math_inline" | "math_inline_double":
            return replace(style, math=True), token.content
        case "softbreak":
            return style, " "
        case "hardbreak":
            return style, "\n"
        case "image":
            # A text in place of a picture, which is never fetched: its description and its address.
            url, name = str(token.attrGet("src") or ""), token.content.strip()
            return replace(style, link=style.link or url), f"{name} ({url})" if name else url
        case _:
            return style, token.content


MOST_ROWS, MOST_COLUMNS, MOST_CELLS = 200, 16, 800
MOST_FORMULAS = 200
BULLETS = ("•", "◦", "▪")
_TASKS = {"[ ] ": "☐", "[x] ": "☑", "[X] ": "☑"}
_ALIGNS: dict[str, Align] = {
    "text-align:left": "left",
    "text-align:center": "center",
    "text-align:right": "right",
}


class PartReader:
    """Turns a parser's tokens into parts; keeps track of the depth in lists and quotes."""

    def __init__(self, source_lines: Sequence[str], after_blank: bool) -> None:
        self._source = source_lines
        self._after_blank = after_blank
        self._indent = 0
        self._quote = 0
        self._marker = ""
        self._heading = 0
        self._cells: list[list[Spans]] = []
        self._aligns: list[Align] = []
        self._in_table = False
        self._formulas = 0

    def read(self, tokens: Sequence[Token]) -> Iterator[Part]:
        for token in tokens:
            yield from self._read_token(token)

    def _read_token(self, token: Token) -> Iterator[Part]:
        match token.type:
            case "inline":
                yield from self._inline(token)
            case "fence" | "code_block":
                yield from self._lone_marker(token)
                language = token.info.strip().split(" ")[0] if token.info.strip() else ""
                yield Code(token.content.removesuffix("\n"), language, self._indent)
            case "math_block" | "math_block_label":
                yield from self._lone_marker(token)
                yield self._formula(token.content.strip())
            case "hr":
                yield Line((), "rule", quote=self._quote, indent=self._indent)
            case "table_close":
                self._in_table = False
                yield from self._table()
            case _:
                self._enter_or_leave(token)

    def _enter_or_leave(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open" | "bullet_list_close" | "ordered_list_close":
                self._indent += token.nesting
            case "list_item_open":
                bullet = BULLETS[(self._indent - 1) % len(BULLETS)]
                self._marker = f"{token.info}{token.markup}" if token.info else bullet
            case "list_item_close":
                self._marker = ""
            case "blockquote_open" | "blockquote_close":
                self._quote += token.nesting
            case "heading_open" | "heading_close":
                self._heading = int(token.tag[1:]) if token.nesting > 0 else 0
            case "table_open":
                self._in_table, self._cells, self._aligns = True, [], []
            case "tr_open":
                self._cells.append([])
            case "th_open":
                self._aligns.append(_ALIGNS.get(str(token.attrGet("style") or ""), ""))
            case _:
                pass

    def _inline(self, token: Token) -> Iterator[Part]:
        spans = self._limit_formulas(spans_of(token.children or []))
        if self._in_table:
            self._cells[-1].append(spans)
        elif len(spans) == 1 and spans[0].math and _is_display(token) and not self._heading:
            yield from self._lone_marker(token)
            yield Formula(spans[0].text.strip(), self._indent)
        else:
            yield self._line(spans, token)

    def _line(self, spans: Spans, token: Token) -> Line:
        marker, self._marker = self._marker, ""
        if marker and spans and spans[0].text[:4] in _TASKS:
            marker = _TASKS[spans[0].text[:4]]
            spans = (replace(spans[0], text=spans[0].text[4:]), *spans[1:])
        kind: LineKind = "heading" if self._heading else "text"
        return Line(spans, kind, self._heading, self._indent, self._quote, marker, self._is_close(token))

    def _lone_marker(self, token: Token) -> Iterator[Part]:
        """An empty line with the list marker, for an item that begins with code or a formula."""
        if self._marker:
            yield self._line((Span(""),), token)

    def _is_close(self, token: Token) -> bool:
        """Whether there is no empty line between this line and the one above."""
        first = token.map[0] if token.map else 0
        if first == 0:
            return not self._after_blank
        return bool(self._source[first - 1].strip(" \t>"))

    def _formula(self, source: str) -> Part:
        self._formulas += 1
        return Formula(source, self._indent) if self._formulas <= MOST_FORMULAS else Code(source, "latex")

    def _limit_formulas(self, spans: Spans) -> Spans:
        """The spans, with formulas beyond the limit shown as code."""
        self._formulas += sum(span.math for span in spans)
        if self._formulas <= MOST_FORMULAS or not any(span.math for span in spans):
            return spans
        return tuple(replace(span, math=False, code=True) if span.math else span for span in spans)

    def _table(self) -> Iterator[Part]:
        rows, columns = self._cells, len(self._aligns)
        if len(rows) > MOST_ROWS or columns > MOST_COLUMNS or len(rows) * columns > MOST_CELLS:
            text = "\n".join(" | ".join(spans_text(cell) for cell in row) for row in rows)
            yield Code(text, "", self._indent)
        else:
            yield Table(tuple(tuple(row) for row in rows), tuple(self._aligns), self._indent)


def _is_display(token: Token) -> bool:
    return any(child.type == "math_inline_double" for child in (token.children or [])[:1])
