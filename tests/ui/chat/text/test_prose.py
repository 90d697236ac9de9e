"""The view of prose: as high as its text, the same widget while it grows, in the colours of the theme."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPalette, QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.ui.chat.text.blocks import Line, Span
from workbench.ui.chat.text.formula import Drawn
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.text.prose import ProseView, code_boxes, span_of
from workbench.ui.chat.text.prose_writer import ProseLook, write_lines
from workbench.ui.chat.text.safe_browser import SafeDocument, selected_text
from workbench.ui.look.appearance import Appearance
from workbench.ui.look.theme import DARK, LIGHT, Theme


@pytest.fixture
def view(qtbot: QtBot) -> ProseView:
    ink = Ink()
    made = ProseView(ink)
    made.ink_kept = ink  # type: ignore[attr-defined]
    qtbot.addWidget(made)
    return made


def line(text: str, **more: object) -> Line:
    return Line((Span(text),), **more)  # type: ignore[arg-type]


def shown(view: ProseView, *lines: Line, width: int = 400) -> ProseView:
    view.show_lines(lines)
    view.resize(width, view.heightForWidth(width))
    view.show()
    return view


def test_it_is_as_high_as_its_text(view: ProseView):
    shown(view, line("one line"))
    assert view.height() == 22
    view.show_lines((line("words " * 60),))
    assert view.heightForWidth(400) == 22 * round(view.heightForWidth(400) / 22)
    assert view.heightForWidth(200) > view.heightForWidth(400)
    assert view.hasHeightForWidth()


def test_lines_that_go_on_are_added(view: ProseView):
    shown(view, line("a"))
    revision = view.document().revision()
    view.show_lines((line("a"), line("b")))
    assert view.toPlainText() == "a\nb"
    assert view.document().revision() > revision
    view.show_lines((line("c"),))
    assert view.toPlainText() == "c"
    assert view.lines() == (line("c"),)


def test_the_same_lines_are_not_written_again(view: ProseView):
    shown(view, line("a"))
    revision = view.document().revision()
    view.show_lines((line("a"),))
    assert view.document().revision() == revision


def test_it_is_reached_by_tab_only_where_it_has_links(view: ProseView):
    shown(view, line("plain"))
    assert view.focusPolicy() == Qt.FocusPolicy.ClickFocus
    view.show_lines((Line((Span("x", link="https://a.example/"),)),))
    assert view.focusPolicy() == Qt.FocusPolicy.StrongFocus


def test_a_formula_takes_the_place_of_its_source(view: ProseView, qtbot: QtBot):
    shown(view, Line((Span("so "), Span("x^2", math=True))))
    assert "x^2" in view.toPlainText()
    qtbot.waitUntil(lambda: "\ufffc" in view.toPlainText())
    assert "x^2" not in view.toPlainText()


def test_it_follows_the_theme(view: ProseView, qapp: QApplication, appearance: Appearance):
    shown(view, Line((Span("x", link="https://a.example/"),)))

    def ink() -> QColor:
        return view.document().begin().begin().fragment().charFormat().foreground().color()

    assert ink() == QColor(LIGHT.accent_text)
    appearance.apply(qapp, "dark")
    assert ink() == QColor(DARK.accent_text)


def test_a_token_colours_the_text_in_both_themes(view: ProseView, theme: Theme):
    view.set_token("t3")
    shown(view, line("quiet"))
    assert view.palette().color(QPalette.ColorRole.Text) == QColor(theme.t3)


def test_inline_code_stands_on_a_ground(view: ProseView):
    shown(view, Line((Span("see "), Span("code", code=True))))
    picture = view.grab().toImage()
    colours = {picture.pixelColor(x, 8).name() for x in range(picture.width())}
    assert QColor(LIGHT.sunken).name() in colours


def test_everything_beside_the_text_can_be_painted(view: ProseView):
    shown(
        view,
        line("a", quote=2),
        line("b", marker="1.", indent=1),
        Line((), "rule"),
        line("سلام", marker="•", indent=1, quote=1),
        line("head", kind="heading", level=4),
    )
    assert not view.grab().isNull()


def laid_out(width: float, *lines: Line) -> SafeDocument:
    document = SafeDocument()
    write_lines(document, lines, ProseLook(LIGHT, lambda _: None))
    document.setTextWidth(width)
    document.size()
    return document


def test_code_has_one_box_a_line(qapp: object):
    line = Line((Span("some words and "), Span("a code that is long enough to wrap", code=True)))
    wide, small = laid_out(2_000, line), laid_out(160, line)
    assert len(code_boxes(wide.begin())) == 1
    narrow = code_boxes(small.begin())
    assert len(narrow) >= 2
    assert narrow[0].top() < narrow[1].top()
    assert all(0 <= box.left() <= box.right() <= 161 for box in narrow)


def test_neighbouring_codes_have_boxes_of_their_own(qapp: object):
    line = Line((Span("a", code=True), Span(" and "), Span("b", code=True)))
    document = laid_out(500, line)
    first, second = code_boxes(document.begin())
    assert first.right() < second.left()


def test_prose_without_code_has_no_boxes(qapp: object):
    document = laid_out(500, Line((Span("words"),)))
    assert code_boxes(document.begin()) == []


def test_a_block_reaches_from_its_first_line_to_its_last(qapp: object):
    document = laid_out(120, Line((Span("words " * 20),)), Line((Span("end"),)))
    top, bottom = span_of(document.begin())
    next_top, _ = span_of(document.begin().next())
    assert bottom - top > 100
    assert next_top >= bottom


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
