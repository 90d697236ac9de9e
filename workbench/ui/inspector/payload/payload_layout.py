"""Line heights for a plain text view, which has none of its own: role lines are a little higher than text."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTextBlock, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout


class LineHeights(QPlainTextDocumentLayout):
    """Gives each line of a block the height that its kind has, and puts the text in the middle of it.

    Qt's own layout of plain text takes the font's line height and ignores that of a block's format. It asks this
    function for a block's place whenever it paints, scrolls or looks for a position, and only for blocks in view:
    so moving the lines here holds everywhere and costs nothing for the rest.
    """

    def __init__(self, document: QTextDocument, height_of: Callable[[int], int]) -> None:
        super().__init__(document)
        self._height_of = height_of

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        """The room a block takes."""
        box = super().blockBoundingRect(block)
        if not block.isValid() or not block.isVisible():
            return box
        height = self._height_of(block.blockNumber())
        layout = block.layout()
        count = layout.lineCount()
        for number in range(count):
            line = layout.lineAt(number)
            y = number * height + round((height - line.height()) / 2)
            if line.y() != y:
                line.setPosition(QPointF(line.x(), y))
        box.setHeight(height * max(1, count))
        return box
