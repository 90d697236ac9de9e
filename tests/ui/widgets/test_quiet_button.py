"""Quiet buttons: grey until they are wanted, and reachable by keyboard all the same."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.widgets.quiet_button import QuietButton


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
    made = QuietButton("copy", "Copy <this>")
    qtbot.addWidget(made)
    assert made.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert made.accessibleName() == "Copy <this>"
    assert "&lt;this&gt;" in made.toolTip()
