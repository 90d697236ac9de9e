"""Keys that a person chose run their commands, and every hint names them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.widgets import all_of
from workbench.ui.commands import specs, with_keys
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.guided import tell_figure
from workbench.ui.widgets.labels import KeyCap
from workbench.ui.window.actions import CommandKeys


def test_tips_made_later_name_the_key_that_was_chosen(qtbot: QtBot):
    """A tip that is written with every new figure said F1 again after another key was chosen."""
    window, figure = QWidget(), QWidget()
    qtbot.addWidget(window)
    figure.setParent(window)
    keys = CommandKeys(window, lambda _command: None)
    for chosen, tip in (
        ({"guide": "F8"}, "A sum.\nMore (F8)"),
        ({"guide": ""}, "A sum."),
        ({}, "A sum.\nMore (F1)"),
    ):
        keys.put_on(with_keys(specs(), chosen))
        tell_figure(figure, "A sum.", "budget")
        assert figure.toolTip() == tip


def test_other_keys_run_a_command_and_hints_follow(qtbot: QtBot):
    window = QWidget()
    qtbot.addWidget(window)
    field, new = Field("Search", "search", "Ctrl+Shift+F"), QPushButton(window)
    field.setParent(window)
    new.setToolTip("New chat (Ctrl+N)")
    pressed: list[str] = []
    keys = CommandKeys(window, pressed.append)
    window.show()
    qtbot.waitUntil(window.isActiveWindow)
    keys.put_on(with_keys(specs(), {"new-chat": "F9", "search": "Ctrl+Alt+F"}))
    QTest.keyClick(window, Qt.Key.Key_F9)
    QTest.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert pressed == ["new-chat"]
    (cap,) = all_of(KeyCap, field)
    assert (new.toolTip(), cap.text()) == ("New chat (F9)", "Ctrl+Alt+F")
    keys.put_on(with_keys(specs(), {"new-chat": ""}))
    assert (new.toolTip(), cap.text()) == ("New chat", "Ctrl+Shift+F")
    keys.put_on(specs())
    assert new.toolTip() == "New chat (Ctrl+N)"
    QTest.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert pressed == ["new-chat", "new-chat"]
