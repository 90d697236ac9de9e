"""The end of a text that still grows, as it will be read once it is complete; only for showing it meanwhile."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

LONGEST_RUN = 400
"""Emphasis that is open for longer than that was none: a star that stands for itself."""
LONGEST_LABEL = 120

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})([^`\n]*)")
_ITEM = re.compile(r"([ \t]*)(?:[-+*]|\d{1,9}[.)])[ \t]+")
_ONLY_MARKS = re.compile(r"[ \t]*(?:[-+*=_~`#>|:][-+*=_~`#>|: \t]*|\d{1,9}[.)][ \t]*)")
_LEAD = re.compile(r"[ \t]*(?:>[ \t]?)*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t])?)?(?:#{1,6}[ \t]+)?")
_BEGINS = re.compile(r"[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t]|#{1,6}[ \t])")
_FORMULA = re.compile(r"[ \t]*(?:\$\$|\\\[)")
_DELIMITER = re.compile(r"[ \t]*[|:-][|: \t-]*")
_BAR = re.compile(r"(?<!\\)\|")
_TARGET = re.compile(r"\(\s*[^\s)]*(?:\s+[\"'][^\"']*[\"']?)?\s*")


class OpenCode(NamedTuple):
    """A block of code that is not closed yet; `depth` says in how many lists it stands."""

    language: str
    text: str
    depth: int = 0


def split_open_code(text: str) -> tuple[str, OpenCode | None]:
    """What stands before a fence that is not closed, and the code behind it; without one all of the text."""
    lines = text.split("\n")
    opened: tuple[int, re.Match[str]] | None = None
    for number, line in enumerate(lines):
        if opened is None:
            found = _FENCE.fullmatch(line)
            opened = (number, found) if found else None
        elif _closes(line, opened[1].group(2)):
            opened = None
    if opened is None:
        return text, None
    start, fence = opened
    code = [_unindented(line, len(fence.group(1))) for line in lines[start + 1 :]]
    if code and _ends_soon(code[-1], fence.group(2)):
        code.pop()
    language = fence.group(3).strip().partition(" ")[0] if start + 1 < len(lines) else ""
    depth = _depth(lines[:start], len(fence.group(1)))
    return "\n".join(lines[:start]), OpenCode(language, "\n".join(code), depth)


def completed(text: str) -> str:
    """The text with what is half written closed, or held back until it is known what it becomes."""
    lines = text.split("\n")
    first = len(lines)
    while first and lines[first - 1].lstrip().startswith("|"):
        first -= 1
    if first < len(lines):
        return "\n".join((*lines[:first], *_table(lines[first:])))
    if _ONLY_MARKS.fullmatch(lines[-1]):
        return "\n".join(lines[:-1])
    first = len(lines) - 1
    while first and lines[first].strip() and not _BEGINS.match(lines[first]) and lines[first - 1].strip():
        first -= 1
    rest = "\n".join(lines[first:])
    if _FORMULA.match(rest):
        return text
    lead = _LEAD.match(rest)
    at = lead.end() if lead else 0
    return "\n".join((*lines[:first], rest[:at] + closed(rest[at:])))


def closed(text: str) -> str:
    """The inside of a line: emphasis and code are closed, a link that is not complete is its label."""
    return _Inline(text.rstrip()).read()


class _Inline:
    """Goes over a line once, and knows which signs of emphasis are open."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._opened: list[tuple[str, int, int]] = []

    def read(self) -> str:
        at = 0
        while at < len(self._text):
            sign = self._text[at]
            if sign == "\\":
                at = self._escaped(at)
            elif sign == "`":
                at = self._code(at)
            elif sign == "$":
                at = max(at, self._text.find("$", at + 1)) + 1
            elif sign in "*_~":
                at = self._emphasis(at)
            elif sign == "[":
                at = self._link(at)
            else:
                at += 1
        end = len(self._text)
        open_now = [(sign, count) for sign, count, start in self._opened if end - start <= LONGEST_RUN]
        return self._text.rstrip() + "".join(sign * count for sign, count in reversed(open_now))

    def _escaped(self, at: int) -> int:
        if at + 1 == len(self._text):
            self._text = self._text[:at]
        return at + 2

    def _code(self, at: int) -> int:
        run = _run(self._text, at)
        inside = at + len(run)
        end = re.compile(f"(?<!`){run}(?!`)").search(self._text, inside)
        if end:
            return end.end()
        content = self._text[inside:].rstrip("`")
        self._text = self._text[:at] + (run + content + run if content.strip() else "")
        return len(self._text)

    def _emphasis(self, at: int) -> int:
        run = _run(self._text, at)
        after = at + len(run)
        if after == len(self._text):
            used = self._close(run[0], len(run), whole=True)
            self._text = self._text[: at + used]
            return after
        left, right = _flanks(self._text, at, after)
        if run[0] == "~" and len(run) != 2:
            return after
        count = len(run)
        if right:
            count -= self._close(run[0], count)
        # A single star within a word is as likely a times sign: it is emphasis when it is closed.
        if left and count and not (right and count == 1):
            self._opened.append((run[0], count, after))
        return after

    def _close(self, sign: str, count: int, *, whole: bool = False) -> int:
        """How many signs of a run close something; at the end of the text a part of them may still be missing."""
        used = 0
        while used < count and any(one == sign for one, _, _ in self._opened):
            while self._opened[-1][0] != sign:
                self._opened.pop()
            _, wanted, start = self._opened.pop()
            taken = min(wanted, count - used)
            if taken < wanted:
                self._opened.append((sign, wanted - (0 if whole else taken), start))
                return used + (0 if whole else taken)
            used += taken
        return used

    def _link(self, at: int) -> int:
        """A label that is not closed, or whose address is not: its words, without its brackets."""
        end = self._text.find("]", at)
        rest = self._text[end + 1 :]
        half = end < 0 or not rest or bool(rest[0] == "(" and _TARGET.fullmatch(rest))
        label = self._text[at + 1 : end if end >= 0 else None]
        if not half or len(label) > LONGEST_LABEL or "\n" in label:
            return at + 1
        start = at - 1 if self._text[:at].endswith("!") else at
        self._text = self._text[:start] + label
        return start


