"""An answer while it grows: what is complete is rendered once and stays, only its end is laid out again and again."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.chat.text.block_stack import FRAME_GAP_PX, BlockStack
from workbench.ui.chat.text.code_block import HEAD_PX, PADDING_PX, SIDE_PX, CodeFrame
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.markdown import piece_parts
from workbench.ui.chat.text.pieces import PAGE_CHARS, pieces, settled_end
from workbench.ui.chat.text.prose_writer import INDENT_PX
from workbench.ui.chat.text.safe_browser import SafeBrowser
from workbench.ui.chat.text.safe_text import visible
from workbench.ui.look.fonts import font, line_height, metrics
from workbench.ui.look.painting import set_text_style
from workbench.ui.look.theme import colour, theme_of
from workbench.ui.widgets.card import Panel
from workbench.ui.widgets.motion import single_shot
from workbench.ui.widgets.stack import Stack, StackItem, tell_height

# The end of a text that still grows, as it will be read once it is complete; only for showing it meanwhile.


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


AT_ONCE_MS, FINISH_MS = 10, 60
DEAR_MS, REST, LONGEST_REST_MS = 4, 4, 400
"""An end that takes so long to lay out is left alone for so many times as long."""
LINE_HEAD = 12
"""So many letters of a line tell what it begins: the longest is an item's number."""
MOST_CHARS = 6_000
"""Of an end longer than that, only this much is shown; the rest comes when it is finished."""
CURSOR_WIDTH, CURSOR_HEIGHT = 8, 16


