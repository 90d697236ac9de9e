"""Cards and the rows in them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from tests.ui.widgets.children import children
from workbench.ui.look.theme import Theme
from workbench.ui.widgets.badge import Badge
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Card, CardRow, Hairline
from workbench.ui.widgets.labels import label


def test_a_tone_colours_the_border(theme: Theme, qtbot):
    card = Card()
    qtbot.addWidget(card)
    card.resize(100, 60)
    assert card.grab().toImage().pixelColor(50, 0) == QColor(theme.line)
    assert card.grab().toImage().pixelColor(50, 30) == QColor(theme.raised)
    toned = Card("warn", "chrome")
    qtbot.addWidget(toned)
    toned.resize(100, 60)
    assert toned.grab().toImage().pixelColor(50, 0) == QColor(theme.warn)
    assert toned.grab().toImage().pixelColor(50, 30) == QColor(theme.chrome)


def test_a_dashed_border_has_holes(theme: Theme, qtbot):
    card = Card(dashed=True)
    qtbot.addWidget(card)
    card.resize(100, 60)
    image = card.grab().toImage()
    assert {image.pixelColor(x, 0).name() for x in range(20, 80)} >= {QColor(theme.raised).name()}


@pytest.fixture
def listed(qtbot) -> Card:
    card = Card()
    qtbot.addWidget(card)
    card.add_row(CardRow("chip", "Built-in", "runs on this computer", Badge("ok", "check", "ready")))
    card.add_row(CardRow("globe", "OpenAI", "api.openai.com", action=button("Add key...", size="small")))
    card.resize(360, card.sizeHint().height())
    card.show()
    return card


def rows_of(card: Card) -> list[CardRow]:
    return children(card, CardRow)


def test_rows_have_their_height_and_a_hairline_between_them(theme: Theme, listed: Card):
    first, second = rows_of(listed)
    assert first.height() == second.height() == 52
    assert second.y() == first.geometry().bottom() + 2
    assert listed.grab().toImage().pixelColor(200, second.y() - 1) == QColor(theme.line)


def test_a_hidden_row_takes_its_hairline_with_it(theme: Theme, listed: Card):
    first, second = rows_of(listed)
    first.hide()
    listed.resize(360, listed.sizeHint().height())
    assert second.isVisible()
    assert listed.grab().toImage().pixelColor(200, 1) == QColor(theme.raised)


def test_a_line_can_come_and_go(listed: Card):
    first = rows_of(listed)[0]
    first.set_line("")
    assert first.line.isHidden()
    first.set_line("on again")
    assert (first.line.text(), first.line.isHidden()) == ("on again", False)


def test_a_row_is_no_stop_for_the_keyboard(listed: Card):
    assert rows_of(listed)[0].focusPolicy() == Qt.FocusPolicy.NoFocus


def test_any_widget_can_be_a_row(qtbot):
    card = Card()
    qtbot.addWidget(card)
    card.add_row(label("words"))
    assert card.sizeHint().height() > 10


def test_a_line_is_one_pixel_in_the_colour_of_lines(theme: Theme, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    across, upright = Hairline(), Hairline(upright=True)
    for line in (across, upright):
        line.setParent(parent)
    parent.show()
    assert (across.height(), upright.width()) == (1, 1)
    assert across.grab().toImage().pixelColor(0, 0) == QColor(theme.line)
