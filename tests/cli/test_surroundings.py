"""What the system around the program offers."""

from __future__ import annotations

import sys

import pytest

from workbench.cli.surroundings import surroundings


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="there the display is the system's own")
@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"DISPLAY": ":0"}, ":0"),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "wayland-0"),
        ({}, "none; the commands need none"),
    ],
)
def test_a_display_is_named(given: dict[str, str], found: str):
    assert surroundings(given.get, lambda: "")[0] == ("display", found, "")


def test_a_keyring_that_is_not_there_is_no_fault():
    name, found, advice = surroundings(lambda name: None, lambda: "locked")[2]
    assert (name, advice) == ("keyring", "")
    assert "locked" in found
