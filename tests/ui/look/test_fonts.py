"""Fonts: the families that came with the program, in the sizes of the design."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QFontInfo, QImage, QPainter
from PySide6.QtWidgets import QWidget

from workbench.ui.look.fonts import (
    FACES,
    font,
    line_height,
    load_fonts,
    metrics,
    scale,
    set_scale,
    system_scale,
)

RESOURCES = Path(__file__).parents[3] / "resources"


@pytest.fixture(autouse=True)
def back_to_the_design(qapp):
    yield
    set_scale(1.0)


def test_our_families_are_loaded(qapp):
    assert {"Inter", "JetBrains Mono"} <= set(load_fonts(RESOURCES / "fonts"))


@pytest.mark.parametrize("role", FACES)
def test_a_role_has_its_size_and_family(qapp, role):
    made = QFontInfo(font(role))
    assert made.family() == ("JetBrains Mono" if FACES[role].mono else "Inter")
    assert made.pixelSize() == pytest.approx(FACES[role].px, abs=0.51)


def test_half_pixels_are_kept(qapp):
    """A size in pixels must be whole in Qt: rows of 12.5 px would be set in 12."""
    half, whole = metrics("row"), metrics("row_small")
    assert half.horizontalAdvance("a longer line of text") > whole.horizontalAdvance("a longer line of text")


def test_another_weight_is_another_face(qapp):
    assert font("ui", 600).weight() == QFont.Weight(600)
    assert metrics("ui", 600).horizontalAdvance("Apply") > metrics("ui").horizontalAdvance("Apply")


@pytest.mark.parametrize("role", ["figure", "ui", "row", "strip", "small"])
def test_figures_stand_in_columns(qapp, role):
    assert metrics(role).horizontalAdvance("1,111") == metrics(role).horizontalAdvance("8,888")


def test_everything_grows_with_the_scale(qapp):
    before = metrics("ui").horizontalAdvance("Apply")
    set_scale(1.5)
    assert scale() == 1.5
    assert metrics("ui").horizontalAdvance("Apply") == pytest.approx(1.5 * before, rel=0.05)
    assert line_height("row") == 39


def test_the_desktops_font_never_makes_ours_smaller(qapp):
    assert 1.0 <= system_scale() <= 1.5


def test_scripted_pictures_do_not_depend_on_the_desktop(qapp):
    load_fonts(RESOURCES / "fonts", follow_system=True)
    load_fonts(RESOURCES / "fonts")
    assert scale() == 1.0


class Painted(QWidget):
    """Paints a line of code in a widget whose own font is the one for words."""

    def paintEvent(self, _event):
        painter = QPainter(self)
        painter.setFont(font("code"))
        painter.drawText(4, 20, "-> != >=")


def test_code_shows_what_is_written_also_inside_a_widget(qtbot):
    """Qt gives a painter's font the features of the widget's font, which would bring the ligatures back."""
    widget = Painted()
    qtbot.addWidget(widget)
    widget.resize(100, 30)
    expected = QImage(widget.grab().toImage())
    expected.fill(expected.pixelColor(90, 5))
    painter = QPainter(expected)
    painter.setFont(font("code"))
    x = 4.0
    for letter in "-> != >=":
        painter.drawText(round(x), 20, letter)
        x += metrics("code").horizontalAdvance("0")
    painter.end()
    drawn = widget.grab().toImage()
    ink = [(x, y) for x in range(100) for y in range(30) if drawn.pixelColor(x, y).lightness() < 90]
    apart = [(x, y) for x, y in ink if expected.pixelColor(x, y).lightness() > 200]
    assert len(apart) < len(ink) * 0.25
