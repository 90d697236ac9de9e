"""The line that says what is chosen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.fakes.requests_shown import AUTH
from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.inspector.payload.selection import SelectionLine


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
