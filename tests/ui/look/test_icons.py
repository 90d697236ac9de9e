"""Icons: all that the design names exist, take the colour they are asked for, and follow the theme."""

from __future__ import annotations

import gc
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor, QIcon, QImage, QPainter

from workbench.ui.look.icons import has_icon, icon, paint_icon, pixmap
from workbench.ui.look.theme import Theme

FOLDER = Path(__file__).parents[3] / "resources" / "icons"
DRAWINGS = sorted(FOLDER.glob("*.svg"))
NAMED = (
    "menu gear plus search chat file folder image globe clip send stop play copy refresh edit branch more chevron-down "
    "chevron-right chevron-left x check undo redo sliders pin pin-filled grip lock link compact cut out eye-off clock "
    "snow warn info approx file-x tool key shield chip server user bulb trash download external book timeline diff"
)


def strongest(image: QImage) -> QColor:
    """The colour of the most opaque pixel."""
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    return max(pixels, key=QColor.alpha)


def nearly(found: QColor, expected: str) -> bool:
    """The same colour but for the rounding of partly transparent pixels."""
    wanted = QColor(expected)
    parts = ((found.red(), wanted.red()), (found.green(), wanted.green()), (found.blue(), wanted.blue()))
    return all(abs(one - other) <= 2 for one, other in parts)


def test_every_icon_of_the_design_exists(qapp):
    assert [name for name in NAMED.split() if not has_icon(name)] == []


def test_every_drawing_keeps_to_the_rules():
    """One grid, one stroke, one colour that can be replaced; nothing that fetches or runs."""
    assert len(DRAWINGS) > 50
    assert [path.stem for path in DRAWINGS if not keeps_the_rules(path)] == []


def keeps_the_rules(path: Path) -> bool:
    drawing = ET.fromstring(path.read_text(encoding="utf-8"))
    nodes = list(drawing.iter())
    values = {node.get(key, "none") for node in nodes for key in ("fill", "stroke")}
    return (
        (drawing.get("viewBox"), drawing.get("stroke-width")) == ("0 0 16 16", "1.5")
        and values <= {"none", "currentColor"}
        and {node.tag.rsplit("}", 1)[-1] for node in nodes} <= {"svg", "path", "circle", "rect"}
    )


def test_every_icon_draws_something(qapp):
    strength = {path.stem: strongest(pixmap(path.stem, "t1", 16, 2.0).toImage()).alpha() for path in DRAWINGS}
    assert [name for name, alpha in strength.items() if alpha <= 150] == []


def test_an_icon_has_the_colour_of_its_token(theme: Theme):
    found = strongest(pixmap("stop", "err", 16, 2.0).toImage())
    assert nearly(found, theme.err)


def test_an_icon_is_drawn_at_the_density_of_the_screen(qapp):
    drawn = pixmap("gear", "t1", 20, 1.5)
    assert (drawn.width(), drawn.devicePixelRatio()) == (30, 1.5)


def test_a_larger_icon_keeps_its_thin_stroke(qapp):
    """A menu icon's bar is 1.5 px high at every size; scaled with the rest it would be 4.5 at 48."""
    large = pixmap("minus", "t1", 48, 1.0).toImage()
    column = [large.pixelColor(24, y).alpha() for y in range(48)]
    assert sum(column) / 255 == pytest.approx(1.5, abs=0.2)


def test_an_icon_on_a_button_follows_the_theme(qapp, appearance):
    made = icon("stop", "t1")
    appearance.apply(qapp, "light")
    light = strongest(made.pixmap(QSize(16, 16)).toImage())
    appearance.apply(qapp, "dark")
    dark = strongest(made.pixmap(QSize(16, 16)).toImage())
    assert light.lightness() < 100 < dark.lightness()


def test_a_disabled_icon_is_grey(theme: Theme):
    made = icon("stop", "err").pixmap(QSize(16, 16), 1.0, QIcon.Mode.Disabled)
    assert nearly(strongest(made.toImage()), theme.t3)


def test_an_icon_outlives_what_it_was_made_from(qapp):
    """The engine is written in Python, and Qt keeps only the icon."""
    kept = [QIcon(icon("gear")) for _ in range(50)]
    gc.collect()
    assert all(not each.pixmap(QSize(16, 16)).isNull() for each in kept)


def test_an_icon_is_painted_in_the_middle_of_its_room(qapp):
    image = QImage(40, 20, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    paint_icon(painter, QRect(0, 0, 40, 20), "stop", "t1", 16)
    painter.end()
    inked = [x for x in range(40) for y in range(20) if image.pixelColor(x, y).alpha() > 200]
    assert (min(inked) + max(inked) + 1) / 2 == 20


def test_an_unknown_icon_is_empty(qapp):
    assert not has_icon("no-such-icon")
    assert strongest(pixmap("no-such-icon", "t1", 16, 1.0).toImage()).alpha() == 0
