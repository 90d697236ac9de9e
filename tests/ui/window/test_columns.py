"""The three columns: who gives way in a narrow window, and what is put back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QLabel, QWidget

from workbench.ui.window.columns import ColumnsView


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
