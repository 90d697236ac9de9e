"""What a painted bar must show: hatch for cached, dots for the reserve, red for too much."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.look.theme import LIGHT
from workbench.ui.widgets.budget_bar.layout import BarLayout, lay_out
from workbench.ui.widgets.budget_bar.painting import (
    Canvas,
    paint_bar,
    paint_ghost,
    paint_labels,
    paint_marks,
    paint_ring,
)
from workbench.ui.widgets.budget_bar.segments import BarModel, BarSegment

WIDTH, HEIGHT, TOP = 720, 36, 10


def segment(layer, name: str, tokens: int) -> BarSegment:
    return BarSegment(RowKey(layer, name), tokens, name)


BAR = BarModel(
    (segment("L1_SYSTEM", "a", 4000), segment("L4_STRIP", "b", 4000), segment("L3_TURN", "c", 2000)),
    16_000,
    2000,
    12_800,
    6000,
)
OVER = BarModel((segment("L3_TURN", "c", 20_000),), 16_000, 2000)


def painted(layout: BarLayout, *paints) -> QImage:
    image = QImage(WIDTH, HEIGHT + 2 * TOP, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(LIGHT.surface))
    painter = QPainter(image)
    canvas = Canvas(painter, LIGHT, QRectF(0, TOP, WIDTH, HEIGHT), 1.0)
    paint_bar(canvas, layout, compact=False)
    for paint in paints:
        paint(canvas)
    painter.end()
    return image


def found(image: QImage, left: float, right: float, y: int = TOP + 8) -> set[str]:
    return {image.pixelColor(x, y).name().upper() for x in range(round(left), round(right))}


@pytest.fixture
def layout(qapp) -> BarLayout:
    return lay_out(BAR, float(WIDTH))


def test_only_the_cached_run_is_hatched(layout: BarLayout):
    image = painted(layout)
    system, history = LIGHT.layers["L1_SYSTEM"].fill, LIGHT.layers["L4_STRIP"].fill
    assert layout.cached is not None
    assert len(found(image, 10, layout.blocks[0].right - 2)) > 2
    assert system in found(image, 10, layout.blocks[0].right - 2)
    assert found(image, layout.cached + 2, layout.blocks[1].right - 1) == {history}


def test_the_hatch_is_one_pattern_across_segments(layout: BarLayout):
    """Its strokes go on where a segment ends: with an origin of its own each would begin anew."""
    image = painted(layout)
    alone = painted(
        lay_out(BarModel((segment("L4_STRIP", "b", 8000),), 16_000, 2000, None, 6000), float(WIDTH))
    )
    span = range(round(layout.blocks[1].left) + 2, round(layout.blocks[1].left) + 60)
    assert [image.pixel(x, TOP + 8) for x in span] == [alone.pixel(x, TOP + 8) for x in span]


def test_the_hatch_moves_with_the_bar(layout: BarLayout):
    """With its origin in the window it would swim through the bar when that is moved."""
    rows_of_pixels = []
    for top in (TOP, TOP + 3):
        image = QImage(WIDTH, HEIGHT + 2 * TOP, QImage.Format.Format_ARGB32_Premultiplied)
        painter = QPainter(image)
        paint_bar(Canvas(painter, LIGHT, QRectF(0, top, WIDTH, HEIGHT), 1.0), layout, compact=False)
        painter.end()
        rows_of_pixels.append([image.pixel(x, top + 8) for x in range(10, 200)])
    assert rows_of_pixels[0] == rows_of_pixels[1]


def test_what_is_free_is_the_track(layout: BarLayout):
    assert found(painted(layout), layout.used + 2, layout.limit - 2) == {LIGHT.track}


def test_the_reserve_is_stippled_and_not_counted_as_used(layout: BarLayout):
    colours = found(painted(layout), layout.limit + 4, WIDTH - 4)
    assert LIGHT.surface in colours
    assert LIGHT.track not in colours
    assert len(colours) > 1


def test_what_is_over_the_limit_is_marked_in_red(qapp):
    over = lay_out(OVER, float(WIDTH))
    image = painted(over)
    fill = LIGHT.layers["L3_TURN"].fill
    assert found(image, 10, over.limit - 4) == {fill}
    assert len(found(image, over.limit + 4, over.used - 4)) > 2
    middle = round((over.limit + over.used) / 2)
    assert image.pixelColor(middle, TOP + 1).name().upper() == LIGHT.errline, "it has a frame"


def test_corners_are_round(layout: BarLayout):
    image = painted(layout)
    assert image.pixelColor(0, TOP).name().upper() == LIGHT.surface


def test_marks_reach_beyond_the_bar(layout: BarLayout):
    image = painted(layout, lambda canvas: paint_marks(canvas, layout, compact=False))
    assert layout.cached is not None
    assert image.pixelColor(round(layout.cached) - 1, TOP - 2).name().upper() == LIGHT.t1
    assert image.pixelColor(round(layout.limit) - 1, TOP + HEIGHT + 1).name().upper() == LIGHT.t2


def test_a_label_stands_on_a_plate_of_its_layer(layout: BarLayout):
    image = painted(layout, lambda canvas: paint_labels(canvas, layout, BAR))
    plate = round((layout.labels[0].left + layout.labels[0].right) / 2) - 40
    colours = {image.pixelColor(plate, y).name().upper() for y in range(TOP + 12, TOP + 24)}
    assert LIGHT.layers["L1_SYSTEM"].fill in colours


def test_the_ring_can_be_seen_round_the_smallest_segment(layout: BarLayout):
    image = painted(layout, lambda canvas: paint_ring(canvas, 300.0, 303.0))
    columns = [x for x in range(280, 320) if image.pixelColor(x, TOP - 1).name().upper() == LIGHT.accent]
    assert len(columns) >= 4


def test_the_ghost_is_an_outline_with_its_cached_part_filled(layout: BarLayout):
    image = painted(layout, lambda canvas: paint_ghost(canvas, layout, 1.0))
    assert layout.cached is not None
    middle = TOP + HEIGHT // 2
    assert LIGHT.accent in found(image, 4, layout.cached - 4, middle)
    assert found(image, layout.cached + 4, layout.used - 4, middle) == {LIGHT.accent_tint}
