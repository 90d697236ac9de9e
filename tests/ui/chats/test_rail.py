"""The rail of a narrow window."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_attachments, sample_state
from workbench.ui.chats.rail import BADGE, WIDTH, BadgedButton, Rail, worst_tone
from workbench.ui.commands import specs
from workbench.ui.look.theme import LIGHT


def rail_of(qtbot: QtBot) -> Rail:
    rail = Rail()
    qtbot.addWidget(rail)
    rail.resize(WIDTH, 400)
    rail.show()
    return rail


def buttons_of(rail: Rail) -> list[QAbstractButton]:
    return [child for child in rail.children() if isinstance(child, QAbstractButton)]


def test_every_icon_is_a_wish_by_mouse_and_key(qtbot: QtBot):
    rail = rail_of(qtbot)
    wishes: list[str] = []
    rail.wishes.wish.connect(wishes.append)
    for made in buttons_of(rail):
        QTest.mouseClick(made, Qt.MouseButton.LeftButton)
        QTest.keyClick(made, Qt.Key.Key_Space)
    names = ["menu", "new-chat", "search", "chats", "attachments", "inspector", "settings"]
    assert sorted(wishes) == sorted(names * 2)


def test_every_icon_has_a_name_and_a_tooltip(qtbot: QtBot):
    rail = rail_of(qtbot)
    for made in buttons_of(rail):
        assert made.accessibleName()
        assert made.toolTip()


def test_the_badge_takes_the_worst_state_of_the_attachments(qapp: object):
    spec, api, auth, log = sample_attachments()
    assert worst_tone((spec, auth)) == "neutral"
    assert worst_tone((spec, api, auth)) == "warn"
    assert worst_tone((spec, api, auth, log)) == "err"
    assert worst_tone((replace(spec, disk="unreadable"),)) == "err"


def test_the_badge_counts_and_says_what_is_the_matter(qtbot: QtBot):
    """A red dot alone says nothing to who does not see red."""
    rail = rail_of(qtbot)
    state = sample_state()
    rail.show_state(state, state.open[CHAT])
    assert rail.attachments.badge() == (4, "err")
    assert rail.attachments.accessibleName() == "Attachments: 4, something is left out or unreadable"
    rail.show_state(state, None)
    assert rail.attachments.badge() == (0, "neutral")
    assert rail.attachments.accessibleName() == "Attachments"


def test_the_badge_is_painted_at_the_corner(qtbot: QtBot):
    made = BadgedButton("clip", "Attachments")
    qtbot.addWidget(made)
    made.show_badge(4, "warn")
    made.resize(made.sizeHint())
    image = made.grab().toImage()
    assert image.pixelColor(image.width() - 3, 8) == QColor(LIGHT.warn_tint)


def test_the_menu_names_the_key_that_opens_it(qtbot: QtBot):
    key = next(spec.shortcut for spec in specs() if spec.id == "menu")
    assert key in rail_of(qtbot).menu.toolTip()


def test_the_badge_lies_beside_its_icon(qtbot: QtBot):
    """It covered half of the paper clip."""
    made = BadgedButton("clip", "Attachments")
    qtbot.addWidget(made)
    made.resize(made.sizeHint())
    assert made.width() / 2 + 8 <= made.width() - BADGE + 1
    assert made.width() <= WIDTH
