"""Fonts: the families that came with the program, in the sizes of the design."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QFontInfo, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QWidget

from workbench.ui.look.fonts import (
    FACES,
    TextSizes,
    font,
    line_height,
    load_fonts,
    metrics,
    role_of,
    scale,
    set_feature,
    set_scale,
    set_sizes,
    sizes,
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


def test_chat_and_code_have_sizes_of_their_own_and_a_font_tells_its_role(qapp):
    before = sizes()
    assert role_of(font("chat"), before) == ("chat", 400)
    assert role_of(font("title"), before) == ("title", 600)
    assert font(*(role_of(font("small", 600), before) or ("ui", 1))) == font("small", 600)
    assert role_of(QFont("Some other font", 11), before) is None
    set_sizes(TextSizes(1.25, 18, 16))
    assert line_height("chat") == round(22 * 1.25 * 18 / 14)
    assert line_height("row") == round(26 * 1.25)
    assert role_of(font("code"), sizes()) == ("code", 400)


def test_zoom_goes_step_by_step_and_no_further(qapp):
    steps = [TextSizes()]
    for _ in range(5):
        steps.append(steps[-1].step(1))
    assert [one.zoom for one in steps] == [1.0, 1.1, 1.25, 1.5, 1.5, 1.5]
    assert TextSizes(0.8, 20).step(-1) == TextSizes(0.8, 20)


def plain(family: str) -> QFont:
    font = QFont(family)
    font.setPixelSize(13)
    return font


def test_digits_get_one_width(qapp):
    font = plain("Inter")
    before = QFontMetricsF(font)
    assert before.horizontalAdvance("1111") != before.horizontalAdvance("0000")
    assert set_feature(font, "tnum", 1)
    after = QFontMetricsF(font)
    assert after.horizontalAdvance("1111") == after.horizontalAdvance("0000")


def test_a_font_without_the_feature_stays_as_it_is(qapp):
    font = plain("JetBrains Mono")
    before = QFontMetricsF(font).horizontalAdvance("0123")
    assert set_feature(font, "tnum", 1)
    assert QFontMetricsF(font).horizontalAdvance("0123") == before


def test_a_feature_is_found_also_when_the_applications_font_has_one(qapp):
    """A font without a family is the application's: its stream would not end as that of a plain one does."""
    assert qapp.font().featureTags()
    font = plain("Inter")
    assert set_feature(font, "zero", 1)
