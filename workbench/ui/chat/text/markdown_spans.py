"""The inside of a line of Markdown as spans: what is bold, what is code, what can be opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from markdown_it.token import Token

from workbench.ui.chat.text.blocks import Span, Spans

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
