"""Words that were found, marked in a text."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from workbench.ui.widgets.found_words import mark_found, mark_spans, spans_in, wanted


def test_marks_stand_on_their_words_whatever_signs_are_before_them(qtbot: QtBot):
    """Qt counts some signs twice; a mark that forgets it stands beside its word."""
    edit = QPlainTextEdit("😀 one, Two 😀 **two** three")
    qtbot.addWidget(edit)
    pattern = wanted(("two three", "one", "two"))
    assert pattern is not None
    mark_found(edit, pattern)
    words = [one.cursor.selectedText() for one in edit.extraSelections()]  # type: ignore[attr-defined]
    assert words == ["one", "Two", "two** three"]
    mark_spans(edit, spans_in(pattern, edit.toPlainText()), 1)
    grounds = [one.format.background().color().name() for one in edit.extraSelections()]  # type: ignore[attr-defined]
    assert grounds[0] == grounds[2] != grounds[1]


def test_no_words_are_nothing_and_no_sign_is_an_operator():
    assert wanted(("", "  ")) is None
    pattern = wanted(("a.b(",))
    assert pattern is not None
    assert spans_in(pattern, "axb( a.b(") == ((5, 9),)
