"""Writing prose: spans become formats, never markup."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage, QTextCharFormat, QTextCursor

from workbench.ui.chat.text.blocks import Line, Span
from workbench.ui.chat.text.formula import Drawn
from workbench.ui.chat.text.prose_writer import (
    CODE_RUN,
    GAP_PX,
    HEADING_GAP_PX,
    INDENT_PX,
    MARKER,
    ORIGINAL,
    QUOTE,
    QUOTE_PX,
    ProseLook,
    gap_above,
    reads_right_to_left,
    write_lines,
)
from workbench.ui.chat.text.safe_browser import SafeDocument
from workbench.ui.look.theme import LIGHT


def nothing(_source: str) -> Drawn | None:
    return None


def written(*lines: Line, formula=nothing) -> SafeDocument:
    document = SafeDocument()
    write_lines(document, lines, ProseLook(LIGHT, formula))
    return document


def formats(document: SafeDocument) -> list[tuple[str, QTextCharFormat]]:
    found, step = [], document.begin().begin()
    while not step.atEnd():
        found.append((step.fragment().text(), step.fragment().charFormat()))
        step += 1
    return found


def line(*spans: Span, **more: object) -> Line:
    return Line(spans, **more)  # type: ignore[arg-type]


def test_markup_in_a_text_stays_text(qapp: object):
    text = "<b>&amp;</b> <img src=x> # **not bold**"
    assert written(line(Span(text))).toPlainText() == text


def test_styles_become_formats(qapp: object):
    document = written(line(Span("b", bold=True), Span("i", italic=True), Span("s", struck=True)))
    (_, bold), (_, italic), (_, struck) = formats(document)
    assert bold.fontWeight() == 600
    assert italic.fontItalic()
    assert struck.fontStrikeOut()


def test_a_link_is_an_anchor_with_its_address(qapp: object):
    ((text, style),) = formats(written(line(Span("here", link="https://a.example/"))))
    assert (text, style.anchorHref(), style.isAnchor()) == ("here", "https://a.example/", True)
    assert "https://a.example/" in style.toolTip()


def test_inline_code_has_a_ground_and_pads_that_are_not_copied(qapp: object):
    found = formats(written(line(Span("x", code=True))))
    assert [style.property(ORIGINAL) for _, style in found] == ["=", None, "="]
    assert all(style.hasProperty(CODE_RUN) for _, style in found)


def test_a_line_has_its_step_and_mark(qapp: object):
    document = written(line(Span("a"), indent=2, marker="•"), line(Span("b"), quote=2))
    first, second = document.begin().blockFormat(), document.begin().next().blockFormat()
    assert (first.leftMargin(), first.property(MARKER)) == (2 * INDENT_PX, "•")
    assert (second.leftMargin(), second.property(QUOTE)) == (2 * QUOTE_PX, 2)


def test_a_long_number_pushes_its_text_further_in(qapp: object):
    document = written(line(Span("a"), indent=1, marker="1000000."))
    shape = document.begin().blockFormat()
    assert shape.leftMargin() > 2 * INDENT_PX


def test_a_line_that_runs_to_the_left_stands_in_from_the_right(qapp: object):
    document = written(line(Span("سلام"), indent=1, marker="•"))
    shape = document.begin().blockFormat()
    assert (shape.leftMargin(), shape.rightMargin()) == (0, INDENT_PX)
    assert reads_right_to_left(line(Span("1. שלום")))
    assert not reads_right_to_left(line(Span("1. hi שלום")))


@pytest.mark.parametrize(
    ("wanted", "gap"),
    [(Line(), GAP_PX), (Line(close=True), 0), (Line(kind="heading", level=1), HEADING_GAP_PX)],
)
def test_gaps_go_by_what_a_line_is(wanted: Line, gap: int):
    assert gap_above(wanted) == gap


def test_the_first_line_has_no_gap_above(qapp: object):
    document = written(line(Span("a")), line(Span("b")))
    assert document.begin().blockFormat().topMargin() == 0
    assert document.begin().next().blockFormat().topMargin() == GAP_PX


def test_writing_on_adds_to_what_is_there(qapp: object):
    document = written(line(Span("a")))
    write_lines(document, [line(Span("b"))], ProseLook(LIGHT, nothing))
    assert document.toPlainText() == "a\nb"


def test_an_empty_first_line_keeps_its_place(qapp: object):
    document = written(line(Span("")), line(Span("b")))
    assert document.toPlainText() == "\nb"


@pytest.mark.parametrize("depth", [1.0, 9.0])
def test_a_formula_stands_on_the_line(qapp: object, depth: float):
    image = QImage(20, 24, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    document = written(
        line(Span("a "), Span("x^2", math=True)), formula=lambda _: Drawn(image, 20.0, 24.0, depth)
    )
    style = formats(document)[-1][1].toImageFormat()
    assert style.property(ORIGINAL) == "=$x^2$"
    expected = (
        QTextCharFormat.VerticalAlignment.AlignBaseline
        if depth < 3
        else QTextCharFormat.VerticalAlignment.AlignMiddle
    )
    assert style.verticalAlignment() == expected
    # Above and below the middle there is as much room, so that the middle is the line.
    assert style.height() >= 24
    if depth > 3:
        assert style.height() == 2 * (24 - depth)


def test_a_formula_that_is_not_drawn_is_its_source_in_code(qapp: object):
    found = formats(written(line(Span(r"\frac{x", math=True))))
    assert [text for text, _ in found][1] == r"\frac{x"
    assert found[1][1].hasProperty(CODE_RUN)


def test_a_hidden_sign_is_shown_and_remembered(qapp: object):
    ((_, plain), (text, style), _rest) = formats(written(line(Span("a\u202eb"))))
    assert plain.property(ORIGINAL) is None
    assert (text, style.property(ORIGINAL)) == ("⟨U+202E⟩", "=\u202e")


def test_a_break_within_a_line_is_one(qapp: object):
    document = written(line(Span("a\nb")))
    assert document.blockCount() == 1
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    assert cursor.selectedText() == "a\u2028b"
