"""The notice that a server of tools is down."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.mcp.server import McpListing, McpServer, McpTool, ServerState
from workbench.domain.workspace import Filed, Workspace
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.workspace_intents import StartServer
from workbench.ui.chat.servers_down import ServersDownCard
from workbench.ui.wishes import Wishes

ADD = McpTool("add", "sums__add", "Adds.")
SUMS, FILES = (McpServer(name, "x", approved=(ADD,)) for name in ("sums", "files"))


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
