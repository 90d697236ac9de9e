"""Appearance and shortcuts."""

from __future__ import annotations

from workbench.ui.dialogs.settings_dialog import KeysPage, LookPage
from workbench.ui.look.fonts import TextSizes


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


def test_shortcuts_are_there(qtbot):
    keys = KeysPage()
    qtbot.addWidget(keys)
    assert "Commands…" in keys.words


def test_sizes_of_text_are_told_once_each(qtbot):
    page = LookPage("light", calm=False)
    qtbot.addWidget(page)
    told: list[TextSizes] = []
    page.sizes_changed.connect(told.append)
    for choice, value in ((page.zoom, "1.25"), (page.chat, "18"), (page.code, "16"), (page.code, "16")):
        choice.choose(value)
        choice.activated.emit(choice.currentIndex())
    assert told == [TextSizes(1.25), TextSizes(1.25, 18), TextSizes(1.25, 18, 16)]
    page.show_sizes(TextSizes())
    assert (page.zoom.chosen(), page.chat.chosen(), page.code.chosen()) == ("1.0", "14", "13")


def test_the_scale_of_the_window_is_told(qtbot):
    page = LookPage("contrast", calm=False, scale="1.5")
    qtbot.addWidget(page)
    assert (page.mode.current(), page.scale.chosen()) == ("contrast", "1.5")
    with qtbot.waitSignal(page.scale_changed) as heard:
        page.scale.choose("2")
        page.scale.activated.emit(page.scale.currentIndex())
    assert heard.args == ["2"]
