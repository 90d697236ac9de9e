"""The painted columns: chosen, removed and opened by pointer and by key."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from tests.fakes.compared import COMPARISON
from tests.fakes.read_aloud import unspoken
from workbench.ui.inspector.compare.cells import shown_columns
from workbench.ui.inspector.compare.columns import LEAST_WIDTH, ColumnsView
from workbench.ui.look.theme import DARK, LIGHT, set_theme
from workbench.ui.widgets.labels import tell_roles


@pytest.fixture
def view(qtbot) -> ColumnsView:
    tell_roles()
    made = ColumnsView()
    qtbot.addWidget(made)
    made.resize(718, 420)
    made.show_columns(shown_columns(COMPARISON))
    made.show()
    return made


def middle(view: ColumnsView, place: int, y: int = 200) -> QPoint:
    return QPoint(round(view.box(place).center().x()), y)


def test_arrows_choose_and_end_at_the_edges(view: ColumnsView):
    view.choose(0)
    heard: list[int] = []
    view.chosen.connect(heard.append)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Right, Qt.Key.Key_Home):
        QTest.keyClick(view, key)
    assert heard == [1, 3, 0]


def test_a_press_chooses_and_a_press_on_the_cross_removes(view: ColumnsView, qtbot):
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=middle(view, 1))
    assert view.place() == 1
    with qtbot.waitSignal(view.removed) as heard:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view._cross(2).center().toPoint())
    assert heard.args == [2]
    assert view.place() == 1


def test_keys_remove_and_open_a_variant_but_not_the_first(view: ColumnsView):
    heard: list[tuple[str, int]] = []
    view.removed.connect(lambda place: heard.append(("removed", place)))
    view.opened.connect(lambda place: heard.append(("opened", place)))
    for place in (0, 2):
        view.choose(place)
        QTest.keyClick(view, Qt.Key.Key_Delete)
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert heard == [("removed", 2), ("opened", 2)]


def test_what_is_added_is_chosen_and_what_is_chosen_stays_where_there_is_less(view: ColumnsView):
    assert view.place() == 3
    view.show_columns(shown_columns(replace(COMPARISON, variants=COMPARISON.variants[:1])))
    assert view.place() == 1


def test_columns_keep_their_least_width_and_the_view_grows_instead(view: ColumnsView):
    view.resize(300, 420)
    assert view.minimumWidth() >= 4 * LEAST_WIDTH
    assert view.box(1).width() >= LEAST_WIDTH


def test_it_is_read_aloud_as_a_table_by_its_chosen_column(view: ColumnsView):
    view.choose(1)
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface.role() == QAccessible.Role.Table
    assert interface.text(QAccessible.Text.Name) == "Variants side by side"
    assert interface.text(QAccessible.Text.Description).startswith(
        "2 of 4: GPT-4.1 nano, model gpt-4.1-nano. Tokens: "
    )
    assert unspoken(view) == []


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_first_is_sunken_and_the_chosen_one_tinted_under_a_line(qapp, view: ColumnsView, theme):
    set_theme(qapp, theme)
    view.choose(1)
    seen = view.grab().toImage()
    ratio = seen.devicePixelRatio()

    def at(place: int, y: float) -> str:
        return seen.pixelColor(round((view.box(place).left() + 4) * ratio), round(y * ratio)).name().upper()

    assert at(0, 200) == theme.sunken
    assert at(1, 200) == theme.accent_tint
    assert at(1, 1) == theme.accent
    assert at(2, 200) == theme.raised
    # Of what could not be built there are words across all rows, and no lines through them.
    assert {at(3, y) for y in range(60, 300)} == {theme.raised}
    set_theme(qapp, LIGHT)
