"""What kind of text something is, found from its name and from itself: that decides how it is cut."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from workbench.context.shorten.compact import headings
from workbench.domain.files.document_parts import split_anchor

Shape = Literal["log", "code", "prose", "table", "other"]

_LOGS = frozenset({"log", "out", "err", "trace"})
_PROSE = frozenset(
    {"md", "markdown", "mdx", "rst", "txt", "adoc", "tex", "html", "htm", "docx", "pdf", "odt", "eml"}
)
_TABLES = frozenset({"csv", "tsv", "tab", "xlsx", "xlsm", "xls", "ods"})
BRACES = frozenset(
    {
        "c", "h", "cc", "cpp", "cxx", "hpp", "cs", "dart", "go", "java", "js", "jsx", "kt", "m", "mjs", "php", "rs",
        "scala", "swift", "ts", "tsx", "zig",
    }
)  # fmt: skip
"""Endings of files in languages whose functions may begin without a word for it, and with a brace."""
_CODE = BRACES | {"ex", "exs", "jl", "lua", "nim", "pl", "pm", "py", "pyi", "pyx", "r", "rb", "sh", "vb"}

_SAMPLE_CHARS, _SAMPLE_LINES = 40_000, 200
_LONG_LINE = 400
_STAMP = re.compile(r"\W{0,3}(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d)")
_LEVEL = re.compile(r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b")
_DECLARED = re.compile(
    r"\s*(?:(?:export|pub|public|private|static|async|abstract)\s+)*(?:def|class|fn|func|function|struct|impl)\s+\w"
)
_LEAST_LINES = 12


def shape_of(name: str, text: str) -> Shape:
    """The shape of a text; a part of a file, `name#part`, has the shape of its file where its text allows it."""
    sample = text[:_SAMPLE_CHARS]
    lines = [line for line in sample.split("\n")[:_SAMPLE_LINES] if line.strip()]
    ending = ending_of(name)
    if len(lines) >= _LEAST_LINES and len(sample) < _LONG_LINE * sample.count("\n"):
        if ending in _LOGS:
            return "log"
        if ending in _CODE:
            return "code"
        if found := _by_content(lines, ending):
            return found
    return "prose" if _reads_as_prose(text, sample, ending) else "other"


def ending_of(name: str) -> str:
    """What stands behind the last dot of a file's name, in small letters; a part of the file is no matter."""
    path, _ = split_anchor(name)
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if stem and dot else ""


def delimiter_of(lines: Sequence[str]) -> str:
    """The sign that parts the columns of every one of these lines alike; nothing where there is none."""
    for sign in ("\t", ";", ",", "|"):
        numbers = {_outside_quotes(line).count(sign) for line in lines}
        if len(numbers) == 1 and min(numbers) >= 1:
            return sign
    return ""


def _outside_quotes(line: str) -> str:
    return "".join(line.split('"')[::2])


def _by_content(lines: Sequence[str], ending: str) -> Shape | None:
    """What many lines look like, whatever the name says."""
    most = 0.6 * len(lines)
    if sum(line.startswith("|") for line in lines) >= most:
        return "table"
    if ending in _TABLES and delimiter_of(lines[:1]):
        return "table"
    if ending not in _PROSE and len(lines) >= _LEAST_LINES and delimiter_of(lines[:40]) in ("\t", ";", ","):
        return "table"
    if sum(bool(_STAMP.match(line) or _LEVEL.search(line[:80])) for line in lines) >= most:
        return "log"
    declared = sum(bool(_DECLARED.match(line)) for line in lines)
    if ending not in _PROSE and declared >= max(3, 0.02 * len(lines)):
        return "code"
    return None


def _reads_as_prose(text: str, sample: str, ending: str) -> bool:
    """Sections under headings, or paragraphs of some length."""
    found = headings(text)
    if next(found, None) is not None and next(found, None) is not None:
        return True
    paragraphs = [part for part in sample.split("\n\n") if part.strip()]
    long_enough = len(paragraphs) >= 4 and len(sample) >= 80 * len(paragraphs)
    return long_enough and (ending in _PROSE or sample.count(". ") >= len(paragraphs))
