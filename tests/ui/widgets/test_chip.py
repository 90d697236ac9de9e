"""Chips: a file in the composer, removed, pinned and opened by pointer and keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from workbench.ui.look.theme import Theme
from workbench.ui.widgets.chip import Chip


@pytest.fixture
def chip(qtbot) -> Chip:
    made = Chip()
    qtbot.addWidget(made)
    made.show("src/auth.py", "6,120")
    made.resize(made.sizeHint())
    made.show()
    return made


@pytest.mark.parametrize(
    ("key", "signal"),
    [
        (Qt.Key.Key_Delete, "removed"),
        (Qt.Key.Key_Backspace, "removed"),
        (Qt.Key.Key_Space, "pinned"),
        (Qt.Key.Key_Return, "opened"),
    ],
)
def test_a_chip_hears_the_keyboard(chip: Chip, qtbot, key, signal: str):
    with qtbot.waitSignal(getattr(chip, signal)):
        QTest.keyClick(chip, key)


def test_the_cross_removes_and_the_rest_opens(chip: Chip, qtbot):
    cross, name = QPoint(chip.width() - 15, 12), QPoint(40, 12)
    with qtbot.waitSignal(chip.removed):
        QTest.mouseClick(chip, Qt.MouseButton.LeftButton, pos=cross)
    with qtbot.waitSignal(chip.opened):
        QTest.mouseClick(chip, Qt.MouseButton.LeftButton, pos=name)


def test_a_chip_says_what_it_is(chip: Chip):
    assert chip.accessibleName() == "src/auth.py"
    assert chip.accessibleDescription() == "6,120"
    chip.show("logs/big.log", look="out", word="left out")
    assert chip.accessibleDescription() == "left out"
    assert chip.look() == "out"


@pytest.mark.parametrize(("look", "token"), [("plain", "line2"), ("stale", "warn"), ("pinned", "accent")])
def test_a_state_has_its_border(chip: Chip, theme: Theme, look, token: str):
    chip.show("docs/api.md", "365", look)
    chip.resize(chip.sizeHint())
    assert chip.grab().toImage().pixelColor(chip.width() // 2, 0).name().upper() == getattr(theme, token)


def test_what_is_out_has_a_dashed_border(chip: Chip, theme: Theme):
    chip.show("logs/big.log", look="out", word="left out")
    chip.resize(chip.sizeHint())
    image = chip.grab().toImage()
    found = {image.pixelColor(x, 0).name().upper() for x in range(14, chip.width() - 14)}
    assert theme.errline in found
    assert len(found) > 1


def test_a_long_name_is_shortened_in_its_middle(chip: Chip):
    chip.show("a/very/long/folder/with/another/one/in/it/" * 3 + "auth.py", "6,120")
    assert chip.sizeHint().width() < 300


def test_a_foreign_name_is_made_safe(chip: Chip):
    chip.show("a\u202eb", "1")
    assert chip.accessibleName() == "a⟨U+202E⟩b"


def test_showing_without_a_name_only_makes_it_appear(chip: Chip):
    chip.hide()
    chip.show()
    assert chip.isVisible()
    assert chip.accessibleName() == "src/auth.py"
