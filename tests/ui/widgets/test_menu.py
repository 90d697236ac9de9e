"""Menus in our look."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.look.icons import icon
from workbench.ui.look.theme import Theme
from workbench.ui.widgets.menu import add_action, fill_place_choice, menu, popup_below


def test_a_menu_has_our_ground_and_round_corners(theme: Theme, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    made = menu(parent)
    action = made.addAction(icon("copy"), "Copy")
    action.setCheckable(True)
    action.setChecked(True)
    made.addAction("Delete")
    made.popup(QPoint(0, 0))
    image = made.grab().toImage()
    made.close()
    assert made.parent() is parent
    assert made.windowFlags() & Qt.WindowType.FramelessWindowHint
    assert image.pixelColor(image.width() // 2, 3) == QColor(theme.raised)
    assert image.pixelColor(0, 0).alpha() == 0


def test_an_action_has_its_words_its_data_and_whether_it_is_checked(qtbot):
    parent = QWidget()
    done: list[object] = []
    qtbot.addWidget(parent)
    made = menu(parent)
    plain = add_action(made, "Pin", lambda: done.append("pin"), "pin")
    ticked = add_action(made, "High", partial(done.append, 3), 3, checked=True)
    plain.trigger()
    ticked.trigger()
    assert done == ["pin", 3]
    assert [(one.text(), one.data(), one.isCheckable()) for one in made.actions()] == [
        ("Pin", "pin", False),
        ("High", 3, True),
    ]


def test_a_menu_is_deleted_when_closed_but_a_submenu_stays(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    made = menu(parent)
    below = menu(made)
    parent.show()
    popup_below(made, parent, 3)
    assert made.pos() == parent.mapToGlobal(QPoint(0, parent.height() + 2))
    assert [one.testAttribute(Qt.WidgetAttribute.WA_DeleteOnClose) for one in (made, below)] == [True, False]
    made.close()


def test_where_it_is_is_checked_and_another_can_be_picked(qtbot: QtBot):
    made = QMenu()
    qtbot.addWidget(made)
    picked: list[str] = []
    fill_place_choice(made, {"w1": "R&D", "w2": "Thesis"}, {""}, picked.append)
    names = [(action.text(), action.isChecked()) for action in made.actions() if not action.isSeparator()]
    assert names == [("R&&D", False), ("Thesis", False), ("No workspace", True)]
    made.actions()[1].trigger()
    assert picked == ["w2"]
