"""Shortens code: signatures and imports first, then whole bodies as far as they fit.

Works by lines and indentation for every language: a real parser would read the same file differently from one version
to the next, or refuse it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.context.shorten.pieces import BRACES, Pieces, Span, Tier, line_spans

_MODIFIERS = (
    "export|default|pub(?:\\([a-z ]+\\))?|public|private|protected|internal|static|async|abstract|final|override|"
    "virtual|inline|const|unsafe|extern|sealed|partial|open|data|suspend|local|declare"
)
_DECLARATION = re.compile(
    rf"[ \t]*(?:(?:{_MODIFIERS})[ \t]+)*"
    r"(?:def|class|func|fun|fn|function\*?|interface|struct|enum|union|impl|trait|module|namespace|type|record|object|"
    r"protocol|extension|macro_rules!|sub|proc|defmodule|defp)\b[ \t]*[\w<(\[$]"
)
_BRACED = re.compile(
    r"[ \t]*[\w$~][^;={}]*\([^;{}]*\)[^;={}]*\{[ \t]*$|[ \t]*(?:const|let|var)\b.*=>[ \t]*\{[ \t]*$"
)
_CONTROL = re.compile(
    r"[ \t]*\}?[ \t]*(?:if|for|foreach|while|switch|catch|else|return|do|try|with|using|match|loop)\b"
)
_IMPORT = re.compile(
    r"(?:import|from|#[ ]*include|use|using|package|require|require_relative|library|source|open)\b"
    r"|const .* = require\("
)
_DECORATOR = re.compile(r"[ \t]*(?:@\w|#\[|template[ ]*<|\[[A-Z]\w*)")
_DOC = re.compile(r"[ \t]*[rRuUbB]{0,2}(?:\"\"\"|''')")
_CLOSES = re.compile(r"[ \t]*(?:[\])}]|end\b|#?endif|fi\b|done\b)")
_HEAD_LINES, _SIGNATURE_LINES = 6, 14
_GAP_CHARS = 16


@dataclass(frozen=True, slots=True)
class _Declaration:
    """A declaration: the first line of its signature with decorators, its docstring, and the first line after it."""

    first: int
    doc: int
    body: int
    indent: int


def plan_code(text: str, ending: str = "") -> Pieces:
    """Parse code into tiers: imports, declarations, and the rest in runs that belong together."""
    spans = line_spans(text)
    lines = [text[start:end].rstrip("\n") for start, end in spans]
    found = list(_declarations(lines, ending in BRACES))
    taken = {number for one in found for number in range(one.first, one.body)}
    imports = [n for n, line in enumerate(lines) if n not in taken and _IMPORT.match(line)]
    owners = _owners(lines, found)
    head = [n for n in range(min(_HEAD_LINES, len(lines))) if n not in taken and owners[n] < 0]
    taken.update(imports, head)
    outer = min((one.indent for one in found), default=0)
    tops = [one for one in found if one.indent == outer]
    inner = [one for one in found if one.indent > outer]
    runs = list(_runs(lines, owners, taken))
    loose = [run for run in runs if owners[run[0]] < 0]
    bodies = [run for run in runs if owners[run[0]] >= 0]

    def tier(some: Sequence[Span], in_order: bool = False) -> Tier:
        return Tier(tuple((spans[first][0], spans[last - 1][1]) for first, last in some), in_order)

    tiers = (
        tier([(n, n + 1) for n in head]),
        tier([(one.first, one.doc) for one in tops]),
        tier([(one.first, one.doc) for one in inner]),
        tier([(one.doc, one.body) for one in found if one.doc < one.body]),
        tier([(n, n + 1) for n in imports if n not in head]),
        tier(loose, in_order=True),
        tier(bodies, in_order=True),
    )
    return Pieces(text, tuple(one for one in tiers if one.spans), _gap, _GAP_CHARS)


def declarations(text: str, ending: str = "") -> Iterator[Span]:
    """The spans of all signatures, with what precedes them, such as decorators."""
    spans = line_spans(text) if text else []
    lines = [text[start:end].rstrip("\n") for start, end in spans]
    for one in _declarations(lines, ending in BRACES):
        yield spans[one.first][0], spans[min(one.doc, len(spans)) - 1][1]


def _gap(text: str, span: Span) -> str:
    """A note on how many lines are omitted, at their indentation."""
    start, end = span
    between = text[start:end]
    first = between.lstrip("\n")
    indent = first[: len(first) - len(first.lstrip(" \t"))][:12]
    number = between.strip("\n").count("\n") + 1
    lead = "" if start == 0 or text[start - 1] == "\n" else "\n"
    return f"{lead}{indent}… {number:,} line{'s' if number > 1 else ''}\n"


def _declarations(lines: Sequence[str], braces: bool) -> Iterator[_Declaration]:
    number = 0
    while number < len(lines):
        line = lines[number]
        if not _declares(line, braces):
            number += 1
            continue
        first = number
        while first and _DECORATOR.match(lines[first - 1]):
            first -= 1
        doc = body = _after_signature(lines, number)
        if body < len(lines) and _DOC.match(lines[body]):
            # A doc-string that begins on the line after its marks has its first sentence there.
            body += 2 if len(lines[body].strip()) <= 4 and body + 1 < len(lines) else 1
        yield _Declaration(first, doc, body, _indent(line))
        number = body


def _declares(line: str, braces: bool) -> bool:
    if _DECLARATION.match(line):
        return True
    return braces and line.endswith("{") and bool(_BRACED.match(line)) and not _CONTROL.match(line)


def _after_signature(lines: Sequence[str], number: int) -> int:
    """The line after a signature: where every bracket that it opened is closed."""
    depth = 0
    for place in range(number, min(len(lines), number + _SIGNATURE_LINES)):
        line = lines[place]
        depth += sum(map(line.count, "([")) - sum(map(line.count, ")]"))
        if depth <= 0:
            return place + 1
    return number + 1


def _owners(lines: Sequence[str], found: Sequence[_Declaration]) -> list[int]:
    """For every line the innermost declaration whose body it is in, by indentation; -1 for none."""
    starts = {one.body: place for place, one in enumerate(found)}
    owners: list[int] = []
    inside: list[int] = []
    for number, line in enumerate(lines):
        blank = not line.strip()
        while inside and not blank and number >= found[inside[-1]].body:
            indent, own = _indent(line), found[inside[-1]].indent
            if indent > own or (indent == own and _CLOSES.match(line)):
                break
            inside.pop()
        if number in starts:
            place = starts[number]
            if blank or _indent(line) > found[place].indent or _CLOSES.match(line):
                inside.append(place)
        owners.append(inside[-1] if inside else -1)
    return owners


def _runs(lines: Sequence[str], owners: Sequence[int], taken: set[int]) -> Iterator[Span]:
    """Adjacent lines that belong to the same declaration."""
    first: int | None = None
    for number in range(len(lines) + 1):
        ends = number == len(lines) or number in taken
        if first is not None and (ends or owners[number] != owners[first]):
            yield first, number
            first = None
        if first is None and not ends:
            first = number


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip(" "))
