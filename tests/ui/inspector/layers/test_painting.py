"""Where in a cell things stand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from tests.fakes.envelope_views import made_row
from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import RowKey, SegmentRow
from workbench.ui.inspector.layers import painting as strokes
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.painting import act_at, act_key, act_line, act_words, tip_with_acts
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


VIEW = sample_view()


def row(layer: str, name: str) -> SegmentRow:
    return next(row for each in VIEW.layers for row in each.rows if row.key == (layer, name))


def test_acts_have_their_keys_and_say_what_they_mean():
    turn = row("L4_STRIP", "turns 1-6")
    assert act_words(turn, "leave_out") == "Leave out"
    assert act_line(turn, "leave_out") == "Not sent until you put it back."
    assert act_line(replace(turn, state="excluded"), "leave_out") == "Sent again."
    assert [act_key(act) for act in ("pin", "earlier", "later", "leave_out")] == ["Space", "+", "−", "Del"]


def test_a_cell_offers_what_a_press_on_it_does():
    turn, locked = row("L4_STRIP", "turns 1-6"), row("L1_SYSTEM", "persona")
    assert act_at(turn, Column.PIN) == "pin"
    assert act_at(locked, Column.PIN) is None
    assert act_at(turn, Column.SEGMENT) is None


def test_what_is_left_out_can_be_put_back():
    out = replace(row("L3_TURN", "src/auth.py"), state="excluded")
    assert act_words(out, "leave_out") == "Put back"


def test_a_pin_says_what_it_does():
    file = row("L3_TURN", "src/auth.py")
    assert tip_with_acts(file, Column.PIN).endswith("Pin, never dropped (Space)")
    assert tip_with_acts(replace(file, pinned=True), Column.PIN).endswith("Unpin (Space)")


def test_what_a_key_does_stands_with_the_state_it_would_change():
    told = tip_with_acts(row("L4_STRIP", "turns 1-6"), Column.STATE)
    assert told.split("\n")[-1] == "Leave out (Del)"


def test_what_is_locked_offers_nothing():
    told = tip_with_acts(row("L1_SYSTEM", "persona"), Column.STATE)
    assert "Del" not in told


def test_a_layer_tells_its_reason():
    assert tip_with_acts(VIEW.layers[0], Column.STATE) == "unchanged since turn 1"


@pytest.mark.parametrize("act", ["earlier", "later"])
def test_every_act_has_words(act: str):
    assert act_words(row("L3_TURN", "src/auth.py"), act)  # type: ignore[arg-type]


def test_keys_name_rows():
    assert VIEW.row(RowKey("L3_TURN", "src/auth.py")) is not None
