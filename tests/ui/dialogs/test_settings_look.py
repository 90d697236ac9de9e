"""Appearance, shortcuts and about."""

from __future__ import annotations

import workbench
from workbench.ui.dialogs.settings_look import AboutPage, KeysPage, LookPage


def test_theme_and_motion_are_told(qtbot):
    page = LookPage("light", calm=False)
    qtbot.addWidget(page)
    assert page.mode.current() == "light"
    with qtbot.waitSignal(page.motion_changed) as heard:
        page.calm.setChecked(True)
    assert heard.args == [True]
    with qtbot.waitSignal(page.mode_changed) as mode:
        page.mode.chosen.emit("dark")
    assert mode.args == ["dark"]


def test_shortcuts_and_version_are_there(qtbot):
    keys, about = KeysPage(), AboutPage("/data")
    qtbot.addWidget(keys)
    qtbot.addWidget(about)
    assert "Commands…" in keys.words
    assert workbench.__version__ in about.words
