"""How the cells of the list of turns look."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from tests.fakes.requests_shown import scripted_state
from workbench.ui.inspector.turns.columns import EDGE, Column
from workbench.ui.inspector.turns.painting import inner_box, paint_cell, paint_turn
from workbench.ui.inspector.turns.table import TurnTable
from workbench.ui.look.fonts import font
from workbench.ui.look.theme import Theme, colour


def inked(paint) -> list[int]:
    image = QImage(100, 28, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    painter.setFont(font("small"))
    paint(painter, QRectF(0, 0, 100, 28))
    painter.end()
    return [x for x in range(100) if any(image.pixelColor(x, y).lightness() < 128 for y in range(28))]


def test_the_first_and_the_last_column_keep_the_edge_of_the_pane():
    box = QRectF(0, 0, 100, 28)
    assert inner_box(box, Column.TURN).left() == EDGE
    assert inner_box(box, Column.PRICE).right() == 100 - EDGE


def test_figures_stand_at_the_end_and_numbers_of_turns_at_the_beginning(qapp):
    assert inked(lambda p, box: paint_cell(p, box, "1,792", at_end=True))[-1] > 90
    assert inked(lambda p, box: paint_turn(p, box, "1,000"))[0] < 10


def test_the_chosen_turn_has_its_ground_and_its_edge(qtbot, theme: Theme):
    table = TurnTable()
    qtbot.addWidget(table)
    table.resize(752, 260)
    table.show_turns(scripted_state()[1].turns)
    table.select(7)
    table.show()
    table.clearFocus()
    seen = table.viewport().grab().toImage()
    row = table.visualRect(table.model().index(1, 0))
    assert seen.pixelColor(1, row.center().y()) == colour(theme.accent)
    assert seen.pixelColor(6, row.top() + 3) == colour(theme.sel)
