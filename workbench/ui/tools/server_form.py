"""The form of an MCP server, and the import of servers from another program's file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.domain.errors import InvalidInput
from workbench.domain.mcp_json import McpImport, protected, read_servers
from workbench.domain.mcp_server import McpServer, check_server, secret_place, secrets_in, server_name
from workbench.domain.secrets import Secret
from workbench.ui.formatting import counted
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.tools.review import command_text, text_box
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click, tool_button
from workbench.ui.widgets.choice import Check, Field, SecretField, TextField
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.segmented import Segmented
from workbench.ui.widgets.stack import scroll_area, transparent

WIDTH, HEIGHT = 620, 620
_HOLDS_SECRET = "${secret:"
IMPORT_WIDTH, IMPORT_HEIGHT = 680, 600


@dataclass(frozen=True, slots=True)
class ServerMade:
    """A server as the user wants it; `secrets` are to be stored encrypted, `before` is its earlier name."""

    server: McpServer
    secrets: Mapping[str, Secret | None]
    before: str = ""


class ServerDialog(Sheet):
    """The form of one server.

    Signals:
        made: a `ServerMade`. listed: the `McpImport` of JSON that was pasted into the form.
    """

    made = Signal(object)
    listed = Signal(object)

    def __init__(
        self, server: McpServer | None = None, taken: tuple[str, ...] = (), parent: QWidget | None = None
    ) -> None:
        title = (
            tr("Add an MCP server")
            if server is None
            else tr("Edit {name}").format(name=shown(server.name, 40))
        )
        super().__init__(title, WIDTH, HEIGHT, parent)
        self._before, self._taken = server, taken
        self.name = Field(tr("github"))
        self.kind = Segmented((("program", tr("Program on this computer")), ("address", tr("Address"))))
        self.command, self.args = Field(tr("npx")), TextField(tr("one argument a line"))
        self.args.setFixedHeight(84)
        self.url = Field(tr("https://mcp.example.com/mcp"))
        self.env, self.headers = Pairs(tr("NAME")), Pairs(tr("Authorization"))
        self.client_id = Field(tr("only where programs can’t register"))
        self.used = Check(tr("Used in this workspace"), checked=True)
        self.roots = Check(tr("May know the workspace’s folder"))
        self.sampling = Check(tr("May ask your model, each time with your consent"))
        self._build_layout()
        self._fill(server or McpServer(""))
        self.kind.chosen.connect(lambda _value: self._show_kind())
        self._show_kind()
        for field in (self.name, self.command, self.url):
            field.textChanged.connect(partial(self._on_text, field))

    def _on_text(self, field: Field, text: str) -> None:
        """Treat JSON pasted into a field as a list of servers; it is cleared, since it may contain keys."""
        if text.lstrip().startswith("{"):
            field.clear()
            self.paste(text)

    def paste(self, text: str) -> None:
        """Read a list of servers in other programs' JSON format, and emit it for review instead of this form."""
        try:
            found = read_servers(text, self._taken)
        except InvalidInput as problem:
            words = tr("This isn’t a list of servers: {why}. Nothing was saved yet.")
            set_text(self.problem, words.format(why=shown(str(problem), 300)))
            return
        self.reject()
        self.listed.emit(found)

    def _build_layout(self) -> None:
        content = transparent()
        column = rows(content, (0, 0, 8, 0), 12)
        self._lines: dict[str, QWidget] = {}
        self.paste_json = button(tr("Paste JSON"), "link", icon="clip", size="small")
        self.paste_json.setToolTip(tip(tr('Read servers from the clipboard, written as {"mcpServers": …}')))
        self.paste_json.setVisible(self._before is None)
        self.paste_json.clicked.connect(lambda: self.paste(QGuiApplication.clipboard().text()))
        fill(
            column,
            self._labelled("name", tr("Name"), self.name, tr("Prefix of its tool names.")),
            self.kind,
            self._labelled("command", tr("Command"), self.command),
            self._labelled("args", tr("Arguments"), self.args, tr("One per line, passed as is (no shell).")),
            self._labelled("url", tr("Address"), self.url, tr("A server of the kind “streamable HTTP”.")),
            self._labelled("env", tr("Environment"), self.env),
            self._labelled("headers", tr("Headers"), self.headers),
            self._labelled("client_id", tr("Client ID for signing in"), self.client_id),
            self.used,
            self.roots,
            self.sampling,
            STRETCH,
        )
        self.problem = label("", "small", "err", wrap=True)
        fill(self.body, (scroll_area(content, self.windowTitle()), 1), self.problem)
        cancel, self.keep = button(tr("Cancel")), button(tr("Save"), "primary")
        cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(self._finish)
        fill(self.foot, self.paste_json, STRETCH, cancel, self.keep)

    def _labelled(self, key: str, words: str, field: QWidget, line: str = "") -> QWidget:
        holder = self._lines[key] = QWidget()
        holder.setObjectName("transparent")
        place = fill(rows(holder, spacing=3), label(words, "ui_label"), field)
        if line:
            place.addWidget(label(line, "small", "t3", wrap=True))
        field.setAccessibleName(words)
        return holder

    def _fill(self, server: McpServer) -> None:
        self.name.setText(server.name)
        self.kind.set_current("address" if server.url else "program")
        self.command.setText(server.command)
        self.args.setPlainText("\n".join(server.args))
        self.url.setText(server.url)
        self.env.show_pairs(server.env)
        self.headers.show_pairs(server.headers)
        self.client_id.setText(server.client_id)
        self.roots.setChecked(server.roots)
        self.sampling.setChecked(server.sampling)
        self.used.setChecked(server.enabled)
        self.used.setVisible(bool(server.name))

    def _show_kind(self) -> None:
        here = self.kind.current() == "program"
        for key in ("command", "args", "env"):
            self._lines[key].setVisible(here)
        for key in ("url", "headers", "client_id"):
            self._lines[key].setVisible(not here)

    def _finish(self) -> None:
        try:
            made = self.value()
        except InvalidInput as problem:
            set_text(self.problem, tr("Nothing was kept yet: {why}.").format(why=problem.reason))
            return
        self.made.emit(made)
        self.accept()

    def value(self) -> ServerMade:
        """The server in the form; raises `InvalidInput` that says what is wrong."""
        before = self._before
        given = self.name.text().strip()
        name = given if before is not None and given == before.name else server_name(given, self._taken)
        here, secrets = self.kind.current() == "program", dict[str, Secret | None]()
        if not given:
            raise InvalidInput("name", tr("it needs a name"))
        server = replace(
            before or McpServer(name),
            name=name,
            command=self.command.text().strip() if here else "",
            args=tuple(line for line in self.args.toPlainText().splitlines() if line) if here else (),
            url="" if here else self.url.text().strip(),
            env=self.env.values(name, secrets) if here else {},
            headers={} if here else self.headers.values(name, secrets),
            enabled=self.used.isChecked(),
            roots=self.roots.isChecked(),
            sampling=self.sampling.isChecked(),
            client_id="" if here else self.client_id.text().strip(),
        )
        check_server(server)
        # A key among the arguments would be seen wherever the command line is.
        bare, found = protected(replace(server, env={}, headers={}))
        server, secrets = replace(server, args=bare.args), {**secrets, **found}
        if before is not None:
            still = set(secrets_in(server))
            secrets |= {one: None for one in secrets_in(before) if one not in still}
        return ServerMade(server, secrets, "" if before is None else before.name)


