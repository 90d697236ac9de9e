"""The menu of a row."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.sample_envelope import sample_view
from workbench.domain.shown.envelope_view import Reason, RowKey, SegmentRow
from workbench.ui.inspector.layers.tuning import RowMenuActions, row_menu, summary_words
from workbench.ui.offers import Offer

VIEW = sample_view()


class Done:
    """What the menu called."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []
        self.actions = RowMenuActions(
            lambda row, act: self.calls.append((row.key.id, act)),
            lambda row, priority: self.calls.append((row.key.id, priority)),
            lambda row: self.calls.append((row.key.id, "bytes")),
        )


def row(layer: str, name: str) -> SegmentRow:
    return next(row for each in VIEW.layers for row in each.rows if row.key == (layer, name))


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def actions(menu: QMenu) -> dict[str, QAction]:
    return {action.text().split("\t")[0]: action for action in menu.actions() if action.text()}


def test_a_file_can_be_tuned_in_every_way(parent: QWidget):
    done = Done()
    menu = row_menu(parent, row("L3_TURN", "src/auth.py"), done.actions)
    found = actions(menu)
    assert list(found) == [
        "Pin, never dropped", "Priority", "Leave out", "Show in the payload", "Copy digest",
    ]  # fmt: skip
    found["Pin, never dropped"].trigger()
    found["Leave out"].trigger()
    found["Show in the payload"].trigger()
    assert done.calls == [("src/auth.py", "pin"), ("src/auth.py", "leave_out"), ("src/auth.py", "bytes")]


def test_a_priority_is_chosen_by_its_meaning(parent: QWidget):
    done = Done()
    menu = row_menu(parent, row("L3_TURN", "src/auth.py"), done.actions)
    below = actions(menu)["Priority"].menu()
    assert isinstance(below, QMenu)
    choices = actions(below)
    assert [text for text, action in choices.items() if action.isChecked()] == ["5, as usual"]
    choices["10, dropped first"].trigger()
    assert done.calls == [("src/auth.py", 10)]


def test_what_is_locked_can_only_be_looked_at(parent: QWidget):
    menu = row_menu(parent, row("L1_SYSTEM", "persona"), Done().actions)
    assert list(actions(menu)) == ["Show in the payload", "Copy digest"]


def test_an_entry_is_offered_while_it_is_chosen(parent: QWidget):
    chosen: list[object] = []
    offering = Done().actions._replace(
        offer=lambda row, act: Offer(f"{act} {row.key.id}", ()),
        take=lambda offer: chosen.append(None if offer is None else offer.title),
    )
    menu = row_menu(parent, row("L3_TURN", "src/auth.py"), offering)
    found = actions(menu)
    below = found["Priority"].menu()
    assert isinstance(below, QMenu)
    menu.hovered.emit(found["Leave out"])
    menu.hovered.emit(found["Copy digest"])
    below.hovered.emit(actions(below)["10, dropped first"])
    menu.aboutToHide.emit()
    assert chosen == ["leave_out src/auth.py", None, "10 src/auth.py", None]


def test_a_digest_is_copied_in_full(parent: QWidget):
    found = row("L3_TURN", "src/auth.py")
    menu = row_menu(parent, found, Done().actions)
    actions(menu)["Copy digest"].trigger()
    assert QGuiApplication.clipboard().text() == found.digest


def test_turns_and_texts_can_be_summarised_and_a_summary_undone(parent: QWidget):
    turn = SegmentRow(RowKey("L4_STRIP", "u1"), ("u1", "a1"), "turn", "", 9, "sent", tunable=True)
    summary = replace(turn, kind="summary", tunable=False)
    short = replace(turn, key=RowKey("L3_TURN", "a.md"), kind="file", reason=Reason("as_summary"))
    within = replace(turn, tunable=False, counted=False)  # in a summary already
    assert [summary_words(one) for one in (turn, summary, short, within)] == [
        "Summarise up to here…", "Undo this summary", "Undo this summary", "",
    ]  # fmt: skip
    done = Done()
    summarising = done.actions._replace(summarise=lambda row: done.calls.append((row.key.id, "summarise")))
    made = row_menu(parent, turn, summarising)
    next(action for action in made.actions() if action.text() == "Summarise up to here…").trigger()
    assert done.calls == [("u1", "summarise")]


def test_where_no_summary_can_be_made_the_menu_says_why(parent: QWidget):
    """It was offered and then refused, or was not there at all."""
    turn = SegmentRow(
        RowKey("L4_STRIP", "u1"), ("u1",), "turn", "", 9, "sent", tunable=True, first_turn=3, last_turn=3
    )
    rows = {
        "": turn,
        "newest turn": replace(turn, first_turn=5, last_turn=5),
        "unpin": replace(turn, pinned=True),
        "put it back": replace(turn, state="excluded", counted=False),
        "nothing to shorten": replace(turn, state="dropped", counted=False),
    }
    acts = Done().actions._replace(summarise=lambda row: None, newest=5)
    for words, one in rows.items():
        made = row_menu(parent, one, acts)
        action = next(action for action in made.actions() if action.text() == "Summarise up to here…")
        assert action.isEnabled() is not bool(words)
        assert words in action.toolTip()
