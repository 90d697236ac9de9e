"""Servers from a file that another program keeps: each command line is looked at and allowed by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from workbench.domain.keys.secret import Secret
from workbench.domain.mcp.json_form import McpImport
from workbench.domain.mcp.secrets import secrets_in
from workbench.domain.mcp.server import McpServer
from workbench.ui.formatting import counted
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.tools.review import command_text, text_box
from workbench.ui.tools.server_form import ServerMade
from workbench.ui.translation import translator
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.choice import Check, SecretField
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.popup import Sheet
from workbench.ui.widgets.scroll_area import scroll_area, transparent

_tr = translator("ToolServer")

WIDTH, HEIGHT = 680, 600


class ServersDialog(Sheet):
    """Each server with its command line, a box that allows it, and fields for the secrets it needs.

    Signals:
        made: the `ServerMade` of all servers; those that were not allowed are switched off.
    """

    made = Signal(object)

    def __init__(self, found: McpImport, parent: QWidget | None = None) -> None:
        super().__init__(_tr("Import MCP servers"), WIDTH, HEIGHT, parent)
        self._found = found
        words = _tr(
            "All of them are kept; only those whose command line you allow are used. A program runs as you, and can do "
            "whatever you can."
        )
        self.body.addWidget(label(words, "small", "t2", wrap=True))
        self.allowed: dict[str, Check] = {}
        self.secrets: dict[str, SecretField] = {}
        content = transparent()
        column = rows(content, (0, 0, 8, 0), 14)
        for server in found.servers:
            column.addWidget(self._server(server))
        for note in found.notes:
            column.addWidget(label(shown(note, 400), "small", "t3", wrap=True))
        column.addStretch(1)
        self.body.addWidget(scroll_area(content, _tr("Servers of the file")), 1)
        cancel = on_click(button(_tr("Cancel")), self.reject)
        self.keep = button(
            counted(len(found.servers), _tr("Import 1 server"), _tr("Import {n} servers")), "primary"
        )
        self.keep.setEnabled(bool(found.servers))
        self.keep.clicked.connect(self._take)
        fill(self.foot, STRETCH, cancel, self.keep)

    def _server(self, server: McpServer) -> QWidget:
        holder = transparent()
        place = rows(holder, spacing=4)
        name = shown(server.name, 40)
        place.addWidget(label(name, "ui_label"))
        place.addWidget(text_box(command_text(server), _tr("Command line of {name}").format(name=name)))
        words = _tr("Ask this address") if server.url else _tr("Allow this command line")
        check = self.allowed[server.name] = Check(words)
        check.setAccessibleName(f"{words}: {name}")
        place.addWidget(check)
        for secret in secrets_in(server):
            if secret in self._found.asked:
                place.addWidget(self._question(secret, self._found.asked[secret]))
        return holder

    def _question(self, secret: str, about: str) -> QWidget:
        holder = transparent()
        across = columns(holder, (24, 0, 0, 0), 8)
        words = shown(secret, 80)
        field = self.secrets[secret] = SecretField(shown(about, 80) or _tr("enter it now, or later"))
        field.setAccessibleName(_tr("Secret {name}").format(name=words))
        fill(across, label(words, "small", "t2"), (field, 1))
        return holder

    def _take(self) -> None:
        self.made.emit(tuple(self._made()))
        self.accept()

    def _made(self) -> Iterable[ServerMade]:
        typed = {name: field.text() for name, field in self.secrets.items() if field.text()}
        known: dict[str, Secret] = {**self._found.secrets, **{k: Secret.of_text(v) for k, v in typed.items()}}
        for server in self._found.servers:
            secrets = {name: known[name] for name in secrets_in(server) if name in known}
            yield ServerMade(replace(server, enabled=self.allowed[server.name].isChecked()), secrets)
