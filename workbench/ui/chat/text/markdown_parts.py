"""Turns what the Markdown reader found into parts: lines with their place in lists and quotes, code, tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from markdown_it.token import Token

from workbench.ui.chat.text.blocks import (
    Align,
    Code,
    Formula,
    Line,
    LineKind,
    Part,
    Span,
    Spans,
    Table,
    spans_text,
)

# The inside of a line of Markdown as spans: what is bold, what is code, what can be opened.

_PLAIN = Span("")


def spans_of(tokens: Sequence[Token]) -> Spans:
    """The spans of a line; neighbours in one style are one."""
    spans: list[Span] = []
    style = _PLAIN
    for token in tokens:
        if token.nesting:
            style = _styled(style, token)
            continue
        span = _span(style, token)
        if spans and not span.math and replace(spans[-1], text="") == replace(span, text=""):
            spans[-1] = replace(span, text=spans[-1].text + span.text)
        elif span.text:
            spans.append(span)
    return tuple(spans)


def _styled(style: Span, token: Token) -> Span:
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


def _span(style: Span, token: Token) -> Span:
    match token.type:
        case "code_inline":
            return replace(style, text=token.content, code=True)
        case "math_inline" | "math_inline_double":
            return replace(style, text=token.content, math=True)
        case "softbreak":
            return replace(style, text=" ")
        case "hardbreak":
            return replace(style, text="\n")
        case "image":
            return _picture(style, token)
        case _:
            return replace(style, text=token.content)


def _picture(style: Span, token: Token) -> Span:
    """A picture is never fetched: it is a label that says where it would come from."""
    url = str(token.attrGet("src") or "")
    name = token.content.strip()
    return replace(style, text=f"{name} ({url})" if name else url, link=style.link or url)


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
    """Reads tokens one after the other; knows how deep in lists and quotes it is."""

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
            yield from self._take(token)

    def _take(self, token: Token) -> Iterator[Part]:
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
        spans = self._limited(spans_of(token.children or []))
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
        return Line(spans, kind, self._heading, self._indent, self._quote, marker, self._follows(token))

    def _lone_marker(self, token: Token) -> Iterator[Part]:
        """An item that begins with code or a formula still shows that it is one."""
        if self._marker:
            yield self._line((Span(""),), token)

    def _follows(self, token: Token) -> bool:
        """Whether the line above belongs to the same list or paragraph, without an empty line between."""
        first = token.map[0] if token.map else 0
        if first == 0:
            return not self._after_blank
        return bool(self._source[first - 1].strip(" \t>"))

    def _formula(self, source: str) -> Part:
        self._formulas += 1
        return Formula(source, self._indent) if self._formulas <= MOST_FORMULAS else Code(source, "latex")

    def _limited(self, spans: Spans) -> Spans:
        """Formulas beyond the limit are shown as they were written."""
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
