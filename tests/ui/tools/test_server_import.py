"""Servers of a file: kept, and used only where their command line was allowed."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from tests.fakes.widgets import all_of
from workbench.domain.mcp.json_form import read_servers
from workbench.ui.tools.server_import import ServersDialog
from workbench.ui.widgets.code_view import CodeView

FILE = """{"mcpServers": {
  "github": {"command": "npx", "args": ["-y", "github"], "env": {"TOKEN": "${input:token}", "API_KEY": "k-123"}},
  "files": {"command": "uvx", "args": ["files", "/srv"], "alwaysAllow": ["read"]}
}}"""


def test_each_command_line_is_allowed_by_itself(qtbot: QtBot):
    dialog = ServersDialog(read_servers(FILE))
    qtbot.addWidget(dialog)
    shown = [box.toPlainText() for box in all_of(CodeView, dialog)]
    assert shown[1] == '"uvx" "files" "/srv"'
    assert "k-123" not in shown[0]
    assert not any(check.isChecked() for check in dialog.allowed.values())
    dialog.allowed["github"].click()
    dialog.secrets["github.token"].setText("typed")
    with qtbot.waitSignal(dialog.made) as heard:
        dialog.keep.click()
    github, files = heard.args[0]
    assert (github.server.enabled, files.server.enabled) == (True, False)
    kept = {name: secret.reveal_text() for name, secret in github.secrets.items()}
    assert kept == {"github.API_KEY": "k-123", "github.token": "typed"}
