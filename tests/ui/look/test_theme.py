"""The themes: every pair of colours that text or a line is drawn in can be told apart, by everyone."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from workbench.ui.look.theme import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, Theme, colour, theme_of
from workbench.ui.look.tones import WIRE_ORDER

TEXT, LINE = 4.5, 3.0
GROUNDS = ("chrome", "surface", "raised", "sunken", "hover", "raised_hover", "sel")
TINTED = ("ok", "warn", "err", "info")

themes = pytest.mark.parametrize(
    "theme", [LIGHT, DARK, CONTRAST_LIGHT, CONTRAST_DARK], ids=["light", "dark", "contrast", "dark contrast"]
)


def channels(value: str) -> tuple[float, float, float]:
    """Linear red, green and blue, 0 to 1."""
    made = QColor(value)

    def linear(c: float) -> float:
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

    return linear(made.redF()), linear(made.greenF()), linear(made.blueF())


def luminance(value: str) -> float:
    red, green, blue = channels(value)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_computed_as_the_guideline_says():
    """If the measure were wrong, every test below would be worth nothing."""
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@themes
@pytest.mark.parametrize("ink", ["t1", "t2", "t3", "accent_text"])
def test_text_can_be_read_on_every_ground(theme: Theme, ink: str):
    found = {ground: contrast(getattr(theme, ink), getattr(theme, ground)) for ground in GROUNDS}
    assert min(found.values()) >= TEXT, found


@pytest.mark.parametrize("theme", [CONTRAST_LIGHT, CONTRAST_DARK], ids=["light", "dark"])
def test_with_high_contrast_every_text_has_seven_to_one_and_every_line_more_than_four(theme: Theme):
    inks = (
        "t1",
        "t2",
        "t3",
        "accent_text",
        "ok",
        "warn",
        "err",
        "info",
        "code_comment",
        "diff_add",
        "diff_del",
    )
    grounds = ("chrome", "surface", "raised", "sunken")
    for ground in grounds:
        texts = {ink: contrast(getattr(theme, ink), getattr(theme, ground)) for ink in inks}
        assert min(texts.values()) >= 7.0, (ground, texts)
        lines = {
            one: contrast(getattr(theme, one), getattr(theme, ground)) for one in ("line", "line2", "edge")
        }
        assert min(lines.values()) >= 4.5, (ground, lines)


@themes
@pytest.mark.parametrize("tone", TINTED)
def test_a_tone_can_be_read_on_its_tint_and_on_grounds(theme: Theme, tone: str):
    grounds = (f"{tone}_tint", "chrome", "surface", "raised", "sunken")
    found = {ground: contrast(getattr(theme, tone), getattr(theme, ground)) for ground in grounds}
    assert min(found.values()) >= TEXT, found


@themes
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        ("on_accent", "accent"),
        ("on_accent", "accent_hover"),
        ("accent_text", "accent_tint"),
        ("diff_add", "diff_add_bg"),
        ("diff_del", "diff_del_bg"),
        ("t3", "diff_add_bg"),
        ("t3", "diff_del_bg"),
        ("code_kw", "code_bg"),
        ("code_str", "code_bg"),
        ("code_fn", "code_bg"),
        ("code_comment", "code_bg"),
        ("t1", "code_bg"),
        ("toast_text", "toast"),
        ("toast_action", "toast"),
    ],
)
def test_text_can_be_read_on_its_own_ground(theme: Theme, ink: str, ground: str):
    assert contrast(getattr(theme, ink), getattr(theme, ground)) >= TEXT


@themes
@pytest.mark.parametrize("line", ["edge", "accent", "errline"])
@pytest.mark.parametrize("ground", ["surface", "chrome"])
def test_a_line_that_carries_meaning_can_be_seen(theme: Theme, line: str, ground: str):
    assert contrast(getattr(theme, line), getattr(theme, ground)) >= LINE


@themes
@pytest.mark.parametrize("layer", WIRE_ORDER)
def test_a_layer_can_be_read_and_its_outline_seen(theme: Theme, layer):
    colours = theme.layers[layer]
    assert contrast(colours.text, colours.fill) >= TEXT
    assert contrast(colours.edge, theme.surface) >= LINE


@themes
def test_neighbouring_layers_differ_in_grey(theme: Theme):
    """The order must survive a print without colours."""
    greys = [luminance(theme.layers[layer].fill) for layer in WIRE_ORDER]
    steps = [later - earlier for earlier, later in pairwise(greys)]
    assert all(one * other < 0 for one, other in pairwise(steps)), "dark and light alternate"


# How strongly each cone's signal is replaced in people who lack it: Viénot, Brettel and Mollon 1999 for red and
# green, Brettel, Viénot and Mollon 1997 (one plane) for blue.
_BLINDNESS = {
    "deuteranopia": ((0.29275, 0.70725, 0.0), (0.29275, 0.70725, 0.0), (-0.02234, 0.02234, 1.0)),
    "protanopia": ((0.11238, 0.88762, 0.0), (0.11238, 0.88762, 0.0), (0.00401, -0.00401, 1.0)),
    "tritanopia": ((1.0, 0.1461, -0.1461), (0.0, 0.8595, 0.1405), (0.0, 0.8595, 0.1405)),
}


def seen(value: str, blindness: str) -> tuple[float, float, float]:
    """A colour as it is seen, in CIELAB."""
    rgb = channels(value)
    red, green, blue = (
        min(max(sum(factor * part for factor, part in zip(row, rgb, strict=True)), 0.0), 1.0)
        for row in _BLINDNESS[blindness]
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@themes
@pytest.mark.parametrize("blindness", _BLINDNESS)
def test_layers_differ_for_those_who_see_fewer_colours(theme: Theme, blindness: str):
    seen_as = {layer: seen(theme.layers[layer].fill, blindness) for layer in WIRE_ORDER}
    for one, other in pairwise(WIRE_ORDER):
        difference = sum((a - b) ** 2 for a, b in zip(seen_as[one], seen_as[other], strict=True)) ** 0.5
        assert difference >= 20, f"{one} and {other} look alike: {difference:.0f}"


@themes
def test_every_value_is_a_colour(theme: Theme):
    values = [getattr(theme, field.name) for field in fields(theme)]
    flat = [value for value in values if isinstance(value, str)]
    flat += [part for colours in theme.layers.values() for part in colours]
    assert [value for value in flat if not QColor(value).isValid()] == []


def test_the_current_theme_is_the_applications(theme: Theme, qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    assert theme_of(widget) is theme
    assert colour("accent") == QColor(theme.accent)


def test_a_value_is_a_colour_as_well_as_a_token():
    assert colour("#123456") == QColor(0x12, 0x34, 0x56)
    assert colour("surface", DARK) == QColor(DARK.surface)
