"""Search and columns beside the tabs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from workbench.ui.inspector.layers.cells import Column
from workbench.ui.inspector.layers.page import TreeTools
from workbench.ui.inspector.layers.view import SegmentTree
from workbench.ui.look.space import rows


class Bench:
    """A tree with its tools above it."""

    def __init__(self) -> None:
        self.host = QWidget()
        self.tree = SegmentTree()
        self.tree.show_view(sample_view())
        self.tools = TreeTools(self.tree)
        down = rows(self.host)
        down.addWidget(self.tools)
        down.addWidget(self.tree)
        self.host.resize(752, 500)


@pytest.fixture
def bench(qtbot: QtBot) -> Bench:
    made = Bench()
    qtbot.addWidget(made.host)
    made.host.show()
    return made


def test_the_field_opens_on_demand_and_filters(bench: Bench):
    assert not bench.tools.field.isVisible()
    bench.tools.begin()
    assert bench.tools.field.isVisible()
    QTest.keyClicks(bench.tools.field, "api")
    assert bench.tree.shown_rows() == 1


def test_esc_ends_the_search_and_shows_everything(bench: Bench, qtbot: QtBot):
    bench.tools.begin()
    QTest.keyClicks(bench.tools.field, "api")
    with qtbot.waitSignal(bench.tools.left):
        QTest.keyClick(bench.tools.field, Qt.Key.Key_Escape)
    assert not bench.tools.field.isVisible()
    assert bench.tree.shown_rows() == 11


def test_down_goes_to_what_was_found(bench: Bench, qtbot: QtBot):
    bench.tools.begin()
    with qtbot.waitSignal(bench.tools.left):
        QTest.keyClick(bench.tools.field, Qt.Key.Key_Down)
    assert bench.tools.field.isVisible()


def test_columns_are_switched_in_a_menu(bench: Bench):
    menu = bench.tools.columns_menu()
    actions = {action.text(): action for action in menu.actions()}
    assert "Segment" not in actions
    assert [text for text, action in actions.items() if not action.isChecked()] == ["Digest"]
    actions["Cache"].setChecked(False)
    assert bench.tree.head.isSectionHidden(Column.CACHE)
    again = {action.text(): action.isChecked() for action in bench.tools.columns_menu().actions()}
    assert not again["Cache"]


def test_the_tools_are_named(bench: Bench):
    for widget in (bench.tools.search, bench.tools.choose, bench.tools.field):
        assert widget.accessibleName()
