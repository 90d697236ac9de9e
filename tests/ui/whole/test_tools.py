"""Servers, rules and a folder's offers in the real window, over a real store and a real MCP server."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.fakes import mcp_runs
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.widgets import all_of
from tests.fakes.window_stage import WindowStage, dialog
from workbench.domain.workspace import Filed, Workspace
from workbench.engine.intents import EditDraft, SendMessage, StartChat
from workbench.engine.workspace_intents import StartWorkspace
from workbench.ui.tools.dialog import ToolsDialog
from workbench.ui.tools.from_servers import FromServersDialog
from workbench.ui.tools.offer import OfferDialog
from workbench.ui.tools.review import ReviewDialog
from workbench.ui.tools.server_form import ServerDialog, ServersDialog
from workbench.ui.widgets.code_view import CodeView

pytestmark = pytest.mark.usefixtures("no_window_left")
SERVER = str(mcp_runs.HERE / "mcp_server.py")
ADD = "sums__add"


def picture(stage: WindowStage, name: str) -> None:
    """A look at everything that is open, where somebody wants one."""
    place = os.environ.get("WORKBENCH_PICTURES")
    for widget in QApplication.topLevelWidgets() if place else ():
        if widget.isVisible():
            widget.grab().save(str(Path(place or "") / f"{name}-{type(widget).__name__}.png"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with instructions of its own and a server that nobody asked for."""
    place = tmp_path / "project"
    (place / ".workbench").mkdir(parents=True)
    (place / "AGENTS.md").write_text("Run the tests first.\n", encoding="utf-8")
    offered = {"command": sys.executable, "args": [SERVER]}
    (place / ".workbench" / "workspace.toml").write_text(
        'instructions = "Small commits."\n'
        f"[servers.theirs]\ncommand = {json.dumps(offered['command'])}\nargs = {json.dumps(offered['args'])}\n",
        encoding="utf-8",
    )
    return place


async def in_workspace(stage: WindowStage, folder: Path) -> None:
    """A chat in a workspace of that folder, in view."""
    settings = stage.given.new_chat_settings(False)
    await stage.workbench.dispatch(StartWorkspace(Workspace("w", "Auth service", str(folder)), settings))
    await stage.workbench.dispatch(StartChat("talk", settings, "Sums", filed=Filed("w")))
    stage.session.open_chat("talk")
    await stage.until_chat(lambda chat: chat.chat.id == "talk" and chat.view is not None)


async def add_sums(tools: ToolsDialog) -> None:
    """Add a server in the form, with a secret."""
    tools.add.click()  # type: ignore[attr-defined]
    form = await dialog(ServerDialog)
    assert isinstance(form, ServerDialog)
    form.name.setText("sums")
    form.command.setText(sys.executable)
    form.args.setPlainText(SERVER)
    row = form.env.add_pair("", "")
    row.name.setText("TOKEN")
    row.hidden.setText("t0ken-value")
    form.keep.click()
    await until(lambda: "sums" in tools.groups.heads)
    await until(lambda: tools.groups.heads["sums"].badge.word() == "connected")


async def take_from_server(stage: WindowStage) -> None:
    """Attach a resource, and have a prompt written."""
    stage.working.actions.run("from-server")
    given = await dialog(FromServersDialog)
    assert isinstance(given, FromServersDialog)
    await until(lambda: given.list.count() >= 3)
    given.search.setText("notes")
    given.use.click()
    await stage.until_chat(
        lambda chat: "sums:sample://notes" in [one.key for one in chat.conversation.attached]
    )
    given.search.setText("review")
    given.fields["subject"].setText("auth.py")
    given.use.click()
    await stage.until_chat(lambda chat: chat.draft == "Review auth.py, please.")
    stage.session.send(EditDraft("talk", ""))


async def look_at_add(stage: WindowStage, tools: ToolsDialog) -> None:
    """Look at the server's tools, and use one of them."""
    tools.groups.acted.emit("look", "sums")
    review = await dialog(ReviewDialog)
    assert isinstance(review, ReviewDialog)
    picture(stage, "review")
    for name in ("fail", "surroundings"):
        review.checks[name].click()
    review.use.click()


