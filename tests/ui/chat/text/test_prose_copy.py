"""Copying out of prose: what was written, without what was put in to show it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QImage, QTextCursor

from workbench.ui.chat.text.blocks import Line, Span
from workbench.ui.chat.text.formula import Drawn
from workbench.ui.chat.text.prose_writer import ProseLook, write_lines
from workbench.ui.chat.text.safe_browser import SafeDocument, selected_text
from workbench.ui.look.theme import LIGHT


def copied(*lines: Line, start: int = 0, end: int | None = None, drawn: Drawn | None = None) -> str:
    document = SafeDocument()
    write_lines(document, lines, ProseLook(LIGHT, lambda _: drawn))
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(document.characterCount() - 1 if end is None else end, QTextCursor.MoveMode.KeepAnchor)
    return selected_text(cursor)


@given(
    st.text(
        st.characters(codec="utf-8", exclude_characters="\r\n\u2028\u2029\x85\x1c\x1d\x1e\ufdd0\ufdd1"),
        max_size=300,
    )
)
def test_a_line_is_copied_as_it_was_written(text: str):
    assert copied(Line((Span(text),))) == text


def test_a_long_word_is_copied_whole(qapp: object):
    assert copied(Line((Span("a" * 1_000),))) == "a" * 1_000


def test_the_same_hidden_sign_twice_is_copied_twice(qapp: object):
    assert copied(Line((Span("\u202e\u202e"),))) == "\u202e\u202e"


def test_code_and_markers_and_rules(qapp: object):
    lines = (Line((Span("see "), Span("x", code=True)), marker="1.", indent=1), Line((), "rule"))
    assert copied(*lines) == "1. see x\n\n---"


def test_a_part_of_a_line_has_no_marker(qapp: object):
    assert copied(Line((Span("abc"),), marker="•", indent=1), start=1, end=2) == "b"


def test_a_formula_is_copied_as_its_source(qapp: object):
    image = QImage(4, 4, QImage.Format.Format_ARGB32_Premultiplied)
    spans = (Span("a "), Span("x^2", math=True), Span("y", math=True))
    assert copied(Line(spans), drawn=Drawn(image, 4, 4, 0)) == "a $x^2$$y$"


def test_breaks_and_large_signs(qapp: object):
    assert copied(Line((Span("😀\n😀b"),)), start=3) == "😀b"