class GrowingText(Stack):
    """Finished blocks, and below them the end that is still being written."""

    link_wished = Signal(str)

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._ink = ink
        self._text = ""
        self._settled, self._after_blank = 0, True
        self._scanned = 0
        self._later = single_shot(self, self._catch_up)
        self.body = self._new_body()
        self.tail = Tail(ink, self)
        self._shown_at = -1
        self._rest = single_shot(self, self._show_tail)
        self.put_aside(self.body, self.tail)
        self._arrange()

    @property
    def text(self) -> str:
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
        # Where the end takes long to lay out, the loop has the most of the time; what is complete is never shown twice.
        if not self._rest.isActive() or self._shown_at != self._settled:
            self._show_tail()

    def finish(self, text: str) -> BlockStack:
        self.show_text(text)
        self._rest.stop()
        if self._settled < PAGE_CHARS and self._text[self._settled :]:
            self._later.stop()
            self._take(min(len(self._text), PAGE_CHARS), True, at_once_ms=FINISH_MS)
        self.tail.show_text("")
        body = self.body
        body.link_wished.disconnect(self.link_wished)
        return body

    def _settle(self) -> None:
        """Freeze what is complete, but not for long: an answer that is far along is caught up with in turns."""
        if self._settled >= PAGE_CHARS:
            return
        end, blank = settled_end(self._text, self._settled, self._settled + PAGE_CHARS)
        if end > self._settled and not self._take(end, blank):
            self._later.start(0)

    def _take(self, end: int, blank: bool, at_once_ms: int = AT_ONCE_MS) -> bool:
        """Freeze everything up to there; False where the time was not enough for all of it."""
        clock = QElapsedTimer()
        clock.start()
        wanted = list(pieces(self._text, self._settled, end))
        for number, piece in enumerate(wanted):
            if number and clock.elapsed() > at_once_ms:
                return False
            text = self._text[piece.start : piece.end]
            self.body.add(text, piece_parts(text, self._after_blank if number == 0 else piece.after_blank))
            self._settled = piece.end
            self._after_blank = wanted[number + 1].after_blank if number + 1 < len(wanted) else blank
        return True

    def _catch_up(self) -> None:
        self._settle()
        self._show_tail()

    def _show_tail(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        self.tail.show_text(self._text[self._settled :], self._after_blank)
        self._shown_at = self._settled
        self._arrange()
        if clock.elapsed() >= DEAR_MS:
            self._rest.start(min(LONGEST_REST_MS, REST * clock.elapsed()))

    def _begin_anew(self) -> None:
        old, self.body = self.body, self._new_body()
        self._settled, self._after_blank, self._scanned = 0, True, 0
        self._arrange()
        old.deleteLater()

    def _new_body(self) -> BlockStack:
        made = BlockStack(self._ink, parent=self)
        made.hide()
        made.link_wished.connect(self.link_wished)
        return made

    def _arrange(self) -> None:
        wanted = [StackItem(self.body)] if self.body.source else []
        if self.tail.stack_items():
            wanted.append(StackItem(self.tail, self.tail.gap_above() if wanted else 0))
        self.set_stack_items(wanted)


class Tail(Stack):
    """What is said so far, and below it code that is not closed yet; it changes too often to be pressed or selected."""

    def __init__(self, ink: Ink, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._text = ""
        self.said = BlockStack(ink, parent=self)
        self.code = GrowingCode(self)
        self.caret = _Caret(self)
        self.put_aside(self.said, self.code, self.caret)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def text(self) -> str:
        return self._text

    def is_code(self) -> bool:
        return any(place.widget is self.code for place in self.stack_items())

    def gap_above(self) -> int:
        return self.said.gap_above() if self.said.blocks() else FRAME_GAP_PX

    def show_text(self, text: str, after_blank: bool = True) -> None:
        """Show this end; `after_blank` says whether an empty line stands before it."""
        if text == self._text:
            return
        self._text = text
        before, code = split_open_code(text)
        said = before[-MOST_CHARS:].strip("\n")
        said = said if code is not None else completed(said)
        self.said.show_parts(said, piece_parts(said, after_blank) if said.strip() else ())
        places = [StackItem(self.said)] if self.said.blocks() else []
        if code is not None:
            self.code.show_code(code)
            places.append(StackItem(self.code, FRAME_GAP_PX, code.depth * INDENT_PX))
        self.set_stack_items(places)
        self._place_cursor()

    def place_all(self) -> None:
        """The cursor goes with the words it stands behind."""
        super().place_all()
        self._place_cursor()

    def _place_cursor(self) -> None:
        last = self.said.views()[-1] if self.said.views() and not self.is_code() else None
        self.caret.setVisible(isinstance(last, SafeBrowser))
        if isinstance(last, SafeBrowser):
            spot = last.viewport().mapTo(self, last.end_of_text())
            self.caret.move(round(spot.x()) + 2, round(spot.y()) - CURSOR_HEIGHT // 2)
            self.caret.raise_()


class _Caret(Panel):
    """A small block of colour where the next word will stand."""

    ground = "accent"

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.resize(CURSOR_WIDTH, CURSOR_HEIGHT)


class GrowingCode(CodeFrame):
    """Code that is not closed yet, in the frame it will have; paints only the lines in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = [""]
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def lines(self) -> tuple[str, ...]:
        return tuple(self._lines)

    def show_code(self, code: OpenCode) -> None:
        self.language = code.language
        self._lines = visible(code.text[-MOST_CHARS:]).expandtabs(4).split("\n")
        tell_height(self)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, HEAD_PX + 2 * PADDING_PX + len(self._lines) * line_height("code"))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        theme, step = theme_of(self), line_height("code")
        painter, seen = QPainter(self), QRectF(event.rect())
        painter.setClipRect(self.rect().adjusted(2, HEAD_PX + 1, -2, -2))
        set_text_style(painter, font("code"), colour("t1", theme))
        top = HEAD_PX + PADDING_PX
        first = max(0, int((seen.top() - top) // step))
        last = min(len(self._lines), int((seen.bottom() - top) // step) + 1)
        for number in range(first, last):
            painter.drawText(QPointF(SIDE_PX, top + number * step + step * 0.8), self._lines[number][:500])
        x = SIDE_PX + metrics("code").horizontalAdvance(self._lines[-1][:500])
        cursor = QRectF(round(x + 1), top + (len(self._lines) - 1) * step + 2, CURSOR_WIDTH, CURSOR_HEIGHT)
        painter.fillRect(cursor, colour("accent", theme))
