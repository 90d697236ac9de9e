"""Buttons: their sizes, names, keys, and what they show."""

from __future__ import annotations

from typing import get_args

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.look.theme import DARK, LIGHT, Theme
from workbench.ui.widgets.buttons import ButtonState, Kind, QuietButton, button, button_look, tool_button


@pytest.mark.parametrize(("size", "height"), [("small", 24), ("normal", 28), ("send", 32), ("welcome", 36)])
def test_a_button_has_the_height_of_its_size(qtbot, size, height: int):
    made = button("Apply", size=size)
    qtbot.addWidget(made)
    assert made.sizeHint().height() == height


def test_icon_and_key_take_their_room(qtbot):
    bare, full = button("Close"), button("Close", icon="x", shortcut_hint="Esc")
    for each in (bare, full):
        qtbot.addWidget(each)
    assert full.sizeHint().width() > bare.sizeHint().width() + 40


def test_a_button_is_pressed_by_pointer_and_keyboard(qtbot):
    made = button("Apply", "primary")
    qtbot.addWidget(made)
    made.show()
    with qtbot.waitSignal(made.clicked):
        QTest.mouseClick(made, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(made.clicked):
        QTest.keyClick(made, Qt.Key.Key_Space)


def test_a_button_is_called_by_its_text(qtbot):
    made = button("Read & write")
    qtbot.addWidget(made)
    assert made.accessibleName() == "Read & write"
    assert made.shortcut().isEmpty(), "an ampersand in a file's name must not become a key"


def test_a_button_may_become_the_primary_one(theme: Theme, qtbot):
    made = button("Apply")
    qtbot.addWidget(made)
    made.resize(100, 28)
    assert made.grab().toImage().pixelColor(4, 14) == QColor(theme.raised)
    made.set_kind("primary")
    assert made.kind == "primary"
    assert made.grab().toImage().pixelColor(4, 14) == QColor(theme.accent)


def test_a_button_shows_other_words_and_icons(qtbot):
    made = button("Send", icon="send", shortcut_hint="↵")
    qtbot.addWidget(made)
    before = made.sizeHint().width()
    made.set_icon("lock")
    assert made.icon_name() == "lock"
    made.set_hint("")
    assert made.sizeHint().width() < before


def test_the_icon_stands_before_the_text(theme: Theme, qtbot):
    made = button("Words", "primary", icon="stop")
    qtbot.addWidget(made)
    made.resize(made.sizeHint())
    image = made.grab().toImage()
    middle = image.height() // 2
    solid = [x for x in range(image.width()) if image.pixelColor(x, middle) == QColor(theme.on_accent)]
    assert solid[:6] == list(range(solid[0], solid[0] + 6))


def test_a_disabled_button_does_nothing(qtbot):
    made = button("Apply", "primary")
    qtbot.addWidget(made)
    made.setEnabled(False)
    made.show()
    with qtbot.assertNotEmitted(made.clicked):
        QTest.mouseClick(made, Qt.MouseButton.LeftButton)


def test_a_button_without_room_shortens_its_text(qtbot):
    made = button("A very long text on a button")
    qtbot.addWidget(made)
    made.resize(60, 28)
    assert not made.grab().isNull()


def test_a_tool_button_is_square_and_has_a_name(qtbot):
    made = tool_button("copy", "Copy the digest", tip="Copy the digest (Ctrl+D)")
    qtbot.addWidget(made)
    assert (made.sizeHint().width(), made.sizeHint().height()) == (28, 28)
    assert made.accessibleName() == "Copy the digest"
    assert "Ctrl+D" in made.toolTip()


def test_a_tool_buttons_name_is_its_tooltip_unless_told(qtbot):
    made = tool_button("copy", "Copy")
    qtbot.addWidget(made)
    assert "Copy" in made.toolTip()


def test_a_tool_button_that_is_on_looks_so(theme: Theme, qtbot):
    made = tool_button("sliders", "Columns")
    qtbot.addWidget(made)
    made.setCheckable(True)
    made.resize(28, 28)
    off = made.grab().toImage()
    made.setChecked(True)
    assert made.grab().toImage() != off
    assert made.grab().toImage().pixelColor(4, 4) == QColor(theme.accent_tint)


def test_a_tool_button_shows_another_icon(qtbot):
    made = tool_button("pin", "Pin")
    qtbot.addWidget(made)
    made.set_icon("pin-filled", "accent_text")
    assert made.icon_name() == "pin-filled"


def test_a_shy_one_is_seen_when_its_message_is_pointed_at_or_it_has_the_focus(qtbot: QtBot):
    host = QWidget()
    qtbot.addWidget(host)
    made = QuietButton("more", "More", shy=True)
    made.setParent(host)
    made.resize(28, 28)
    host.show()
    hidden = made.grab().toImage()
    assert not made.takes_room()
    made.reveal(True)
    assert made.takes_room()
    assert made.grab().toImage() != hidden
    made.reveal(False)
    made.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(made.hasFocus)
    assert made.takes_room()


def test_it_says_for_a_moment_that_it_is_done(qtbot: QtBot):
    made = QuietButton("copy", "Copy this")
    qtbot.addWidget(made)
    made.say_done("Copied")
    assert (made.icon_name(), made.accessibleName()) == ("check", "Copied")
    assert made._done is not None
    made._done.stop()
    made._done.timeout.emit()
    assert (made.icon_name(), made.accessibleName()) == ("copy", "Copy this")


def test_it_can_be_tabbed_to_and_has_a_name_and_a_tip(qtbot: QtBot):
    made = QuietButton("copy", "Copy <b>this</b>")
    qtbot.addWidget(made)
    assert made.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert made.accessibleName() == "Copy <b>this</b>"
    assert "&lt;b&gt;this" in made.toolTip()


themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@themes
def test_only_the_primary_one_is_filled_with_the_accent(theme):
    grounds = {kind: button_look(theme, kind, "idle").ground for kind in get_args(Kind)}
    assert [kind for kind, ground in grounds.items() if ground == theme.accent] == ["primary"]


@themes
@pytest.mark.parametrize("kind", ["primary", "secondary", "ghost", "danger"])
def test_the_pointer_is_noticed(theme, kind: Kind):
    assert button_look(theme, kind, "hover") != button_look(theme, kind, "idle")


@themes
@pytest.mark.parametrize("kind", get_args(Kind))
def test_what_is_disabled_is_quiet(theme, kind: Kind):
    look = button_look(theme, kind, "disabled")
    assert look.ink == theme.t3
    assert look.ground in ("", theme.sunken)


@themes
def test_the_icon_has_the_colour_of_the_text(theme):
    looks = [button_look(theme, kind, state) for kind in get_args(Kind) for state in get_args(ButtonState)]
    assert [look for look in looks if getattr(theme, look.token) != look.ink] == []
