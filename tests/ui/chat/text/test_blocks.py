"""Blocks: lines that follow one another are one prose, and every block has its plain text."""

from __future__ import annotations

from workbench.ui.chat.text.blocks import (
    LINES_A_GROUP,
    Code,
    Formula,
    Line,
    Prose,
    Span,
    Table,
    block_text,
    blocks_text,
    grouped,
    line_text,
)


def line(text: str, **more: object) -> Line:
    return Line((Span(text),), **more)  # type: ignore[arg-type]


def test_lines_between_two_frames_are_one_prose():
    one, two, code, three = line("one"), line("two"), Code("x"), line("three")
    assert grouped([one, two, code, three]) == (Prose((one, two)), code, Prose((three,)))


def test_a_long_prose_is_cut_into_groups_that_do_not_change_when_it_goes_on():
    lines = [line(str(number)) for number in range(LINES_A_GROUP + 3)]
    first, second = grouped(lines)
    assert first == Prose(tuple(lines[:LINES_A_GROUP]))
    assert grouped([*lines, line("more")])[0] == first
    assert second == Prose(tuple(lines[LINES_A_GROUP:]))


def test_nothing_is_grouped_into_nothing():
    assert grouped([]) == ()


def test_a_line_is_copied_with_its_marker_quote_and_step():
    assert line_text(line("a", marker="2.", indent=2)) == "  2. a"
    assert line_text(line("a", quote=2)) == "> > a"
    assert line_text(Line((), "rule")) == "---"


def test_a_gap_between_paragraphs_is_an_empty_line_in_the_copy():
    prose = Prose((line("a"), line("b"), line("c", close=True)))
    assert block_text(prose) == "a\n\nb\nc"


def test_every_block_has_its_text():
    cells = (((Span("a"),), (Span("b"),)), ((Span("1"),), (Span("2"),)))
    assert blocks_text((Code("x = 1"), Table(cells), Formula("x^2"))) == "x = 1\n\na\tb\n1\t2\n\nx^2"
