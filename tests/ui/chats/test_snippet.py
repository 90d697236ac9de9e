"""Snippets with marks, painted and never read as markup."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from workbench.ui.chats.found_lines import Marks
from workbench.ui.chats.snippet import fitting_text, paint_snippet, snippet_height
from workbench.ui.look.fonts import line_height
from workbench.ui.look.theme import LIGHT, Theme

WIDTH = 190.0


def painted(text: str, marks: Marks, theme: Theme = LIGHT) -> QImage:
    image = QImage(200, 40, QImage.Format.Format_ARGB32)
    image.fill(QColor(theme.chrome))
    painter = QPainter(image)
    paint_snippet(painter, QRectF(2, 2, WIDTH, 36), text, marks, theme)
    painter.end()
    return image


def columns_of(image: QImage, hex_colour: str) -> set[int]:
    wanted = QColor(hex_colour).rgb()
    return {x for x in range(image.width()) for y in range(image.height()) if image.pixel(x, y) == wanted}


@pytest.mark.parametrize(
    "markup", ["<mark>", "<b>x</b>", "<img src='http://example.org/x.png'>", "&lt;&amp;"]
)
def test_cherry_studio_pr_13893_markup_in_a_hit_is_shown_as_it_stands(qapp: object, markup: str):
    """There a snippet was put together as HTML: a message with a tag in it broke the list, or ran in it."""
    text = f"{markup} token"
    assert fitting_text(text, ((len(markup) + 1, len(text)),), 1000.0) == text
    alone, plain = painted(markup, ()), painted("." * len(markup), ())
    assert columns_of(alone, LIGHT.accent_tint) == set()
    assert alone != plain


def test_only_what_matched_is_marked(qapp: object):
    marked = columns_of(painted("before token", ((7, 12),)), LIGHT.accent_tint)
    assert marked
    assert min(marked) > 30
    assert columns_of(painted("before token", ()), LIGHT.accent_tint) == set()


def test_two_lines_are_all_that_is_shown(qapp: object):
    long = "word " * 60
    assert snippet_height("word", (), WIDTH) == line_height("small")
    assert snippet_height(long, (), WIDTH) == 2 * line_height("small")
    assert fitting_text(long, (), WIDTH).endswith("…")
    assert len(fitting_text(long, (), WIDTH)) < len(long)


def test_a_mark_beyond_what_is_shown_does_no_harm(qapp: object):
    text = "word " * 60
    painted(text, ((290, 295), (0, 4), (500, 600)))
