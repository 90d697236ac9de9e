"""Spans: the inside of a line, in as few pieces as it has styles."""

from __future__ import annotations

from workbench.ui.chat.text.blocks import Line, Span
from workbench.ui.chat.text.markdown import piece_parts


def spans(source: str) -> tuple[Span, ...]:
    (line,) = piece_parts(source)
    assert isinstance(line, Line)
    return line.spans


def test_neighbours_in_one_style_are_one():
    assert spans("a &amp; b \\* c\nd") == (Span("a & b * c d"),)


def test_a_hard_break_stays_a_break():
    assert spans("a\\\nb  \nc") == (Span("a\nb\nc"),)


def test_styles_add_up():
    assert spans("**a *b***") == (Span("a ", bold=True), Span("b", bold=True, italic=True))


def test_a_picture_in_a_link_leads_where_the_link_does():
    (span,) = spans("[![x](http://a.example/)](http://b.example/)")
    assert (span.text, span.link) == ("x (http://a.example/)", "http://b.example/")


def test_a_picture_without_a_name_is_its_address():
    assert spans("![](http://a.example/x.png)") == (
        Span("http://a.example/x.png", link="http://a.example/x.png"),
    )


def test_a_link_that_may_not_be_opened_is_shown_as_it_was_written():
    assert spans("[click](javascript:alert(1))") == (Span("[click](javascript:alert(1))"),)


def test_an_address_in_other_letters_is_encoded_so_that_it_can_be_seen():
    (span,) = spans("[x](https://еxample.org/é)")
    assert span.link == "https://xn--xample-2of.org/%C3%A9"
