"""The quote marks its words where they stand, also behind signs that Qt counts as two."""

from __future__ import annotations

from PySide6.QtGui import QTextCharFormat
from pytestqt.qtbot import QtBot

from workbench.domain.shown.why_view import MarkedWord
from workbench.ui.inspector.why.parts import QuoteFrame


def test_words_are_marked_where_they_stand_exact_ones_otherwise_than_near_ones(qtbot: QtBot):
    frame = QuoteFrame()
    qtbot.addWidget(frame)
    text = "😀 the key, decided"
    frame.quote.show_quote(text, (MarkedWord(6, 9, "exact"), MarkedWord(11, 18, "near")))
    marked = frame.quote.extraSelections()
    assert [one.cursor.selectedText() for one in marked] == ["key", "decided"]  # type: ignore[attr-defined]
    styles = [one.format.underlineStyle() for one in marked]  # type: ignore[attr-defined]
    line = QTextCharFormat.UnderlineStyle
    assert styles == [line.SingleUnderline, line.DashUnderline]
