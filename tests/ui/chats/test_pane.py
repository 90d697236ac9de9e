"""The chats pane: chats, search, and what was found."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, NOW, sample_state, waiting_tool
from tests.fakes.widgets import all_of
from workbench.domain.record import Hit
from workbench.domain.shown.reach import ChatReach
from workbench.domain.workspace import Filed, Workspace
from workbench.engine.intents import OpenChat, RenameChat
from workbench.engine.program_intents import SearchHistory
from workbench.engine.state import Found, RunningTurn, WorkbenchState
from workbench.engine.workspace_intents import FileChats
from workbench.ui.chats.lines import ChatLine, PlaceHead
from workbench.ui.chats.pane import ChatsPane, running_chats
from workbench.ui.steps import Step
from workbench.ui.wishes import DeleteChats, ExportChat, ShowFound, ShowWorkspace

HITS = (
    Hit(CHAT, "Token refresh in auth.py", "message", "m15", "the token", ((4, 9),), NOW),
    Hit("c2", "Release notes 0.9", "title", "c2", "token notes", ((0, 5),), NOW),
)


def pane_of(qtbot: QtBot, state: WorkbenchState | None = None) -> tuple[ChatsPane, list[object]]:
    pane = ChatsPane()
    qtbot.addWidget(pane)
    sent: list[object] = []
    pane.wishes.intent.connect(sent.append)
    pane.resize(252, 500)
    pane.show_state(state or sample_state(), CHAT, NOW)
    pane.show()
    return pane, sent


def shown_page(pane: ChatsPane) -> object:
    return next(
        page for page in (pane.chats, pane.hits, pane.no_chats, pane.nothing) if page.isVisibleTo(pane)
    )


def test_the_chats_are_listed_and_enter_opens_one(qtbot: QtBot):
    pane, sent = pane_of(qtbot)
    pane.chats.setFocus()
    pane.chats.focus_line("c3")
    QTest.keyClick(pane.chats, Qt.Key.Key_Return)
    assert sent == [OpenChat("c3")]


def test_the_same_state_again_changes_nothing(qtbot: QtBot):
    state = sample_state()
    pane, _ = pane_of(qtbot, state)
    told: list[object] = []
    pane.chats.lines().dataChanged.connect(lambda *_: told.append(1))
    pane.chats.lines().rowsInserted.connect(lambda *_: told.append(1))
    pane.show_state(replace(state), CHAT, NOW)
    assert told == []


def test_rename_delete_and_export_go_out(qtbot: QtBot):
    pane, sent = pane_of(qtbot)
    wishes: list[object] = []
    pane.wishes.wish.connect(wishes.append)
    pane.chats.lines().renamed.emit("c2", "Other")
    pane.chats.wanted.emit(DeleteChats(("c2", "c1")))
    pane.chats.wanted.emit(ExportChat("c2"))
    pane.new.click()
    assert sent == [RenameChat("c2", "Other")]
    assert wishes == [DeleteChats(("c2", "c1")), ExportChat("c2"), "new-chat"]


def test_the_keyboard_stays_on_its_chat_when_another_moves_up(qtbot: QtBot):
    state = sample_state()
    pane, _ = pane_of(qtbot, state)
    pane.chats.focus_line("c5")
    used = replace(state.chats[6], used_utc="2026-11-12T14:07:00Z")
    pane.show_state(replace(state, chats=(used, *state.chats[:6], *state.chats[7:])), CHAT, NOW)
    focused = pane.chats.focused()
    assert focused is not None
    assert focused.id == "c5"


def test_turns_that_run_anywhere_are_marked(qapp: object):
    state = sample_state()
    running = replace(
        state, open={CHAT: waiting_tool(state.open[CHAT])}, away={"c2": RunningTurn(1, "question")}
    )
    assert running_chats(running) == {CHAT, "c2"}
    assert running_chats(state) == frozenset()


def test_typing_searches_once_and_not_at_every_letter(qtbot: QtBot):
    pane, sent = pane_of(qtbot)
    QTest.keyClicks(pane.search, "token")
    assert sent == []
    qtbot.waitUntil(lambda: sent == [SearchHistory("token")])


def test_results_replace_the_list_and_escape_brings_it_back(qtbot: QtBot):
    pane, sent = pane_of(qtbot)
    QTest.keyClicks(pane.search, "token")
    QTest.keyClick(pane.search, Qt.Key.Key_Return)
    pane.show_state(replace(sample_state(), found=Found("token", HITS)), CHAT, NOW)
    assert shown_page(pane) is pane.hits
    assert pane.hits.lines().rowCount() == 4
    QTest.keyClick(pane.search, Qt.Key.Key_Escape)
    assert shown_page(pane) is pane.chats
    assert sent == [SearchHistory("token"), SearchHistory("")]


def test_while_a_search_runs_what_was_shown_stays(qtbot: QtBot):
    """Otherwise the list would flicker at every letter."""
    pane, _ = pane_of(qtbot)
    QTest.keyClicks(pane.search, "token")
    QTest.keyClick(pane.search, Qt.Key.Key_Return)
    pane.show_state(replace(sample_state(), found=Found("token", (), searching=True)), CHAT, NOW)
    assert shown_page(pane) is pane.chats
    pane.show_state(replace(sample_state(), found=Found("tok", ())), CHAT, NOW)
    assert shown_page(pane) is pane.chats


def test_nothing_found_says_what_was_looked_for(qtbot: QtBot):
    pane, _ = pane_of(qtbot)
    QTest.keyClicks(pane.search, "zebra")
    QTest.keyClick(pane.search, Qt.Key.Key_Return)
    pane.show_state(replace(sample_state(), found=Found("zebra")), CHAT, NOW)
    assert shown_page(pane) is pane.nothing
    assert "zebra" in pane.nothing.line.text()


def test_a_hit_leads_to_its_message_and_a_title_to_its_chat(qtbot: QtBot):
    pane, _ = pane_of(qtbot)
    led: list[object] = []
    pane.wishes.wish.connect(led.append)
    QTest.keyClicks(pane.search, "token")
    QTest.keyClick(pane.search, Qt.Key.Key_Return)
    pane.show_state(replace(sample_state(), found=Found("token", HITS)), CHAT, NOW)
    QTest.keyClick(pane.search, Qt.Key.Key_Return)
    QTest.keyClick(pane.search, Qt.Key.Key_Down)
    for _ in range(3):
        QTest.keyClick(pane.hits, Qt.Key.Key_Down)
    QTest.keyClick(pane.hits, Qt.Key.Key_Return)
    assert [replace(one, words=()) for one in led if isinstance(one, ShowFound)] == [
        ShowFound(CHAT, "m15"),
        ShowFound("c2"),
    ]


def test_without_chats_the_pane_says_how_to_begin(qtbot: QtBot):
    pane, _ = pane_of(qtbot, WorkbenchState())
    assert shown_page(pane) is pane.no_chats
    with qtbot.waitSignal(pane.wishes.wish) as wished:
        pane.no_chats.pressed.emit()
    assert wished.args == ["new-chat"]


def test_everything_has_a_name(qtbot: QtBot):
    pane, _ = pane_of(qtbot)
    named = (pane.search, pane.new, pane.chats, pane.hits)
    assert all(widget.accessibleName() for widget in named)


def test_it_fits_into_the_column_of_the_design(qtbot: QtBot):
    """The text of an empty state, wider than the column, would push the chat aside even while it is not shown."""
    pane, _ = pane_of(qtbot)
    assert pane.minimumSizeHint().width() <= 252


def in_places() -> WorkbenchState:
    state = sample_state()
    filed = {
        "c2": Filed("w1", tags=("release",)),
        "c3": Filed("w1", pinned=True),
        "c4": Filed(archived_utc=NOW),
    }
    chats = tuple(replace(chat, filed=filed.get(chat.id, chat.filed)) for chat in state.chats)
    places = {"w1": Workspace("w1", "Auth service")}
    return replace(
        state, chats=chats, workspaces=places, reach={"c2": ChatReach("c2", True, "2999-01-01T00:00:00Z")}
    )


def test_chats_stand_in_their_workspace_and_what_is_folded_is_remembered(qtbot: QtBot):
    pane, _ = pane_of(qtbot, in_places())
    assert pane.order()[:2] == ("c3", "c2")
    assert "c4" not in pane.order()
    line = pane.chats.lines().item(pane.chats.lines().index(2))
    assert isinstance(line, ChatLine)
    assert line.warm
    with qtbot.waitSignal(pane.arranged):
        pane.chats.folded.emit("workspace:w1")
    assert "c3" not in pane.order()
    other, _ = pane_of(qtbot, in_places())
    other.restore(pane.remembered())
    assert other.order() == pane.order()


def test_a_tag_in_the_search_field_filters_and_asks_nobody(qtbot: QtBot):
    pane, sent = pane_of(qtbot, in_places())
    QTest.keyClicks(pane.search, "#rel")
    assert pane.order() == ("c2",)
    assert shown_page(pane) is pane.chats
    pane.search.clear()
    assert len(pane.order()) > 1
    QTest.keyClicks(pane.search, "#include")
    qtbot.waitUntil(lambda: sent == [SearchHistory("#include")])


def test_filing_is_a_step_that_can_be_undone_and_the_order_is_chosen_in_a_menu(qtbot: QtBot):
    pane, _ = pane_of(qtbot, in_places())
    steps: list[Step] = []
    wishes: list[object] = []
    pane.wishes.step.connect(steps.append)
    pane.wishes.wish.connect(wishes.append)
    pane.chats.filing_wanted.emit(FileChats(("c2", "c5"), workspace="w1"))
    pane.chats.filing_wanted.emit(FileChats(("c3",), pinned=True))  # it is pinned already
    assert [(step.chat, step.do, step.undo) for step in steps] == [
        (CHAT, (FileChats(("c5",), workspace="w1"),), (FileChats(("c5",), workspace=""),))
    ]
    pane.chats.chosen.emit(pane.chats.lines().item(pane.chats.lines().index(0)))
    head = pane.chats.focused() or pane.chats.lines().item(pane.chats.lines().index(0))
    assert isinstance(head, PlaceHead)
    made = pane.chats.menu_of(head)
    (order,) = all_of(QMenu, made)
    order.actions()[1].trigger()
    made.deleteLater()
    assert pane.remembered().startswith("title")
    assert wishes == [ShowWorkspace("w1")]
