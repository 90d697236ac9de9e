"""What the view paints beside prose stands where the text does."""

from __future__ import annotations

from workbench.ui.chat.text.blocks import Line, Span
from workbench.ui.chat.text.prose import code_boxes, span_of
from workbench.ui.chat.text.prose_writer import ProseLook, write_lines
from workbench.ui.chat.text.safe_browser import SafeDocument
from workbench.ui.look.theme import LIGHT


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
