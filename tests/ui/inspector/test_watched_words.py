"""A watched conversation has requests: no page of the inspector speaks of turns, or offers what cannot be done."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.watched import watched_state
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.inspector.rows.row_words import turn_options

TURN = re.compile(r"\bturns?\b", re.IGNORECASE)


def said(widget: QWidget) -> set[str]:
    """Everything in sight that is read or spoken, without the words of the requests themselves."""
    found: set[str] = set()
    parts: list[QWidget] = list(widget.findChildren(QWidget))
    for one in parts:
        if not one.isVisibleTo(widget):
            continue
        found |= {one.accessibleName(), one.toolTip()}
        if isinstance(one, QLabel | QAbstractButton):
            found.add(one.text())
        if isinstance(one, QTabBar):
            found |= {one.tabText(at) for at in range(one.count())}
        if isinstance(one, QComboBox):
            found |= {one.itemText(at) for at in range(one.count())}
    return found


def test_no_page_speaks_of_turns(qtbot: QtBot, qapp, appearance):
    state, chat = watched_state()
    pane = InspectorPane()
    qtbot.addWidget(pane)
    pane.resize(700, 900)
    pane.show()
    for name in pane.pages.names():
        pane.show_state(state, chat)
        pane.show_page(name)
        pane.show_state(state, chat)
        assert not [words for words in said(pane) if TURN.search(words)], name


def test_a_request_that_is_being_answered_can_be_chosen():
    """It is shown: a list without it would name another one."""
    _, chat = watched_state()
    *before, last = chat.turns
    options = turn_options((*before, replace(last, state="running")))
    assert [name.partition(",")[0] for _, name in options] == ["Request 3", "Request 2", "Request 1"]
