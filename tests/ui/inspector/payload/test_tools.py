"""The row above the payload."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.fakes.requests_shown import AUTH
from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.payload.page import PayloadTools, SelectionLine

OPTIONS = (("next", "Next request"), ("8", "Turn 8, sent 14:01"))


@pytest.fixture
def tools(qtbot) -> Iterator[PayloadTools]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 60)
    made = PayloadTools()
    made.setParent(window)
    made.resize(752, 44)
    made.offer(OPTIONS, "next")
    window.show()
    yield made
    window.close()


def test_every_control_has_a_name(tools: PayloadTools):
    controls = (tools.forms, tools.request, tools.field, tools.before, tools.after, tools.copy)
    assert all(control.accessibleName() for control in controls)


def test_the_writing_and_the_request_are_told_when_a_person_chooses(tools: PayloadTools):
    told: list[str] = []
    tools.forms.chosen.connect(told.append)
    tools.request_chosen.connect(told.append)
    tools.forms.setFocus()
    QTest.keyClick(tools.forms, Qt.Key.Key_Right)
    tools.request.setFocus()
    QTest.keyClick(tools.request, Qt.Key.Key_Down)
    assert told == ["json", "8"]
    tools.offer(OPTIONS, "next")
    assert told == ["json", "8"]
    assert tools.request.chosen() == "next"


def test_in_the_field_enter_goes_on_shift_enter_back_and_escape_ends_it(tools: PayloadTools):
    told: list[object] = []
    tools.field.textChanged.connect(told.append)
    tools.find_stepped.connect(told.append)
    QTest.keyClicks(tools.field, "ab")
    QTest.keyClick(tools.field, Qt.Key.Key_Return)
    QTest.keyClick(tools.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(tools.field, Qt.Key.Key_Escape)
    assert told == ["a", "ab", 1, -1, ""]


def test_hits_are_counted_in_words(tools: PayloadTools):
    assert tools.hit_words(3, 12, more=False) == "3 of 12"
    assert tools.hit_words(1, 10_000, more=True) == "1 of 10,000+"
    assert tools.hit_words(0, 0, more=False) == "no hits"


def test_the_steps_are_there_only_while_something_is_looked_for(tools: PayloadTools):
    assert not tools.before.isVisible()
    tools.show_hits("1 of 2")
    assert tools.before.isVisible()
    steps: list[int] = []
    tools.find_stepped.connect(steps.append)
    QTest.mouseClick(tools.before, Qt.MouseButton.LeftButton)
    QTest.mouseClick(tools.after, Qt.MouseButton.LeftButton)
    assert steps == [-1, 1]


def test_copying_says_that_it_was_done_and_then_offers_it_again(tools: PayloadTools, qtbot):
    copied: list[bool] = []
    tools.copy_wanted.connect(lambda: copied.append(True))
    QTest.mouseClick(tools.copy, Qt.MouseButton.LeftButton)
    assert copied == [True]
    assert tools.copy.text() == "Copied"
    tools._copied.timeout.emit()
    assert tools.copy.text() == "Copy"


def test_where_it_is_narrow_nothing_overlaps(tools: PayloadTools):
    tools.resize(556, 44)
    tools.show_hits("10,000 of 10,000+")
    QApplication.sendPostedEvents()
    assert tools.copy.text() == ""
    assert tools.copy.accessibleName() == "Copy"
    assert not tools.request.isVisible()
    shown = [
        w
        for w in (tools.forms, tools.field, tools.hits, tools.before, tools.after, tools.copy)
        if w.isVisible()
    ]
    edges = [(w.geometry().left(), w.geometry().right()) for w in shown]
    assert all(before[1] < after[0] for before, after in pairwise(edges))
    assert edges[-1][1] < tools.width()


def line(qtbot, key: RowKey = AUTH) -> SelectionLine:
    made = SelectionLine()
    qtbot.addWidget(made)
    row = sample_view().row(key)
    assert row is not None
    made.resize(752, 32)
    made.show_row(row, (9, 10))
    made.show()
    return made


def test_it_names_the_row_its_tokens_and_its_bytes(qtbot):
    made = line(qtbot)
    made.show_bytes((23_412, 47_610), 47_802, counted=True)
    assert made._tag.layer() == "L3_TURN"
    assert made._name.text() == "src/auth.py"
    assert made._tokens.text() == "6,120 tokens"
    assert made._bytes.text() == "bytes 23,412–47,609 of 47,802"
    assert made.steps.words() == "9 of 10"
    assert made.accessibleName() == "Chosen: src/auth.py"


def test_what_is_not_sent_has_no_bytes(qtbot):
    made = line(qtbot, RowKey("L3_TURN", "logs/big.log"))
    made.show_bytes(None, 47_802, counted=False)
    assert made._bytes.text() == "not sent"
    made.show_bytes(None, 0, counted=True)
    assert made._bytes.text() == ""


def test_where_it_is_narrow_the_bytes_give_way(qtbot):
    made = line(qtbot)
    made.resize(588, 32)
    assert not made._bytes.isVisible()
    assert made._name.isVisible()


def test_it_leads_to_the_neighbours_and_to_the_layers(qtbot):
    made = line(qtbot)
    told: list[object] = []
    made.steps.stepped.connect(told.append)
    made.layers_wanted.connect(lambda: told.append("layers"))
    QTest.mouseClick(made.steps.before, Qt.MouseButton.LeftButton)
    QTest.mouseClick(made.steps.after, Qt.MouseButton.LeftButton)
    QTest.mouseClick(made._layers, Qt.MouseButton.LeftButton)
    assert told == [-1, 1, "layers"]