def _run(text: str, at: int) -> str:
    end = at
    while end < len(text) and text[end] == text[at]:
        end += 1
    return text[at:end]


def _flanks(text: str, at: int, after: int) -> tuple[bool, bool]:
    """Whether a run of signs may open, and whether it may close, by what stands around it (as CommonMark has it)."""
    before, behind = text[at - 1] if at else " ", text[after]
    left = not behind.isspace() and (not _is_sign(behind) or before.isspace() or _is_sign(before))
    right = not before.isspace() and (not _is_sign(before) or behind.isspace() or _is_sign(behind))
    if text[at] == "_":
        return left and (not right or _is_sign(before)), right and (not left or _is_sign(behind))
    return left, right


def _is_sign(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "PS"


def _table(rows: list[str]) -> list[str]:
    """The rows of a table that still grows; its head is one before the line below it is there."""
    head = _cells(rows[0])
    if len(rows) <= 2:
        if not any(head) or (len(rows) == 2 and not _DELIMITER.fullmatch(rows[1])):
            return [] if not any(head) else [*rows[:-1], closed(rows[-1])]
        whole = _DELIMITER.fullmatch(rows[-1]) and len(_cells(rows[-1])) == len(head) and len(rows) == 2
        below = rows[1] if whole and rows[1].rstrip().endswith("|") else "|" + " --- |" * len(head)
        return [_row(rows[0]) if len(rows) == 1 else rows[0], below]
    if not _DELIMITER.fullmatch(rows[1]):
        return [*rows[:-1], closed(rows[-1])]
    return [*rows[:-1], _row(rows[-1])] if any(_cells(rows[-1])) else rows[:-1]


def _row(row: str) -> str:
    row = row.rstrip()
    if row.endswith("|") and not row.endswith("\\|"):
        return row
    bars = [found.end() for found in _BAR.finditer(row)]
    return f"{row[: bars[-1]]} {closed(row[bars[-1] :].strip())} |"


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in _BAR.split(row.strip().strip("|"))]


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return bare.startswith(fence) and not bare.strip(fence[0])


def _ends_soon(line: str, fence: str) -> bool:
    """Whether a line may become the fence that closes the code."""
    bare = line.strip()
    return bool(bare) and len(bare) < len(fence) and not bare.strip(fence[0])


def _unindented(line: str, most: int) -> str:
    return line[min(most, len(line) - len(line.lstrip(" \t"))) :]


def _depth(lines: list[str], indent: int) -> int:
    depth = 0
    for line in reversed(lines):
        found = _ITEM.match(line)
        if found and len(found.group(1)) < indent:
            depth, indent = depth + 1, len(found.group(1))
    return depth
