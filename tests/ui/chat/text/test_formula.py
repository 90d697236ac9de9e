"""Formulas: common ones are drawn on their line, hostile ones are refused at once."""

from __future__ import annotations

from time import process_time
from xml.etree import ElementTree

import pytest
from PySide6.QtGui import QColor

from workbench.ui.chat.text.formula import (
    HIGHEST_PX,
    LONGEST_SOURCE,
    MOST_WORK,
    WIDEST_PX,
    FormulaJob,
    picture_of,
    sensible,
    work_of,
)

COMMON = (
    "E=mc^2",
    r"x = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}",
    r"\int_0^\infty e^{-x^2}\,dx = \frac{\sqrt\pi}{2}",
    r"\begin{pmatrix}a&b\\c&d\end{pmatrix}",
    r"f(x)=\begin{cases} x^2 & \text{if } x>0 \\ 0 & \text{otherwise}\end{cases}",
    r"\hat{\beta} = \left(X^\top X\right)^{-1} X^\top y",
    r"\begin{aligned}a&=b\\c&=d\end{aligned}",
    r"\lim_{n\to\infty}\left(1+\frac{1}{n}\right)^n = e",
)


@pytest.mark.parametrize("source", COMMON)
def test_a_common_formula_is_drawn(qapp: object, source: str):
    svg = FormulaJob(source, True, 16.0).run()
    assert svg is not None
    drawn = picture_of(svg, QColor("black").name(), 1.0)
    assert drawn is not None
    assert 5 < drawn.height < 120
    assert 0 <= drawn.depth < drawn.height


def test_a_letter_with_a_tail_reaches_below_the_line(qapp: object):
    def depth(source: str) -> float:
        svg = FormulaJob(source, False, 16.0).run()
        assert svg is not None
        drawn = picture_of(svg, "#000000", 1.0)
        assert drawn is not None
        return drawn.depth

    assert depth("y") > depth("x") + 2
    assert depth(r"\frac{a}{b}") > depth("y")


def test_the_picture_is_as_sharp_as_the_screen(qapp: object):
    svg = FormulaJob("x", False, 16.0).run()
    assert svg is not None
    one, two = picture_of(svg, "#000000", 1.0), picture_of(svg, "#000000", 2.0)
    assert one is not None
    assert two is not None
    assert two.image.width() == pytest.approx(2 * one.image.width(), abs=1)
    assert two.width == pytest.approx(one.width, abs=1)


def test_it_is_drawn_in_the_colour_that_is_asked_for(qapp: object):
    svg = FormulaJob("x", False, 32.0).run()
    assert svg is not None
    drawn = picture_of(svg, "#FF0000", 1.0)
    assert drawn is not None
    inked = [
        drawn.image.pixelColor(x, y) for x in range(drawn.image.width()) for y in range(drawn.image.height())
    ]
    assert any(pixel.alpha() > 200 and pixel.red() > 200 and pixel.blue() < 40 for pixel in inked)


@pytest.mark.parametrize(
    "source",
    [
        "",
        " ",
        r"\frac{x",
        r"\newcommand{\a}{\b\b}\newcommand{\b}{\a\a}\a",
        r"\def\a{\a\a}\a",
        r"\let\a\b",
        r"\rule{1000000em}{1000000em}",
        r"\hspace{10000000em}x",
        r"\includegraphics{/etc/passwd}",
        "x" * (LONGEST_SOURCE + 1),
        "{" * 900 + "x" + "}" * 900,
        r"\left(" * 40 + "x" + r"\right)" * 40,
        "1+x^{" * 16 + "x" + "}" * 16,
        r"\begin{pmatrix}" * 12 + "x" + r"\end{pmatrix}" * 12,
        r"\frac" * 300,
        "&" * 1_900,
        "\x00",
        "'" * 1_900,
        r"\text{<image href='file:///etc/passwd'/>}",
    ],
    ids=lambda source: source[:24] or "empty",
)
def test_a_hostile_formula_is_refused_in_no_time(source: str):
    """The library takes twice as long for every bracket: sixteen of them took a minute and a half."""
    started = process_time()
    svg = FormulaJob(source, True, 16.0).run()
    assert process_time() - started < 5
    assert svg is None


def test_nested_brackets_that_hold_one_thing_are_cheap():
    svg = FormulaJob(r"\sqrt{" * 12 + "x" + "}" * 12, True, 16.0).run()
    assert svg is not None


def test_a_picture_that_is_too_large_is_not_drawn(qapp: object):
    for width, height in ((WIDEST_PX + 1, 10), (10, HIGHEST_PX + 1)):
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"></svg>'
        assert picture_of(svg, "#000000", 1.0) is None


def test_work_doubles_with_every_row_in_a_row():
    flat = ElementTree.fromstring("<mrow><mi>x</mi><mi>y</mi></mrow>")
    deep = ElementTree.fromstring("<mrow>" * 20 + "<mi>x</mi>" + "</mrow>" * 20)
    assert work_of(flat) < 10
    assert work_of(deep) > MOST_WORK


def test_only_plain_sources_are_sensible():
    assert sensible("x^2")
    assert not sensible(r"\newcommand{\a}{b}")
