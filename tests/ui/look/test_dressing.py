"""Grounds and colours without a sheet: as named, in every theme, and nothing is done to what nobody sees."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QScrollArea, QTreeView, QVBoxLayout, QWidget

from workbench.ui.look.appearance import Appearance
from workbench.ui.look.proxy_style import TOKEN, polish_all, sheet_of, tint
from workbench.ui.look.theme import DARK, LIGHT, Theme
from workbench.ui.widgets.choice import TextField
from workbench.ui.widgets.labels import label, set_token


@pytest.fixture
def light_again(qapp: QApplication) -> Iterator[Appearance]:
    look = Appearance()
    yield look
    look.apply(qapp, "light")


def ground(widget: QWidget) -> str:
    return widget.grab().toImage().pixelColor(2, 2).name().upper()


@pytest.mark.parametrize("name", ["chrome", "surface", "code"])
@pytest.mark.parametrize("kind", [QWidget, QTreeView])
def test_a_name_is_a_ground_in_every_theme(qapp, qtbot, light_again: Appearance, name: str, kind):
    widget = kind()
    qtbot.addWidget(widget)
    widget.setObjectName(name)
    widget.resize(40, 40)
    widget.show()
    token = {"code": "code_bg"}.get(name, name)
    assert ground(widget) == getattr(LIGHT, token)
    light_again.apply(qapp, "dark")
    assert ground(widget) == getattr(DARK, token)


def test_what_scrolls_lets_the_ground_behind_it_be_seen(qtbot):
    """Qt gives what is put into an area a ground of its own."""
    behind, area, inside = QWidget(), QScrollArea(), QWidget()
    qtbot.addWidget(behind)
    behind.setObjectName("surface")
    inside.setObjectName("transparent")
    QVBoxLayout(inside).addWidget(label("words", wrap=True))
    area.setWidgetResizable(True)
    area.setWidget(inside)
    QVBoxLayout(behind).addWidget(area)
    behind.resize(200, 200)
    behind.show()
    assert not inside.autoFillBackground()
    assert behind.grab().toImage().pixelColor(100, 150).name().upper() == LIGHT.surface


def test_a_label_has_the_colour_of_its_token(qapp, qtbot, light_again: Appearance):
    made = label("words", token="warn")
    qtbot.addWidget(made)
    made.show()

    def ink() -> str:
        return made.palette().color(QPalette.ColorRole.WindowText).name().upper()

    assert ink() == LIGHT.warn
    set_token(made, "err")
    assert ink() == LIGHT.err
    light_again.apply(qapp, "dark")
    assert ink() == DARK.err


def test_a_label_without_a_token_keeps_its_own_colours(qtbot):
    made = QLabel("words")
    qtbot.addWidget(made)
    tint(made)
    assert made.property(TOKEN) is None
    assert not made.testAttribute(Qt.WidgetAttribute.WA_SetPalette)


def test_a_field_of_several_lines_shows_its_focus(qtbot):
    field = TextField()
    qtbot.addWidget(field)
    field.resize(120, 60)
    field.show()

    def edge() -> str:
        return field.grab().toImage().pixelColor(60, 0).name().upper()

    before = edge()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    assert (before, edge()) == (LIGHT.edge, LIGHT.accent)


def test_a_menu_follows_the_theme_although_it_was_open_before(qapp, qtbot, light_again: Appearance):
    parent = QWidget()
    qtbot.addWidget(parent)
    menu = QMenu(parent)
    menu.addAction("Copy")
    menu.ensurePolished()
    assert LIGHT.raised_hover in menu.styleSheet()
    light_again.apply(qapp, "dark")
    assert DARK.raised_hover in menu.styleSheet()


class Events(QObject):
    """Counts what everything in the program is told."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[QObject, QEvent.Type]] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.seen.append((watched, event.type()))
        return False


def test_another_theme_polishes_nothing_again_and_paints_nothing_hidden(qapp, qtbot, light_again: Appearance):
    """A sheet of the whole program was taken off and put on: every widget there is was dressed and laid out twice."""
    seen, hidden = QWidget(), QWidget()
    for page in (seen, hidden):
        qtbot.addWidget(page)
        column = QVBoxLayout(page)
        for number in range(20):
            column.addWidget(label(f"line {number}"))
        page.show()
    hidden.hide()
    qapp.processEvents()
    events = Events()
    qapp.installEventFilter(events)
    light_again.apply(qapp, "dark")
    qapp.processEvents()
    qapp.removeEventFilter(events)
    assert qapp.styleSheet() == ""
    kinds = [kind for _, kind in events.seen]
    assert not {QEvent.Type.Polish, QEvent.Type.StyleChange, QEvent.Type.LayoutRequest} & set(kinds)
    painted = {widget for widget, kind in events.seen if kind == QEvent.Type.Paint}
    assert seen in painted
    assert not painted & {hidden, *hidden.findChildren(QWidget)}


def test_what_was_never_shown_is_left_for_later(qapp, qtbot):
    made = label("words", token="warn")
    qtbot.addWidget(made)
    polish_all(qapp)
    assert not made.testAttribute(Qt.WidgetAttribute.WA_SetPalette)


themes = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@themes
def test_nothing_is_left_to_fill(theme: Theme):
    assert "$" not in sheet_of(theme)


@themes
def test_only_colours_of_the_theme_are_in_it(theme: Theme):
    known = {value.upper() for value in vars(theme).values() if isinstance(value, str)}
    assert {value.upper() for value in re.findall(r"#[0-9A-Fa-f]{6,8}\b", sheet_of(theme))} <= known


def test_no_rule_is_for_all_widgets():
    """`QWidget { background }` would also tint every button and field below."""
    selectors = [
        part.strip() for rule in re.findall(r"([^{}]+)\{", sheet_of(LIGHT)) for part in rule.split(",")
    ]
    assert "QWidget" not in selectors
    assert "*" not in selectors
