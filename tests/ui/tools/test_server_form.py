"""A server is added and changed; what is secret is typed hidden and goes nowhere else."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.fakes.secret_texts import GITHUB as KEY
from tests.fakes.tools_shown import GITHUB
from tests.fakes.widgets import all_of
from workbench.domain.mcp_json import McpImport, read_servers
from workbench.domain.mcp_server import McpServer
from workbench.domain.secrets import Secret
from workbench.ui.tools.server_form import ServerDialog, ServerMade, ServersDialog
from workbench.ui.widgets.choice import SecretField
from workbench.ui.widgets.code_view import CodeView

FILE = """{"mcpServers": {
  "github": {"command": "npx", "args": ["-y", "github"], "env": {"TOKEN": "${input:token}", "API_KEY": "k-123"}},
  "files": {"command": "uvx", "args": ["files", "/srv"], "alwaysAllow": ["read"]}
}}"""


def taken(dialog: ServerDialog, qtbot: QtBot) -> ServerMade:
    with qtbot.waitSignal(dialog.made) as heard:
        dialog.keep.click()
    (made,) = heard.args
    assert isinstance(made, ServerMade)
    return made


def test_a_program_with_a_secret_and_a_plain_value(qtbot: QtBot):
    dialog = ServerDialog(None, ("github",))
    qtbot.addWidget(dialog)
    dialog.keep.click()
    assert "it needs a name" in dialog.problem.text()
    dialog.name.setText("GitHub of mine")
    dialog.keep.click()
    assert "either a command or a url" in dialog.problem.text()
    dialog.command.setText("npx")
    dialog.args.setPlainText(f"-y\nserver-github\n--token\n{KEY}\n")
    row = dialog.env.add_pair("", "")
    assert isinstance(row.hidden, SecretField)
    assert row.secret.isChecked(), "hidden unless somebody says otherwise"
    row.name.setText("TOKEN")
    row.hidden.setText("t0ken-value")
    plain = dialog.env.add_pair("", "")
    plain.name.setText("MODE")
    plain.secret.click()
    plain.plain.setText("read")
    made = taken(dialog, qtbot)
    assert (made.server.name, made.server.command, made.before) == ("GitHub-of-mine", "npx", "")
    assert made.server.args == ("-y", "server-github", "--token", "${secret:GitHub-of-mine.token}")
    assert made.server.env == {"TOKEN": "${secret:GitHub-of-mine.TOKEN}", "MODE": "read"}
    values = {name: secret.reveal_text() for name, secret in made.secrets.items() if secret is not None}
    assert values == {"GitHub-of-mine.TOKEN": "t0ken-value", "GitHub-of-mine.token": KEY}


def test_what_is_kept_is_not_shown_and_stays_unless_it_is_typed_anew(qtbot: QtBot):
    dialog = ServerDialog(GITHUB)
    qtbot.addWidget(dialog)
    (row,) = dialog.env.rows
    assert (row.name.text(), row.hidden.text(), row.plain.text()) == ("TOKEN", "", "")
    made = taken(dialog, qtbot)
    assert (made.server, made.secrets, made.before) == (GITHUB, {}, "github")
    dialog = ServerDialog(GITHUB)
    qtbot.addWidget(dialog)
    dialog.env.rows[0].removed.emit()
    made = taken(dialog, qtbot)
    assert (dict(made.server.env), made.secrets) == ({}, {"github.TOKEN": None}), (
        "what is not needed is forgotten"
    )
    assert made.server.approved == GITHUB.approved


def test_an_address_with_a_header(qtbot: QtBot):
    dialog = ServerDialog()
    qtbot.addWidget(dialog)
    dialog.name.setText("there")
    dialog.kind.set_current("address")
    dialog.kind.chosen.emit("address")
    dialog.url.setText("http://there.example/mcp")
    dialog.keep.click()
    assert "https" in dialog.problem.text()
    dialog.url.setText("https://there.example/mcp")
    row = dialog.headers.add_pair("Authorization", "")
    row.secret.setChecked(True)
    row.hidden.setText("Bearer 123")
    made = taken(dialog, qtbot)
    assert made.server == McpServer(
        "there", url="https://there.example/mcp", headers={"Authorization": "${secret:there.Authorization}"}
    )
    secret = made.secrets["there.Authorization"]
    assert isinstance(secret, Secret)
    assert secret.reveal_text() == "Bearer 123"


LIST = """{"mcpServers": {
  "files": {"command": "npx", "args": ["-y", "server-files"], "env": {"API_KEY": "hunter2hunter2"}},
  "github": {"url": "https://api.example.com/mcp"}
}}"""


def test_the_json_of_another_program_can_be_pasted_in_place_of_the_form(qtbot: QtBot):
    """It had to be saved to a file first."""
    for paste in ("button", "field"):
        dialog = ServerDialog(None, ("github",))
        qtbot.addWidget(dialog)
        with qtbot.waitSignal(dialog.listed) as heard:
            QGuiApplication.clipboard().setText(LIST)
            if paste == "button":
                dialog.paste_json.click()
            else:
                dialog.name.paste()
        (found,) = heard.args
        assert isinstance(found, McpImport)
        assert [server.name for server in found.servers] == ["files", "github-2"], "none takes another's name"
        assert "hunter2hunter2" not in repr(found.servers)
        assert dialog.name.text() == "", "a key stays in no field"


def test_json_that_lists_no_servers_says_so_and_the_form_stays(qtbot: QtBot):
    dialog = ServerDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    QGuiApplication.clipboard().setText("{}")
    dialog.paste_json.click()
    assert dialog.isVisible()
    assert dialog.problem.text().startswith("This isn’t a list of servers: ")
    changed = ServerDialog(GITHUB)
    qtbot.addWidget(changed)
    assert changed.paste_json.isHidden()


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