class Pairs(QWidget):
    """Names with values; secret values are typed hidden, stored encrypted, and never shown again."""

    def __init__(self, placeholder: str) -> None:
        super().__init__()
        self._placeholder = placeholder
        self.rows: list[PairRow] = []
        self._column = rows(self, spacing=4)
        self.add = on_click(button(tr("Add a value"), "link", icon="plus", size="small"), self._begin_pair)
        fill(columns(self._column), self.add, STRETCH)

    def show_pairs(self, pairs: Mapping[str, str]) -> None:
        for name, value in pairs.items():
            self.add_pair(name, value)

    def add_pair(self, name: str, value: str) -> PairRow:
        row = PairRow(self._placeholder, name, value)
        row.removed.connect(lambda: self._remove(row))
        self.rows.append(row)
        self._column.insertWidget(len(self.rows) - 1, row)
        return row

    def values(self, server: str, secrets: dict[str, Secret | None]) -> dict[str, str]:
        """The values for the server; secrets are replaced by placeholders and added to `secrets`."""
        found: dict[str, str] = {}
        for row in self.rows:
            name = row.name.text().strip()
            if not name:
                continue
            found[name] = row.written(server, name, secrets)
        return found

    def _begin_pair(self) -> None:
        self.add_pair("", "").name.setFocus()

    def _remove(self, row: PairRow) -> None:
        self.rows.remove(row)
        row.hide()
        row.deleteLater()
        self.add.setFocus()


