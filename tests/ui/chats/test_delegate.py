"""How the lines of the chats pane are painted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QLineEdit, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from workbench.ui.chats.delegate import (
    CHAT_HEIGHT,
    GROUP_HEIGHT,
    LineDelegate,
    fitting_text,
    paint_snippet,
    snippet_height,
)
from workbench.ui.chats.lines import AnyLine, ChatLine, FoundLine, GroupHead, Marks
from workbench.ui.chats.pane import LinesView
from workbench.ui.look.fonts import line_height
from workbench.ui.look.theme import LIGHT, Theme

WIDTH = 190.0


def view_of(qtbot: QtBot, *lines: AnyLine) -> LinesView:
    view = LinesView("Chats")
    qtbot.addWidget(view)
    view.resize(252, 200)
    view.lines().show_items(lines)
    view.show()
    return view


def pixels(image: QImage, colour: str) -> list[tuple[int, int]]:
    wanted = QColor(colour).rgb()
    return [
        (x, y) for y in range(image.height()) for x in range(image.width()) if image.pixel(x, y) == wanted
    ]


def delegate_of(view: LinesView) -> LineDelegate:
    delegate = view.itemDelegate()
    assert isinstance(delegate, LineDelegate)
    return delegate


def test_the_chat_in_view_has_an_edge_and_a_ground(qtbot: QtBot, theme: Theme):
    view = view_of(qtbot, ChatLine("a", "A", "14:06"), ChatLine("b", "B", "14:05"))
    view.set_current_chat("b")
    image = view.grab().toImage()
    assert {y // CHAT_HEIGHT for _, y in pixels(image, theme.sel)} == {1}
    assert {x for x, _ in pixels(image, theme.accent)} <= {6, 7, 8}


def test_a_chat_that_answers_has_a_dot_beside_its_time(qtbot: QtBot):
    calm = view_of(qtbot, ChatLine("a", "A", "14:06")).grab().toImage()
    busy = view_of(qtbot, ChatLine("a", "A", "14:06", running=True)).grab().toImage()
    assert pixels(calm, LIGHT.accent) == []
    assert {x for x, _ in pixels(busy, LIGHT.accent)} <= set(range(180, 220))
    assert pixels(busy, LIGHT.accent)


def test_heights_are_those_of_the_design(qtbot: QtBot):
    hit = FoundLine("h", "a", "m", "message", "word " * 40, ())
    view = view_of(qtbot, GroupHead("g", "Today"), ChatLine("a", "A", "14:06"), hit)
    heights = [
        view.itemDelegate().sizeHint(QStyleOptionViewItem(), view.lines().index(row)).height()
        for row in range(3)
    ]
    assert heights == [GROUP_HEIGHT, CHAT_HEIGHT, 2 * line_height("small") + 10]


def test_the_editor_begins_with_the_title_selected(qtbot: QtBot):
    view = view_of(qtbot, ChatLine("a", "A", "14:06", False, "A title"))
    view.focus_line("a")
    view.rename()
    (editor,) = [child for child in view.viewport().children() if isinstance(child, QLineEdit)]
    assert editor.selectedText() == "A title"
    assert editor.accessibleName() == "Title of the chat"


@pytest.mark.parametrize("width", [60, 252])
def test_a_long_title_is_cut_and_never_paints_over_the_time(qtbot: QtBot, width: int):
    view = view_of(qtbot, ChatLine("a", "A" * 200, "14:06", True), GroupHead("g", "G" * 90))
    view.resize(width, 100)
    assert view.grab().size() == QSize(width, 100)
    assert delegate_of(view).current == ""


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
