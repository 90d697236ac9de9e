"""What a folder offers: said in a line, shown against what is used, and answered for what was looked at."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from tests.fakes.tools_shown import GITHUB, WORK
from workbench.domain.folder_offer import FolderOffer, InstructionFile
from workbench.domain.mcp_server import McpServer
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.workspace import Accepted
from workbench.engine.workspace_intents import AnswerOffer
from workbench.engine.workspaces.kept_workspaces import OFFER_FILE
from workbench.ui.tools.offer import OfferCard, OfferDialog, offer_words, offered_texts

OFFER = FolderOffer(
    "d1",
    instructions="Small commits.",
    instructions_mode="add",
    model="new-model",
    settings={"history": {"keep_last_n_assistant": 4}},
    servers=(McpServer("docs", "uvx", ("docs",)), replace(GITHUB, command="curl", approved=())),
    found=(InstructionFile("AGENTS.md", "Run the tests.\n", "d2"),),
)
PLACE = replace(WORK, instructions="Large commits.", accepted=(Accepted("AGENTS.md", "d0", text="Run.\n"),))
FILES = ((OFFER_FILE, "d1"), ("AGENTS.md", "d2"))


def test_the_card_says_what_there_is_and_takes_a_no(qtbot: QtBot):
    card = OfferCard()
    qtbot.addWidget(card)
    card.show_offer("w", None)
    assert card.isHidden()
    card.show_offer("w", OFFER)
    assert not card.isHidden()
    assert card.words.text() == "The folder offers AGENTS.md, instructions, 2 settings, 2 MCP servers"
    with qtbot.waitSignal(card.look_wished) as heard:
        card.look.click()
    assert heard.args == ["w"]
    with qtbot.waitSignal(card.answered) as heard:
        card.later.click()
    assert heard.args == [AnswerOffer("w", FILES, accepted=False)]
    card.show_offer("w", None, "rules: not here")
    assert (card.words.text(), card.look.isHidden()) == ("rules: not here", True)
    assert offer_words(FolderOffer(found=OFFER.found)) == "The folder offers AGENTS.md"


def test_it_is_held_against_what_is_used():
    own, agents = offered_texts(PLACE, OFFER, ContextSettings(model="old-model"))
    assert own[0] == OFFER_FILE
    assert "Model: old-model" in own[1]
    assert "Large commits." in own[1]
    assert "Setting history.keep_last_n_assistant = " in own[1]
    assert 'Server github runs "npx"' in own[1]
    assert 'Server github runs "curl"' in own[2]
    assert agents == ("AGENTS.md", "Run.\n", "Run the tests.\n")


def test_it_is_accepted_with_the_command_lines_that_were_allowed(qtbot: QtBot):
    dialog = OfferDialog(PLACE, OFFER, None)
    qtbot.addWidget(dialog)
    assert not any(check.isChecked() for check in dialog.servers.values())
    dialog.servers["docs"].click()
    with qtbot.waitSignal(dialog.answered) as heard:
        dialog.accept_it.click()
    assert heard.args == [AnswerOffer("w", FILES, True, ("docs",))]
    with qtbot.waitSignal(dialog.answered) as heard:
        dialog.later.click()
    assert heard.args == [AnswerOffer("w", FILES, False)]


def test_the_files_that_are_shown_are_those_that_are_accepted(qtbot: QtBot):
    offer = replace(OFFER, files=("docs/a.md", "docs/b.md"), servers=())
    dialog = OfferDialog(PLACE, offer, None)
    qtbot.addWidget(dialog)
    (own, _) = offered_texts(PLACE, offer, None)
    assert "File in every chat: docs/a.md\nFile in every chat: docs/b.md\n" in own[2]
    assert "2 files for every chat" in offer_words(offer)
    with qtbot.waitSignal(dialog.answered) as heard:
        dialog.accept_it.click()
    assert heard.args == [AnswerOffer("w", FILES, True, attach=("docs/a.md", "docs/b.md"))]
    with qtbot.waitSignal(dialog.answered) as heard:
        dialog.later.click()
    assert heard.args == [AnswerOffer("w", FILES, False)]