class PairRow(QWidget):
    """A name, its value, and whether that is a secret.

    Signals:
        removed: the row is to be removed.
    """

    removed = Signal()

    def __init__(self, placeholder: str, name: str, value: str) -> None:
        super().__init__()
        self._kept = value if _HOLDS_SECRET in value else ""
        self.name = Field(placeholder)
        self.name.setText(name)
        self.name.setFixedWidth(170)
        self.name.setAccessibleName(tr("Name of the value"))
        self.secret = Check(tr("secret"), checked=bool(self._kept) or not name)
        self.hidden = SecretField(tr("kept; type to replace it") if self._kept else tr("value"))
        self.plain = Field(tr("value"))
        self.plain.setText("" if self._kept else value)
        remove = on_click(tool_button("x", tr("Remove this value"), side=24), self.removed)
        fill(columns(self, spacing=6), self.name, self.hidden, self.plain, self.secret, remove)
        self.secret.clicked.connect(self._show)
        self._show()

    def written(self, server: str, name: str, secrets: dict[str, Secret | None]) -> str:
        """The value for the server; a secret is added to `secrets`, and its placeholder returned."""
        if not self.secret.isChecked():
            return self.plain.text()
        typed = self.hidden.text()
        if not typed and self._kept:
            return self._kept
        place = f"{server}.{re.sub(r'[^A-Za-z0-9_.-]', '_', name)[:64]}"
        secrets[place] = Secret.of_text(typed)
        return secret_place(place)

    def _show(self) -> None:
        self.hidden.setVisible(self.secret.isChecked())
        self.plain.setVisible(not self.secret.isChecked())


class ServersDialog(Sheet):
    """Lists servers to import, each with its command line, a box that allows it, and fields for its secrets.

    Signals:
        made: a `ServerMade` for each server; those not allowed are disabled.
    """

    made = Signal(object)

    def __init__(self, found: McpImport, parent: QWidget | None = None) -> None:
        super().__init__(tr("Import MCP servers"), IMPORT_WIDTH, IMPORT_HEIGHT, parent)
        self._found = found
        words = tr(
            "All are saved; only those whose command line you allow are used. A program runs with "
            "your rights and can do anything you can."
        )
        self.body.addWidget(label(words, "small", "t2", wrap=True))
        self.allowed: dict[str, Check] = {}
        self.secrets: dict[str, SecretField] = {}
        content = transparent()
        column = rows(content, (0, 0, 8, 0), 14)
        for server in found.servers:
            column.addWidget(self._server_box(server))
        for note in found.notes:
            column.addWidget(label(shown(note, 400), "small", "t3", wrap=True))
        column.addStretch(1)
        self.body.addWidget(scroll_area(content, tr("Servers of the file")), 1)
        cancel = on_click(button(tr("Cancel")), self.reject)
        self.keep = button(
            counted(len(found.servers), tr("Import 1 server"), tr("Import {n} servers")), "primary"
        )
        self.keep.setEnabled(bool(found.servers))
        self.keep.clicked.connect(self._finish)
        fill(self.foot, STRETCH, cancel, self.keep)

    def _server_box(self, server: McpServer) -> QWidget:
        holder = transparent()
        place = rows(holder, spacing=4)
        name = shown(server.name, 40)
        place.addWidget(label(name, "ui_label"))
        place.addWidget(text_box(command_text(server), tr("Command line of {name}").format(name=name)))
        words = tr("Ask this address") if server.url else tr("Allow this command line")
        check = self.allowed[server.name] = Check(words)
        check.setAccessibleName(f"{words}: {name}")
        place.addWidget(check)
        for secret in secrets_in(server):
            if secret in self._found.asked:
                place.addWidget(self._secret_field(secret, self._found.asked[secret]))
        return holder

    def _secret_field(self, secret: str, about: str) -> QWidget:
        holder = transparent()
        across = columns(holder, (24, 0, 0, 0), 8)
        words = shown(secret, 80)
        field = self.secrets[secret] = SecretField(shown(about, 80) or tr("enter it now, or later"))
        field.setAccessibleName(tr("Secret {name}").format(name=words))
        fill(across, label(words, "small", "t2"), (field, 1))
        return holder

    def _finish(self) -> None:
        self.made.emit(tuple(self._servers_made()))
        self.accept()

    def _servers_made(self) -> Iterable[ServerMade]:
        typed = {name: field.text() for name, field in self.secrets.items() if field.text()}
        known: dict[str, Secret] = {**self._found.secrets, **{k: Secret.of_text(v) for k, v in typed.items()}}
        for server in self._found.servers:
            secrets = {name: known[name] for name in secrets_in(server) if name in known}
            yield ServerMade(replace(server, enabled=self.allowed[server.name].isChecked()), secrets)
