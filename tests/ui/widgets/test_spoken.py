"""What assistive programs are told of widgets that are painted by hand."""

from __future__ import annotations

import subprocess
import sys

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


LEFT_OVER = """
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QPushButton, QScrollArea, QWidget
from workbench.ui.widgets.labels import tell_roles

app = QApplication([])
first = QPushButton("made before: Qt's cache of interfaces then outlives ours")
tell_roles()
window = QWidget()
areas = [QScrollArea(window) for _ in range(4)]
assert {QAccessible.queryAccessibleInterface(area).role() for area in areas} == {QAccessible.Role.Pane}
window.deleteLater()  # and nothing is done later any more
"""


def test_a_widget_that_is_left_over_does_not_end_the_program_at_exit():
    """PySide freed what we made for it, and Qt's cache freed it again: a crash after the last line."""
    environment = {"QT_QPA_PLATFORM": "offscreen", "MALLOC_PERTURB_": "165"}  # what is freed is overwritten
    command = [sys.executable, "-c", LEFT_OVER]
    ended = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr.decode()) == (0, "")
