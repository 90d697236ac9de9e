"""An icon that stands by itself."""

from __future__ import annotations

from workbench.ui.widgets.icon_spot import IconSpot


def inked(spot: IconSpot) -> bytes:
    return bytes(spot.grab().toImage().convertToFormat(spot.grab().toImage().format()).constBits())


def test_it_is_as_large_as_its_icon_and_shows_another_one_when_told(qtbot):
    spot = IconSpot("file", "t2", 20)
    qtbot.addWidget(spot)
    assert (spot.width(), spot.height()) == (20, 20)
    before = inked(spot)
    spot.show_icon("chat")
    assert inked(spot) != before
    coloured = inked(spot)
    spot.show_icon("chat", "err")
    assert inked(spot) != coloured
