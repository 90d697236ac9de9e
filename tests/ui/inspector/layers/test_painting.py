"""Where in a cell things stand."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from tests.fakes.envelope_views import made_row
from workbench.ui.inspector.layers import painting as strokes
from workbench.ui.look.theme import Theme

CELL = QRectF(100, 0, 60, 26)


def test_what_had_to_fall_is_red_and_what_was_left_out_is_grey():
    assert strokes.ink(made_row("L3_TURN", "a", 1, "dropped"), "t1") == "err"
    assert strokes.ink(made_row("L3_TURN", "a", 1, "excluded"), "t1") == "t3"
    assert strokes.ink(made_row("L3_TURN", "a"), "t1") == "t1"


def test_a_stepper_is_hit_by_its_parts(qtbot: QtBot):
    box = strokes.stepper_rect(CELL, "5")
    assert CELL.contains(box)
    y = box.center().y()
    parts = [
        strokes.stepper_part(box, QPointF(x, y))
        for x in (box.left() + 3, box.center().x(), box.right() - 3, box.left() - 20)
    ]
    assert parts == ["less", "number", "more", ""]


def canvas() -> QImage:
    image = QImage(60, 26, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    return image


def inked(image: QImage, left: int, right: int) -> int:
    return sum(
        image.pixelColor(x, y).alpha() > 60 for x in range(left, right) for y in range(7, image.height() - 7)
    )


def test_what_is_partly_cached_is_hatched_by_half(qtbot: QtBot, theme: Theme):
    marks = {}
    for mark in ("hit", "part"):
        image = canvas()
        painter = QPainter(image)
        strokes.paint_cache_mark(painter, QRectF(0, 0, 13, 26), mark, theme)
        painter.end()
        marks[mark] = (inked(image, 1, 6), inked(image, 8, 12))
    assert marks["hit"][1] > 2 * marks["part"][1]
    assert marks["hit"][0] > 0
    assert marks["part"][0] > 0


def test_what_is_not_sent_has_an_empty_dashed_bar(qtbot: QtBot, theme: Theme):
    image = canvas()
    painter = QPainter(image)
    row = made_row("L3_TURN", "a", 18_800, "dropped")
    strokes.paint_share_bar(painter, QRectF(0, 0, 36, 26), row, 1.0, theme)
    painter.end()
    assert image.pixelColor(18, 13).alpha() == 0
    along = [image.pixelColor(x, 9).alpha() > 40 for x in range(5, 31)]
    assert any(along)
    assert not all(along)


def test_a_sent_row_fills_its_bar_in_its_layers_colour(qtbot: QtBot, theme: Theme):
    image = canvas()
    painter = QPainter(image)
    strokes.paint_share_bar(painter, QRectF(0, 0, 36, 26), made_row("L3_TURN", "a"), 0.5, theme)
    painter.end()
    assert image.pixelColor(8, 13).name() == QColor(theme.layers["L3_TURN"].fill).name()
    assert image.pixelColor(30, 13).name() == QColor(theme.track).name()
