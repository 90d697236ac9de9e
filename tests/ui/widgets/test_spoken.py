"""What assistive programs are told of widgets that are painted by hand."""

from __future__ import annotations

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget

from tests.fakes.read_aloud import unspoken
from workbench.ui.widgets.labels import or_none, tell_roles


class Drawn(QWidget):
    """Something painted."""

    spoken_role = QAccessible.Role.Chart


def test_a_painted_widget_says_what_it_is_and_others_are_qts_own(qtbot):
    tell_roles()
    drawn, pressed, rolled = Drawn(), QPushButton("Press"), QScrollArea()
    for widget in (drawn, pressed, rolled):
        qtbot.addWidget(widget)
    roles = [QAccessible.queryAccessibleInterface(one).role() for one in (drawn, pressed, rolled)]
    assert roles == [QAccessible.Role.Chart, QAccessible.Role.Button, QAccessible.Role.Pane]


def test_an_empty_cell_says_so():
    assert (or_none(""), or_none("12")) == ("none", "12")


def test_what_has_no_name_or_has_markup_is_found(qtbot):
    holder = QWidget()
    column = QVBoxLayout(holder)
    for words, told in (("", ""), ("Named", "<p style=''>Markup</p>")):
        made = QPushButton(words)
        made.setToolTip(told)
        column.addWidget(made)
    qtbot.addWidget(holder)
    holder.show()
    nameless, marked = unspoken(holder)
    assert nameless.endswith("has no name")
    assert marked.endswith("'Named' has markup: \"<p style=''>Markup</p>\"")
