"""Whether there is a display."""

from __future__ import annotations

import sys

import pytest

from workbench.wiring.display import has_display


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="there is always one there")
@pytest.mark.parametrize("name", ["DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"])
def test_any_of_three_variables_says_so(name: str, monkeypatch: pytest.MonkeyPatch):
    for each in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(each, raising=False)
    assert not has_display()
    monkeypatch.setenv(name, ":1")
    assert has_display()
