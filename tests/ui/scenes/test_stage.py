"""Scenes: each is drawn, in both themes and sizes, the same every time, and as a dialog over the window."""

from __future__ import annotations

import pytest

from tests.architecture.source_tree import ROOT
from tests.fakes.rehearsed_moments import moment_of
from workbench.ui.scenes.script import SCENES
from workbench.ui.scenes.stage import Shot, png_of, take

RESOURCES = ROOT / "resources"


@pytest.mark.parametrize("name", SCENES)
def test_every_scene_is_drawn_in_the_asked_size(qapp, appearance, name: str):
    picture = take(Shot(name), moment_of(name), RESOURCES)
    assert (picture.width(), picture.height()) == (1600, 1000)
    seen = {picture.pixel(x, y) for x in range(0, 1600, 37) for y in range(0, 1000, 41)}
    assert len(seen) > 20


def test_a_scene_is_the_same_every_time(qapp, appearance):
    assert png_of(take(Shot("main"), moment_of("main"), RESOURCES)) == png_of(
        take(Shot("main"), moment_of("main"), RESOURCES)
    )


def test_size_scale_and_theme_are_as_asked(qapp, appearance):
    small = take(Shot("main", 1100, 700, 2.0, "dark"), moment_of("main"), RESOURCES)
    assert (small.width(), small.height(), small.devicePixelRatio()) == (2200, 1400, 2.0)
    assert small.pixelColor(10, 1200).lightness() < 64
    assert (
        take(Shot("main", 1100, 700, 1.0, "light"), moment_of("main"), RESOURCES)
        .pixelColor(5, 600)
        .lightness()
        > 192
    )


def test_a_dialog_lies_over_the_window(qapp, appearance):
    with_dialog, without = (
        take(Shot("settings"), moment_of("settings"), RESOURCES),
        take(Shot("main"), moment_of("main"), RESOURCES),
    )
    assert with_dialog != without
    places = [(x, y) for x in range(300, 1300, 25) for y in range(120, 880, 25)]
    other = [place for place in places if with_dialog.pixel(*place) != without.pixel(*place)]
    assert len(other) > len(places) / 3
