"""Patterns: a hatch is seamless, keeps its period at every density, and leans the way that says what it means."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QImage, QPainter

from workbench.ui.look.patterns import hatch_brush, overflow_brush, stipple_brush
from workbench.ui.look.theme import LIGHT


def filled(brush: QBrush, dpr: float, side: int = 60) -> QImage:
    image = QImage(round(side * dpr), round(side * dpr), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(dpr)
    image.fill(0)
    painter = QPainter(image)
    painter.fillRect(QRectF(0, 0, side, side), brush)
    painter.end()
    return image


def row(image: QImage, y: int) -> list[int]:
    return [image.pixelColor(x, y).alpha() for x in range(image.width())]


def strokes_in(line: list[int]) -> int:
    inked = [alpha > max(line) / 2 for alpha in line]
    return sum(now and not before for before, now in pairwise(inked))


@pytest.mark.parametrize("dpr", [1.0, 1.25, 1.5, 2.0])
def test_the_hatch_keeps_its_period_at_every_density(qapp, dpr: float):
    """Qt's own pattern counts device pixels: it would be twice as fine on a dense screen."""
    strokes = strokes_in(row(filled(hatch_brush(LIGHT, "L1_SYSTEM", dpr), dpr), 20))
    assert strokes == pytest.approx(60 / 8.5, abs=1.2)


def shift_per_row(image: QImage) -> int:
    """How many pixels the pattern moves to the right from one row to the next."""
    first, second = row(image, 20), row(image, 21)
    return min((-1, 1), key=lambda by: sum(abs(first[x] - second[x + by]) for x in range(20, 40)))


def test_cached_and_too_much_lean_against_each_other(qapp):
    assert shift_per_row(filled(hatch_brush(LIGHT, "L1_SYSTEM", 1.0), 1.0)) == -1
    assert shift_per_row(filled(overflow_brush(LIGHT, 1.0), 1.0)) == 1


@pytest.mark.parametrize("dpr", [1.0, 1.5, 2.0])
def test_the_hatch_has_no_seam(qapp, dpr: float):
    """Along a stroke the ink is the same in every tile and from tile to tile."""
    image = filled(hatch_brush(LIGHT, "L1_SYSTEM", dpr), dpr)
    diagonals = {
        start: {image.pixelColor(start - y, y).alpha() for y in range(2, start - 2)}
        for start in range(40, image.width())
    }
    assert max(max(alphas) - min(alphas) for alphas in diagonals.values()) <= 60


def test_light_and_dark_fills_have_their_own_strokes(qapp):
    on_dark, on_light = (
        filled(hatch_brush(LIGHT, layer, 2.0), 2.0) for layer in ("L1_SYSTEM", "L2_PREVIOUS")
    )
    brightest = max(
        on_dark.pixelColor(x, 20).lightness() for x in range(60) if on_dark.pixelColor(x, 20).alpha() > 90
    )
    darkest = min(
        on_light.pixelColor(x, 20).lightness() for x in range(60) if on_light.pixelColor(x, 20).alpha() > 90
    )
    assert darkest < 60
    assert brightest > 200


def test_the_reserve_is_made_of_dots(qapp):
    image = filled(stipple_brush(LIGHT, 2.0), 2.0)
    covered = [image.pixelColor(x, y).alpha() > 128 for x in range(120) for y in range(120)]
    assert 0.05 < sum(covered) / len(covered) < 0.3
    dot = max((image.pixelColor(x, y) for x in range(20) for y in range(20)), key=QColor.alpha)
    assert dot.name().upper() == LIGHT.edge


def test_brushes_are_made_once(qapp):
    first = hatch_brush(LIGHT, "L4_STRIP", 1.0)
    assert hatch_brush(LIGHT, "L4_STRIP", 1.0).textureImage().cacheKey() == first.textureImage().cacheKey()
