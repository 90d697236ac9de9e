"""Panels that fold up to their heading."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from workbench.ui.widgets.fold import Fold
from workbench.ui.widgets.labels import KeyCap, label


@pytest.fixture
def fold(qtbot) -> Fold:
    made = Fold("Turns", "one bar a turn")
    qtbot.addWidget(made)
    body = label("body")
    body.setFixedHeight(80)
    made.set_body(body)
    made.resize(400, 140)
    made.show()
    return made


def test_the_heading_hides_and_shows_the_body(fold: Fold, qtbot):
    with qtbot.waitSignal(fold.folded) as told:
        QTest.mouseClick(fold.head, Qt.MouseButton.LeftButton)
    assert told.args == [True]
    assert fold.is_folded()
    assert fold.sizeHint().height() == 31
    QTest.keyClick(fold.head, Qt.Key.Key_Space)
    assert not fold.is_folded()
    assert fold.sizeHint().height() == 31 + 80 + 12


def test_folded_it_says_in_a_few_words_what_is_in_it(fold: Fold):
    fold.set_summary("8 turns")
    assert fold.head.note() == "one bar a turn"
    fold.set_folded(True)
    assert fold.head.note() == "8 turns"
    fold.set_folded(False)
    assert fold.head.note() == "one bar a turn"


def test_without_a_summary_the_note_stays(fold: Fold):
    fold.set_folded(True)
    assert fold.head.note() == "one bar a turn"
    fold.set_note("another")
    assert fold.head.note() == "another"


def test_what_stands_in_the_heading_goes_with_the_body(fold: Fold):
    cap = KeyCap("Space")
    fold.add_head_widget(cap)
    fold.set_folded(True)
    assert cap.isHidden()
    fold.set_folded(False)
    assert not cap.isHidden()


def test_it_says_whether_it_is_folded(fold: Fold):
    assert fold.head.accessibleName() == "Turns"
    assert fold.head.accessibleDescription() == "unfolded"
    fold.set_folded(True)
    assert fold.head.accessibleDescription() == "folded"
    fold.set_title("Drop order")
    assert fold.head.accessibleName() == "Drop order"


def test_the_body_can_be_exchanged(fold: Fold, qtbot):
    fold.set_body(label("another"))
    qtbot.waitUntil(lambda: fold.sizeHint().height() < 100)


def test_folding_moves_and_arrives(fold: Fold, moving, qtbot):
    fold.set_folded(True)
    qtbot.waitUntil(lambda: fold.sizeHint().height() == 31)
    fold.set_folded(False)
    qtbot.waitUntil(lambda: fold.sizeHint().height() == 123)


def test_folding_to_where_it_is_tells_nobody(fold: Fold, qtbot):
    with qtbot.assertNotEmitted(fold.folded):
        fold.set_folded(False)


@pytest.mark.parametrize("folded", [True, False])
def test_the_heading_is_painted(fold: Fold, theme, folded: bool):
    fold.set_folded(folded)
    assert not fold.grab().isNull()
