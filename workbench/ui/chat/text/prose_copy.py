"""What is copied out of prose: the words as they were written, without what was put in to show them."""

from __future__ import annotations

from PySide6.QtGui import QTextBlock, QTextCursor

from workbench.ui.chat.text.prose_writer import KEPT, MARKER, ORIGINAL, RULE


def selected_text(cursor: QTextCursor) -> str:
    """The selection of a cursor as plain text."""
    document = cursor.document()
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    block, lines = document.findBlock(start), list[str]()
    while block.isValid() and block.position() <= end:
        lines.append(_line(block, start, end))
        block = block.next()
    return "\n".join(lines)


def _line(block: QTextBlock, start: int, end: int) -> str:
    text = "".join(_fragments(block, start, end))
    whole = start <= block.position()
    if block.blockFormat().hasProperty(RULE):
        return "---"
    marker = str(block.blockFormat().property(MARKER) or "")
    return f"{marker} {text}" if marker and whole else text


def _fragments(block: QTextBlock, start: int, end: int) -> list[str]:
    found: list[str] = []
    step = block.begin()
    while not step.atEnd():
        fragment = step.fragment()
        first = max(start, fragment.position())
        last = min(end, fragment.position() + fragment.length())
        if first < last:
            original = fragment.charFormat().property(ORIGINAL)
            kept = None if original is None else str(original).removeprefix(KEPT)
            found.append(_part(block, first, last) if kept is None else kept)
        step += 1
    return found


def _part(block: QTextBlock, first: int, last: int) -> str:
    """By a cursor, since Qt counts halves of the signs that Python counts whole."""
    cursor = QTextCursor(block)
    cursor.setPosition(first)
    cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText().replace("\u2028", "\n").replace("\u2029", "\n")
