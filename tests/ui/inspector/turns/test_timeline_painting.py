"""Strokes of the timeline: a hatch is what a cache served, and every mark has a shape of its own."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from workbench.ui.inspector.turns.timeline_layout import BAR_WIDTH, Bar, Mark
from workbench.ui.inspector.turns.timeline_painting import paint_bar, paint_cached, paint_mark
from workbench.ui.look.theme import Theme, colour


def painted(width: int, height: int, paint) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(0xFF00FF)
    painter = QPainter(image)
    paint(painter)
    painter.end()
    return image


def colours(image: QImage, box: QRectF) -> set[str]:
    xs, ys = range(round(box.left()), round(box.right())), range(round(box.top()), round(box.bottom()))
    return {image.pixelColor(x, y).name() for x in xs for y in ys}


def test_what_is_cached_is_hatched_and_what_is_fresh_is_plain(qapp, theme: Theme):
    image = painted(60, 100, lambda painter: paint_bar(painter, 10, 90, Bar(1, 500, 500, 0), 1_000))
    cached = colours(image, QRectF(18, 60, 8, 28))
    fresh = colours(image, QRectF(18, 20, 8, 25))
    assert colour(theme.cached).name() in cached
    assert len(cached) > 2
    assert fresh == {colour(theme.fresh).name()}


def test_the_output_is_an_outline(qapp, theme: Theme):
    image = painted(60, 100, lambda painter: paint_bar(painter, 10, 90, Bar(1, 0, 500, 500), 1_000))
    assert image.pixelColor(10 + BAR_WIDTH // 2, 30) == colour(theme.surface)
    assert image.pixelColor(10, 30) != colour(theme.surface)


def test_ticks_reach_over_the_edges_on_their_own_sides(qapp, theme: Theme):
    bar = Bar(1, 0, 1_000, 0, predicted=500, reported=250)
    image = painted(60, 100, lambda painter: paint_bar(painter, 10, 90, bar, 1_000))
    assert image.pixelColor(7, 90 - 37) == colour(theme.t1)
    assert image.pixelColor(10 + BAR_WIDTH + 2, 90 - 18) == colour(theme.accent)


def test_the_next_request_is_dashed(qapp, theme: Theme):
    image = painted(60, 100, lambda painter: paint_bar(painter, 10, 90, Bar(None, 0, 1_000, 0), 1_000))
    edge = {image.pixelColor(10, y).name() for y in range(20, 80)}
    assert len(edge) > 1
    assert image.pixelColor(20, 40) == colour(theme.accent_tint)


@pytest.mark.parametrize("mark", ["broke", "expired", "failed"])
def test_marks_differ_by_shape(qapp, mark: Mark):
    shapes = {
        name: painted(20, 20, lambda painter, name=name: paint_mark(painter, QPointF(10, 15), name))
        for name in ("", "broke", "expired", "failed")
    }
    others = [image for name, image in shapes.items() if name != mark]
    grey = shapes[mark].convertToFormat(QImage.Format.Format_Grayscale8)
    assert all(grey != other.convertToFormat(QImage.Format.Format_Grayscale8) for other in others)


def test_nothing_cached_paints_nothing(qapp):
    image = painted(20, 20, lambda painter: paint_cached(painter, QRectF(0, 10, 20, 0)))
    assert colours(image, QRectF(0, 0, 20, 20)) == {"#ff00ff"}
