"""The three columns: who gives way in a narrow window, and what is put back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QByteArray, QPoint, Qt
from PySide6.QtWidgets import QLabel, QWidget

from workbench.ui.window.columns import RIGHT_LEAST, ColumnsView, FloatingPane, LeftColumn
from workbench.ui.wishes import OpenSettings


@pytest.fixture
def view(qtbot) -> ColumnsView:
    rail = QWidget()
    rail.setFixedWidth(48)
    made = ColumnsView(rail, QLabel("left"), QLabel("middle"), QLabel("right"))
    qtbot.addWidget(made)
    made.resize(1600, 900)
    made.show()
    return made


def seen(view: ColumnsView) -> str:
    names = (("rail", view.rail), ("left", view.left), ("middle", view.middle), ("right", view.right))
    return " ".join(name for name, pane in names if pane.isVisible())


def test_a_wide_window_has_all_three(view: ColumnsView):
    assert seen(view) == "left middle right"


def test_below_1360_the_left_column_is_a_rail(view: ColumnsView):
    view.resize(1300, 900)
    assert seen(view) == "rail middle right"
    view.resize(1400, 900)
    assert seen(view) == "left middle right"


def test_in_a_narrow_window_the_column_slides_over_and_goes_with_escape(qtbot, view: ColumnsView):
    view.resize(1200, 900)
    view.toggle_left()
    assert view.left.isVisible()
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert seen(view) == "rail middle right"
    view.toggle_left()
    view.resize(1500, 900)
    assert seen(view) == "left middle right"


def test_columns_are_hidden_and_shown(view: ColumnsView):
    view.toggle_left()
    view.toggle_right()
    assert seen(view) == "middle"
    view.reset()
    assert seen(view) == "left middle right"


def test_the_inspector_floats_and_comes_back_when_its_window_is_closed(view: ColumnsView):
    view.float_inspector("Inspector")
    floated = view.right.window()
    assert (view.inspector_floats, floated is view.window()) == (True, False)
    floated.close()
    docked = view.inspector_floats
    assert not docked
    assert seen(view) == "left middle right"
    assert view.right.window() is view.window()


def test_the_inspector_changes_sides(view: ColumnsView):
    view.swap_sides()
    assert view.split.indexOf(view.right) < view.split.indexOf(view.middle)
    view.swap_sides()
    assert view.split.indexOf(view.right) > view.split.indexOf(view.middle)


def test_widths_and_sides_are_remembered(qtbot, view: ColumnsView):
    view.split.setSizes([300, 700, 600])
    view.toggle_left()
    widths, marks = view.remembered()
    rail = QWidget()
    other = ColumnsView(rail, QLabel(), QLabel(), QLabel())
    qtbot.addWidget(other)
    other.resize(1600, 900)
    other.show()
    other.restore(widths, marks)
    assert seen(other) == "middle right"
    other.restore(QByteArray(b"nonsense"), "nonsense")
    assert seen(other) == "middle right"


def test_below_1100_the_inspector_lies_over_the_chat_when_it_is_wanted(qtbot, view: ColumnsView):
    view.resize(800, 560)
    assert seen(view) == "rail middle"
    qtbot.waitUntil(lambda: view.middle.width() == 800 - 48)
    view.toggle_right()
    assert seen(view) == "rail middle right"
    corner = view.right.mapTo(view, QPoint(0, 0))
    assert (corner.x() + view.right.width() <= 800, view.right.width() >= RIGHT_LEAST) == (True, True)
    assert view.middle.width() == 800 - 48
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert seen(view) == "rail middle"
    view.show_right()
    view.show_right()
    assert seen(view) == "rail middle right"
    qtbot.mouseClick(view._veil, Qt.MouseButton.LeftButton, pos=QPoint(4, 300))
    assert seen(view) == "rail middle"


def test_with_room_again_the_inspector_stands_beside_the_chat(qtbot, view: ColumnsView):
    view.resize(800, 560)
    view.toggle_right()
    view.resize(1600, 900)
    assert seen(view) == "left middle right"
    assert view.split.indexOf(view.right) == 2
    qtbot.waitUntil(lambda: view.right.width() > 600)
    view.toggle_right()
    view.resize(800, 560)
    view.resize(1600, 900)
    assert seen(view) == "left middle"


def test_one_column_lies_over_the_chat_at_a_time_and_a_floating_one_stays(view: ColumnsView):
    view.resize(800, 560)
    view.toggle_right()
    view.toggle_left()
    assert seen(view) == "rail left middle"
    view.toggle_right()
    assert seen(view) == "rail middle right"
    view.float_inspector("Inspector")
    assert view.inspector_floats
    view.resize(820, 560)
    assert view.right.isVisible()
    view.dock()
    assert seen(view) == "rail middle"


def test_closing_the_window_says_that_the_pane_can_be_put_back(qtbot):
    parent, pane = QWidget(), QLabel("pane")
    qtbot.addWidget(parent)
    window = FloatingPane(pane, "Inspector", parent)
    window.show()
    assert pane.window() is window
    with qtbot.waitSignal(window.returned):
        window.close()


def test_menu_and_settings_are_wished(qtbot):
    column = LeftColumn()
    qtbot.addWidget(column)
    wishes: list[str] = []
    column.wishes.wish.connect(wishes.append)
    column.head.menu.click()
    column.head.settings.click()
    assert wishes == ["menu", OpenSettings()]


def test_attachments_stand_under_the_chats(qtbot):
    column = LeftColumn()
    qtbot.addWidget(column)
    assert column.split.indexOf(column.chats) < column.split.indexOf(column.attachments)
