"""The notice that nothing is sent."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.mcp_server import McpListing, McpServer, McpTool, ServerState
from workbench.domain.settings.app_preferences import SettingsProblem
from workbench.domain.workspace import Filed, Workspace
from workbench.engine.program_intents import ReadPreferences
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.workspace_intents import SignIn, StartServer
from workbench.ui.chat.notices import LookingCard, SendingOffCard, ServersDownCard, off_words, sample_words
from workbench.ui.wishes import Wishes

WRONG = SettingsProblem("/data/settings.toml", "openai_url: expected a string, found 5", 3, 1)
ADD = McpTool("add", "sums__add", "Adds.")
SUMS, FILES = (McpServer(name, "x", approved=(ADD,)) for name in ("sums", "files"))


def test_it_is_there_while_something_is_wrong_and_leads_to_the_file(qtbot: QtBot):
    wishes = Wishes()
    card = SendingOffCard(wishes)
    qtbot.addWidget(card)
    wished: list[object] = []
    wishes.wish.connect(wished.append)
    wishes.intent.connect(wished.append)
    card.show_problem(None)
    assert card.isHidden()
    card.show_problem(WRONG)
    assert not card.isHidden()
    assert card.title.text() == "Sending is off: correct settings.toml in line 3, column 1."
    assert "openai_url: expected a string, found 5." in card.words.text()
    card.open.click()
    card.again.click()
    assert wished == ["open-settings-file", ReadPreferences()]
    card.show_problem(None)
    assert card.isHidden()


def test_a_file_as_a_whole_has_no_line():
    words = off_words(SettingsProblem("/data/settings.toml", "the file is far too large"))
    assert words == "Sending is off: settings.toml can’t be used."


def shown_with(*states: tuple[str, ServerState], has: bool = True) -> tuple[WorkbenchState, ChatState]:
    state = sample_state()
    chat = state.open[CHAT]
    settings = replace(chat.chat.settings, tools=(ADD.definition,) if has else ())
    chat = replace(chat, chat=replace(chat.chat, settings=settings, filed=Filed("w")))
    listings = {("w", name): McpListing(name, how, "It ended (code 1).") for name, how in states}
    place = Workspace("w", "Work", servers=(SUMS, FILES))
    return replace(state, workspaces={"w": place}, servers=listings), chat


def test_it_is_there_while_a_server_is_down_and_starts_it_again(qtbot: QtBot):
    wishes, wished = Wishes(), list[object]()
    wishes.intent.connect(wished.append)
    card = ServersDownCard(wishes)
    qtbot.addWidget(card)
    card.show_state(*shown_with(("sums", "connected")))
    assert card.isHidden()
    card.show_state(*shown_with(("sums", "failed")))
    assert not card.isHidden()
    assert card.title.text() == "sums isn’t running. Its tools are left out of the next request."
    assert card.words.text() == "It ended (code 1)."
    card.again.click()
    assert wished == [StartServer("w", "sums", again=True)]
    card.show_state(*shown_with(("sums", "starting")))
    assert card.isHidden()
    card.show_state(*shown_with(("sums", "failed"), ("files", "failed")))
    assert card.title.text() == "sums, files aren’t running. Their tools are left out of the next request."


def test_a_chat_without_its_tools_hears_nothing_of_it(qtbot: QtBot):
    card = ServersDownCard(Wishes())
    qtbot.addWidget(card)
    card.show_state(*shown_with(("sums", "failed"), has=False))
    assert card.isHidden()
    card.show_state(sample_state(), None)
    assert card.isHidden()


def test_while_nothing_is_kept_one_line_says_so_and_how_to_keep_it(qtbot: QtBot):
    wishes, wished = Wishes(), list[object]()
    wishes.wish.connect(wished.append)
    card = LookingCard(wishes)
    qtbot.addWidget(card)
    assert card.isHidden()
    card.show_looking(True)
    assert not card.isHidden()
    assert card.title.text() == "These chats are deleted when you close the window."
    assert card.words.text() == sample_words(), "who only looks around is told what there is to see"
    card.keep.click()
    assert wished == ["keep-chats"]
    card.show_looking(True, can_keep=False)
    assert card.keep.isHidden()
    card.show_looking(False)
    assert card.isHidden()


def test_of_a_server_that_wants_a_sign_in_the_button_is_that(qtbot: QtBot):
    wishes, wished = Wishes(), list[object]()
    wishes.intent.connect(wished.append)
    card = ServersDownCard(wishes)
    qtbot.addWidget(card)
    state, chat = shown_with(("sums", "failed"))
    wants = replace(state.servers["w", "sums"], sign_in="needed")
    card.show_state(replace(state, servers={("w", "sums"): wants}), chat)
    assert card.again.text() == "Sign in…"
    card.again.click()
    assert wished == [SignIn("w", "sums")]
