"""Scenes are drawn in both themes and sizes, the same every time, and as a dialog over the window."""

from __future__ import annotations

from tests.architecture.source_tree import ROOT
from tests.fakes.scripted_moments import moment_of
from workbench.cli.window import PARTS
from workbench.showroom.pictures import Shot, png_of, staged, take
from workbench.ui.dialogs.guide import HEIGHT, WIDTH

RESOURCES = ROOT / "resources"


def test_a_scene_is_the_same_every_time_and_a_dialog_lies_over_it(qapp, appearance):
    first, second = (take(Shot("main"), moment_of("main"), RESOURCES) for _ in range(2))
    assert png_of(first) == png_of(second)
    with_dialog = take(Shot("settings"), moment_of("settings"), RESOURCES)
    assert with_dialog != first
    places = [(x, y) for x in range(300, 1300, 25) for y in range(120, 880, 25)]
    other = [place for place in places if with_dialog.pixel(*place) != first.pixel(*place)]
    assert len(other) > len(places) / 3


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


def test_a_part_is_cut_out_of_the_same_picture(qapp, appearance):
    with staged(Shot("main"), moment_of("main"), RESOURCES) as stage:
        parts = {name: stage.part(name) for name in PARTS if name != "dialog"}
        assert all(stage.window.isAncestorOf(part) for part in parts.values())
        width = parts["inspector"].width()
    part = take(Shot("main", part="inspector"), moment_of("main"), RESOURCES)
    assert part.width() == width < 1600


def test_a_dialog_alone_has_no_shadow(qapp, appearance):
    alone = take(Shot("guide", part="dialog"), moment_of("guide"), RESOURCES)
    assert (alone.width(), alone.height()) == (WIDTH, HEIGHT)
