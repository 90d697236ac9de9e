"""Where things stand in laid-out prose that the view paints itself: grounds of inline code, bars of quotes."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QTextBlock, QTextLine

from workbench.ui.chat.text.prose_writer import CODE_RUN

ASCENT_PX, DESCENT_PX = 15, 6


def span_of(block: QTextBlock) -> tuple[float, float]:
    """From the top of a block's first line to the bottom of its last, as the eye sees them."""
    layout = block.layout()
    if not layout.lineCount():
        return layout.position().y(), layout.position().y()
    first, last = layout.lineAt(0), layout.lineAt(layout.lineCount() - 1)
    top = layout.position().y() + first.y() + first.ascent() - ASCENT_PX
    return top, layout.position().y() + last.y() + last.ascent() + DESCENT_PX


def code_boxes(block: QTextBlock) -> list[QRectF]:
    """Where inline code stands in a block: one box for each line that it is on."""
    boxes: list[QRectF] = []
    layout = block.layout()
    for first, last in _code_ranges(block):
        begin = layout.lineForTextPosition(first).lineNumber()
        for number in range(begin, layout.lineCount()):
            line = layout.lineAt(number)
            if line.textStart() >= last:
                break
            start, end = max(first, line.textStart()), min(last, line.textStart() + line.textLength())
            if start < end:
                x1, x2 = _x(line, start), _x(line, end)
                left, right = min(x1, x2), max(x1, x2)
                at = layout.position()
                middle = at.y() + line.y() + line.ascent() - 4.5
                boxes.append(QRectF(at.x() + left, middle - 9, right - left, 18))
    return boxes


def _x(line: QTextLine, position: int) -> float:
    found: object = line.cursorToX(position)
    # PySide gives the position back too; its stubs do not say so.
    return float(found[0]) if isinstance(found, tuple) else float(str(found))


def _code_ranges(block: QTextBlock) -> list[tuple[int, int]]:
    """Runs of code, neighbours joined: a run may consist of several fragments."""
    found: list[tuple[int, int]] = []
    step = block.begin()
    while not step.atEnd():
        fragment = step.fragment()
        if fragment.charFormat().hasProperty(CODE_RUN):
            start = fragment.position() - block.position()
            end = start + fragment.length()
            if found and found[-1][1] == start:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        step += 1
    return found
