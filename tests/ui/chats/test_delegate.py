"""How the lines of the chats pane are painted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLineEdit, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from workbench.ui.chats.delegate import CHAT_HEIGHT, GROUP_HEIGHT, LineDelegate
from workbench.ui.chats.found_lines import FoundLine
from workbench.ui.chats.lines import ChatLine, GroupHead
from workbench.ui.chats.lines_model import AnyLine
from workbench.ui.chats.view import LinesView
from workbench.ui.look.fonts import line_height
from workbench.ui.look.theme import LIGHT, Theme


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
