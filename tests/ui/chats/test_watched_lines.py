"""Watched chats in the list: on top, with their requests and a dot, a few of them until somebody wants all."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QDate
from pytestqt.qtbot import QtBot

from workbench.domain.record import Chat
from workbench.domain.shown.sessions_view import WatchView
from workbench.domain.watch.request import Watched
from workbench.domain.workspace import Filed
from workbench.engine.state import WorkbenchState
from workbench.ui.chats.delegate import WATCHED_HEIGHT, px
from workbench.ui.chats.lines import ActionLine, ChatLine, GroupHead, spoken
from workbench.ui.chats.pane import ChatsPane
from workbench.ui.chats.places import MORE_WATCHED, WAITING, WATCHED_SHOWN, Arranged, Listed, place_lines

TODAY = QDate(2026, 11, 12)
WHEN = "2026-11-12T09:00:00Z"


def watched(number: int) -> Chat:
    mark = Watched("claude-cli/2.1", requests=number)
    return Chat(f"w{number}", WHEN, f"Claude Code · {number}", used_utc=WHEN, filed=Filed(watched=mark))


MINE = Chat("mine", WHEN, "Mine", used_utc=WHEN)


def test_they_stand_on_top_apart_from_chats_of_ones_own():
    head, one, today, mine, _ = place_lines(Listed([MINE, watched(2)], watching=True), TODAY)
    assert head == GroupHead("group:watched", "Watched", live=True)
    assert spoken(head) == "Watched, watching"
    assert isinstance(one, ChatLine)
    assert (one.id, one.requests) == ("w2", 2)
    assert "2 requests" in spoken(one)
    assert isinstance(today, GroupHead)
    assert isinstance(mine, ChatLine)
    assert (mine.id, mine.requests) == ("mine", None)


def test_a_few_are_listed_until_somebody_wants_all():
    listed = Listed([watched(number) for number in range(1, WATCHED_SHOWN + 3)])
    lines = place_lines(listed, TODAY)
    assert lines[0] == GroupHead("group:watched", "Watched")
    assert lines[WATCHED_SHOWN + 1] == ActionLine(MORE_WATCHED, "2 more")
    whole = place_lines(listed, TODAY, Arranged(folded=frozenset({MORE_WATCHED})))
    assert sum(isinstance(line, ChatLine) for line in whole) == WATCHED_SHOWN + 2


def test_a_sub_agent_stands_under_who_called_it():
    def of(number: int, parent: str) -> Chat:
        chat = watched(number)
        mark = Watched("claude-cli/2.1", parent=parent, requests=number)
        return replace(chat, filed=Filed(watched=mark))

    chats = [of(3, "w1"), watched(2), watched(1), of(4, "w3"), of(5, "gone")]
    lines = [line for line in place_lines(Listed(chats), TODAY) if isinstance(line, ChatLine)]
    assert [(line.id, line.inset) for line in lines] == [
        ("w1", False), ("w3", True), ("w4", True), ("w2", False), ("w5", False),
    ]  # fmt: skip
    circle = place_lines(Listed([of(1, "w2"), of(2, "w1")]), TODAY)
    assert sum(isinstance(line, ChatLine) for line in circle) == 2


def test_a_watch_that_has_seen_nothing_says_that_it_waits():
    lines = place_lines(Listed([], watching=True), TODAY)
    assert lines[1] == ActionLine(WAITING, "Waiting for a request…")
    assert place_lines(Listed([]), TODAY)[0] == ActionLine("new-workspace", "New workspace…")


def test_the_list_has_room_for_two_lines_and_leads_to_the_dialog(qtbot: QtBot, qapp, appearance):
    pane = ChatsPane()
    qtbot.addWidget(pane)
    pane.resize(252, 500)
    on = WatchView("http://127.0.0.1:4040")
    pane.show_state(WorkbenchState(chats=(watched(1),), watch=on), "w1", WHEN)
    pane.show()
    model = pane.chats.lines()
    assert pane.chats.visualRect(model.index(1)).height() == px(WATCHED_HEIGHT)
    pane.grab()
    wanted: list[object] = []
    pane.wishes.wish.connect(wanted.append)
    pane.show_state(WorkbenchState(chats=(MINE,), watch=on), "", WHEN)
    pane._on_chosen(ActionLine(WAITING, ""))
    assert wanted == ["watch"]
