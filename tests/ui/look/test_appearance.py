"""Appearance: a theme is put on while the window is open, and everything follows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from shiboken6 import delete

from workbench.ui.look.appearance import Appearance
from workbench.ui.look.focus_ring import FocusFollower, FocusRing
from workbench.ui.look.fonts import TextSizes, sizes
from workbench.ui.look.theme import DARK, LIGHT, theme_for, theme_of
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.labels import FigureLabel, label


def ground(widget: QWidget) -> str:
    return widget.grab().toImage().pixelColor(widget.width() // 2, 3).name().upper()


def test_painted_widgets_follow_the_theme(qapp: QApplication, appearance: Appearance, qtbot):
    made = button("Apply", "primary")
    qtbot.addWidget(made)
    made.resize(120, 28)
    assert ground(made) == LIGHT.accent
    appearance.apply(qapp, "dark")
    assert ground(made) == DARK.accent


def test_labels_follow_the_theme(qapp: QApplication, appearance: Appearance, qtbot):
    made: QLabel = label("words", token="err")
    qtbot.addWidget(made)
    made.show()
    assert made.palette().color(QPalette.ColorRole.WindowText) == QColor(LIGHT.err)
    appearance.apply(qapp, "dark")
    assert made.palette().color(QPalette.ColorRole.WindowText) == QColor(DARK.err)


def test_widgets_that_paint_themselves_are_told(qapp: QApplication, appearance: Appearance, qtbot):
    class Counting(QWidget):
        painted = 0

        def paintEvent(self, _event):
            self.painted += 1

    widget = Counting()
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitUntil(lambda: widget.painted > 0)
    before = widget.painted
    appearance.apply(qapp, "dark")
    qtbot.waitUntil(lambda: widget.painted > before)


def test_a_change_is_announced_once(qapp: QApplication, appearance: Appearance, qtbot):
    told: list[bool] = []
    appearance.changed.connect(lambda: told.append(theme_of().dark))
    appearance.apply(qapp, "dark")
    assert told == [True]


@pytest.mark.parametrize(("mode", "expected"), [("light", LIGHT), ("dark", DARK)])
def test_a_mode_is_a_theme(mode, expected):
    assert theme_for(mode) is expected
    assert theme_for("system", dark=mode == "dark") is expected


def test_the_desktop_decides_where_it_is_asked(qapp: QApplication, appearance: Appearance):
    appearance.apply(qapp, "system")
    dark = qapp.styleHints().colorScheme() == Qt.ColorScheme.Dark
    assert theme_of().dark is dark


def test_a_change_of_the_desktop_is_ignored_where_a_theme_was_chosen(
    qapp: QApplication, appearance: Appearance
):
    appearance.apply(qapp, "dark")
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme_of() is DARK


def test_who_dressed_the_program_before_no_longer_follows_the_desktop(
    qapp: QApplication, appearance: Appearance
):
    """A window that was closed had its own, which went on listening and put on a theme that nobody had chosen."""
    before = Appearance(qapp)
    before.apply(qapp, "system")
    appearance.apply(qapp, "dark")
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme_of() is DARK
    delete(before)


def test_a_change_of_the_desktop_is_followed_where_it_decides(qapp: QApplication, appearance: Appearance):
    appearance.apply(qapp, "dark")
    appearance._mode = "system"
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert theme_of() is LIGHT


def test_what_is_on_already_is_not_put_on_again(qapp: QApplication, appearance: Appearance):
    """Dressing a full window takes a quarter of a second, in which it stands still."""
    told: list[bool] = []
    appearance.changed.connect(lambda: told.append(True))
    appearance.apply(qapp, "light")
    assert told == []


def test_another_appearance_of_the_same_application_shares_the_ring(qapp: QApplication):
    """With one ring for each, a widget that has the focus would get several."""
    Appearance().apply(qapp, "light")
    assert [type(child) for child in qapp.children()].count(FocusFollower) == 1


def test_the_windows_of_the_test_before_are_gone(qapp: QApplication):
    """Left alive, they are dressed anew with every change of the theme: seconds for each test."""
    assert [window for window in QApplication.topLevelWidgets() if not isinstance(window, FocusRing)] == []


def test_text_grows_where_it_is_shown_and_goes_back_exactly(
    qapp: QApplication, appearance: Appearance, qtbot
):
    """The figure's room, a label and the painted style: and nothing of it stays when it is as before."""
    whole = QWidget()
    words, figure, field = (
        label("Words", "title"),
        FigureLabel("12,345", "ui"),
        Field("Search", "search", "Ctrl+K"),
    )
    column = QVBoxLayout(whole)
    for one in (words, figure, field):
        column.addWidget(one)
    qtbot.addWidget(whole)
    whole.resize(300, 200)
    whole.show()
    usual, set_in = sizes(), [one.font() for one in (words, figure, field)]
    hints = [one.sizeHint() for one in (words, figure)]
    appearance.resize(qapp, TextSizes(1.5))
    qapp.processEvents()
    assert words.font().pointSizeF() == pytest.approx(1.5 * 10.5, abs=0.1)
    assert all(
        one.sizeHint().width() > hint.width() for one, hint in zip((words, figure), hints, strict=True)
    )
    assert theme_of().dark is False
    appearance.resize(qapp, usual)
    qapp.processEvents()
    assert [one.font() for one in (words, figure, field)] == set_in
    assert [one.sizeHint() for one in (words, figure)] == hints