@in_qt_loop
async def test_a_server_is_added_looked_at_used_and_allowed_in_the_workspace(
    data: Path, folder: Path, qapp: QApplication
):
    call = {"name": ADD, "arguments": {"a": 20, "b": 22}}
    script = data.parent / "answer.json"
    script.write_text(json.dumps([{"tool_calls": [call]}, {"text": "42, then."}]), encoding="utf-8")
    (data / "settings.toml").write_text(f'model = "scripted:{script.as_posix()}"\n', encoding="utf-8")
    stage = await WindowStage.open(data)
    try:
        await in_workspace(stage, folder)
        stage.working.actions.run("tools")
        tools = await dialog(ToolsDialog)
        assert isinstance(tools, ToolsDialog)
        await add_sums(tools)
        assert ADD not in [tool.name for tool in stage.open_chat.chat.settings.tools]
        await look_at_add(stage, tools)
        chat = await stage.until_chat(lambda chat: ADD in [tool.name for tool in chat.chat.settings.tools])
        await until(lambda: tools.groups.heads["sums"].figure.text() not in ("", "0"))
        rows = [row for layer in chat.view.layers for row in layer.rows] if chat.view else []
        assert any(ADD in row.name for row in rows), "the model is told of it, and it is counted"
        picture(stage, "tools")
        tools.close()

        stage.session.send(SendMessage("talk", "How much?"))
        await until(lambda: stage.window.chat.transcript.waiting_card() is not None)
        picture(stage, "asked")
        card = stage.window.chat.transcript.waiting_card()
        card.everywhere.click()  # type: ignore[union-attr]
        await stage.until_chat(lambda chat: chat.ended is not None and chat.running is None)
        await until(lambda: bool(stage.session.state.workspaces["w"].rules))
        (rule,) = stage.session.state.workspaces["w"].rules
        assert (rule.tools, rule.decision) == ((ADD,), "allow")

        await take_from_server(stage)
        stage.working.actions.run("tools")
        tools.groups.acted.emit("remove", "sums")
        await until(lambda: "sums" not in tools.groups.heads)
        await until(lambda: not stage.session.state.workspaces["w"].servers)
        tools.undo.click()
        await until(lambda: "sums" in tools.groups.heads)
        tools.close()
        assert stage.crashes == []
    finally:
        await stage.close()


@in_qt_loop
async def test_what_a_folder_offers_is_looked_at_and_each_server_allowed_by_itself(
    data: Path, folder: Path, qapp: QApplication
):
    stage = await WindowStage.open(data)
    try:
        await in_workspace(stage, folder)
        card = stage.window.chat.offer
        await until(card.isVisible)
        assert card.words.text() == "The folder offers AGENTS.md, instructions, 1 MCP server"
        picture(stage, "offer")
        card.look.click()
        offer = await dialog(OfferDialog)
        assert isinstance(offer, OfferDialog)
        picture(stage, "offered")
        assert SERVER in all_of(CodeView, offer)[0].toPlainText()
        offer.accept_it.click()
        await until(lambda: stage.session.state.workspaces["w"].instructions == "Small commits.")
        place = stage.session.state.workspaces["w"]
        assert (place.project, place.rules) == ("Run the tests first.", ())
        assert [(one.name, one.enabled) for one in place.servers] == [("theirs", False)]
        await until(lambda: not card.isVisible())
        assert ("w", "theirs") not in stage.session.state.servers, "its command line was not allowed"

        file = data.parent / "mcp.json"
        listed = {"sums": {"command": sys.executable, "args": [SERVER]}, "other": {"command": "other"}}
        file.write_text(json.dumps({"mcpServers": listed}), encoding="utf-8")
        stage.working.actions._tools.import_servers(str(file))
        servers = await dialog(ServersDialog)
        assert isinstance(servers, ServersDialog)
        servers.allowed["sums"].click()
        servers.keep.click()
        await until(lambda: ("w", "sums") in stage.session.state.servers)
        await until(lambda: stage.session.state.servers["w", "sums"].state == "connected")
        assert ("w", "other") not in stage.session.state.servers
        stage.working.actions._tools.import_servers(str(data.parent / "nothing.json"))
        assert "Couldn’t read" in stage.window.toast.text()
        assert stage.crashes == []
    finally:
        await stage.close()
