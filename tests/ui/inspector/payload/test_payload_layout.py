"""Line heights that Qt's plain text does not have by itself."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QPlainTextEdit

from workbench.ui.inspector.payload.view import LineHeights


def test_every_line_has_the_height_of_its_kind(qtbot):
    edit = QPlainTextEdit()
    qtbot.addWidget(edit)
    document = QTextDocument(edit)
    layout = LineHeights(document, lambda number: 30 if number == 0 else 20)
    document.setDocumentLayout(layout)
    edit.setDocument(document)
    edit.setPlainText("head\nshort\n" + "word " * 60)
    edit.resize(300, 400)
    edit.show()
    blocks = [document.findBlockByNumber(number) for number in range(3)]
    assert [layout.blockBoundingRect(block).height() for block in blocks[:2]] == [30, 20]
    lines = blocks[2].layout().lineCount()
    assert lines > 1
    assert layout.blockBoundingRect(blocks[2]).height() == 20 * lines
    middle = [blocks[2].layout().lineAt(number).y() for number in range(lines)]
    assert {round(after - before) for before, after in pairwise(middle)} == {20}
