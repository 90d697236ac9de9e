"""Strokes that several widgets share."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QImage, QPainter

from workbench.ui.look.fonts import font
from workbench.ui.look.painting import (
    after,
    badge_width,
    dashed_pen,
    elided,
    figure_width,
    hatch_brush,
    overflow_brush,
    paint_badge,
    paint_figure,
    paint_mini_bar,
    paint_tag,
    placed,
    snapped,
    stipple_brush,
    stroke_rounded,
    take,
    take_end,
)
from workbench.ui.look.theme import LIGHT

WHITE = QColor("#FFFFFF")
CELL = QRectF(100, 0, 60, 26)


@pytest.fixture
def canvas(qapp):
    image = QImage(200, 40, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(WHITE)
    return image


def inked(image: QImage) -> list[int]:
    """The columns in which something was painted."""
    return [
        x for x in range(image.width()) if any(image.pixelColor(x, y) != WHITE for y in range(image.height()))
    ]


def draw(image: QImage, paint) -> list[int]:
    painter = QPainter(image)
    paint(painter)
    painter.end()
    return inked(image)


@pytest.mark.parametrize("family", ["Inter", "JetBrains Mono", "DejaVu Sans"])
def test_figures_of_as_many_digits_are_equally_wide(qapp, family: str):
    """Also in a font that has no digits of one width."""
    used = QFont(family)
    used.setPixelSize(13)
    assert figure_width(used, "1,111") == pytest.approx(figure_width(used, "8,080"), abs=0.01)


def test_a_digit_stands_where_the_digit_before_stood(canvas):
    """A figure that changes must not move: the last digit of 1,117 and 8,887 is at the same place."""
    used = QFont("Inter")
    used.setPixelSize(13)
    images = []
    for text in ("1,117", "8,887"):
        image = QImage(canvas)
        painter = QPainter(image)
        painter.setFont(used)
        paint_figure(painter, QRectF(0, 0, 190, 40), text)
        painter.end()
        images.append(image)
    last = range(182, 190)
    assert [[image.pixel(x, y) for x in last for y in range(40)] for image in images[:1]] == [
        [image.pixel(x, y) for x in last for y in range(40)] for image in images[1:]
    ]


@pytest.mark.parametrize(
    ("align", "near"),
    [
        (Qt.AlignmentFlag.AlignRight, 190),
        (Qt.AlignmentFlag.AlignLeft, 40),
        (Qt.AlignmentFlag.AlignHCenter, 118),
    ],
)
def test_a_figure_stands_where_it_is_told(canvas, align, near: int):
    def paint(painter: QPainter) -> None:
        painter.setFont(font("ui"))
        paint_figure(painter, QRectF(10, 0, 180, 40), "42", align)

    assert draw(canvas, paint)[-1] == pytest.approx(near, abs=16)


def test_a_badge_is_as_wide_as_it_says(canvas):
    columns = draw(
        canvas, lambda painter: paint_badge(painter, QRectF(10, 0, 180, 40), "ok", "check", "exact")
    )
    assert columns[0] == 10
    assert columns[-1] + 1 - columns[0] == pytest.approx(badge_width("check", "exact"), abs=1)


def test_a_badge_without_room_stays_inside(canvas):
    columns = draw(
        canvas, lambda painter: paint_badge(painter, QRectF(10, 0, 30, 40), "err", "out", "unreadable")
    )
    assert columns[-1] < 40


def test_a_tag_has_its_layers_colours(canvas):
    columns = draw(canvas, lambda painter: paint_tag(painter, QRectF(10, 0, 100, 40), "L2_PREVIOUS"))
    assert (columns[0], columns[-1]) == (10, 31)
    found = {canvas.pixelColor(x, 20).name().upper() for x in range(10, 32)}
    assert LIGHT.layers["L2_PREVIOUS"].fill in found


def test_the_smallest_share_is_still_seen(canvas):
    draw(canvas, lambda painter: paint_mini_bar(painter, QRectF(10, 10, 36, 6), "L5_USER", 0.0001))
    ink = canvas.pixelColor(10, 13)
    assert ink.red() < 190
    assert canvas.pixelColor(20, 13) == QColor(LIGHT.track)


def test_a_mini_bar_is_hatched_for_its_cached_part_only(canvas):
    draw(canvas, lambda painter: paint_mini_bar(painter, QRectF(10, 10, 100, 6), "L1_SYSTEM", 1.0, 0.5))
    fill = QColor(LIGHT.layers["L1_SYSTEM"].fill)
    cached = {canvas.pixelColor(x, 13).rgb() for x in range(14, 58)}
    fresh = {canvas.pixelColor(x, 13).rgb() for x in range(62, 106)}
    assert len(cached) > 1
    assert fresh == {fill.rgb()}


def test_nothing_is_painted_for_no_share(canvas):
    draw(canvas, lambda painter: paint_mini_bar(painter, QRectF(10, 10, 36, 6), "L5_USER", 0.0))
    assert canvas.pixelColor(11, 13) == QColor(LIGHT.track)


def test_text_that_fits_is_not_shortened(qapp):
    assert elided(font("ui"), "auth.py", 200) == "auth.py"
    assert elided(font("ui"), "a/very/long/path/auth.py", 60).endswith("…")


def test_of_a_path_the_name_of_the_file_stays_whole(qapp):
    middle = Qt.TextElideMode.ElideMiddle
    for width in (75, 90, 120):
        cut = elided(font("ui"), "docs/reference/of/everything/api_reference.md", width + 60, middle)
        assert cut.endswith("…/api_reference.md") or (cut.endswith("/api_reference.md") and "…" in cut), cut
    assert elided(font("ui"), "some/folder/auth.py", 52, middle) == "auth.py"
    assert "…" in elided(font("ui"), "some/folder/auth_of_a_long_name.py", 60, middle)


def test_an_outline_is_sharp_and_inside(canvas):
    columns = draw(canvas, lambda painter: stroke_rounded(painter, QRectF(10, 5, 50, 30), LIGHT.line2, 6))
    assert (columns[0], columns[-1]) == (10, 59)
    assert canvas.pixelColor(10, 20) == QColor(LIGHT.line2)
    assert canvas.pixelColor(11, 20) == WHITE


def test_dashes_are_as_long_as_asked_whatever_the_width():
    pen = dashed_pen(LIGHT.warn, 1.5, 4, 3)
    assert [part * pen.widthF() for part in pen.dashPattern()] == [4, 3]


def test_positions_are_whole_device_pixels():
    assert snapped(10.3, 1.0) == 10
    assert snapped(10.3, 2.0) == 10.5
    assert snapped(10.3, 1.25) == pytest.approx(10.4)


def test_a_part_stands_where_reading_begins():
    assert placed(CELL, 8, 10) == QRectF(108, 0, 10, 26)


def test_the_rest_of_a_cell_ends_before_its_trail():
    assert after(CELL, 8, 2) == QRectF(108, 0, 50, 26)


def test_pieces_are_taken_from_both_ends():
    room = QRectF(10, 0, 100, 20)
    assert take(room, 14, 6) == QRectF(10, 0, 14, 20)
    assert take_end(room, 30, 8) == QRectF(80, 0, 30, 20)
    assert room == QRectF(30, 0, 42, 20)


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


def test_of_a_section_in_a_file_the_end_of_the_section_goes_first_and_never_its_mark_alone(qapp):
    """In a narrow column "part3.html › part 3" was "part3....part 3": a file that there is not."""
    used, middle, text = font("ui"), Qt.TextElideMode.ElideMiddle, "part3.html › Where parts are kept"
    measure = QFontMetricsF(used)
    whole, file = measure.horizontalAdvance(text), measure.horizontalAdvance("part3.html › ")
    assert elided(used, text, whole, middle) == text
    cut = elided(used, text, (whole + file) / 2, middle)
    assert cut.startswith("part3.html › W")
    assert cut.endswith("…")
    assert elided(used, text, file, middle) == "part3.html"
    assert "›" not in elided(used, text, 40, middle)
