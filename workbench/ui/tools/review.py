"""Dialogs to review what a server brings before it is used: its tools' descriptions, and its command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from textwrap import TextWrapper

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.domain.mcp_server import McpServer, McpTool, approved_tool
from workbench.domain.text import harmless
from workbench.ui.look.space import STRETCH, fill, rows
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.card import Card
from workbench.ui.widgets.choice import Check
from workbench.ui.widgets.code_view import CodeView, DiffText, unified_lines
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import scroll_area, transparent

WIDTH, HEIGHT = 720, 600
MOST_LINES = 14
LINE_CHARS = 76


class ReviewDialog(Sheet):
    """Shows each tool in full, or how it differs from what was reviewed before; the ticked ones are used.

    Signals:
        allowed: names of the approved tools, as the server calls them.
    """

    allowed = Signal(object)

    def __init__(self, server: McpServer, tools: Sequence[McpTool], parent: QWidget | None = None) -> None:
        super().__init__(tr("Tools of {name}").format(name=shown(server.name, 40)), WIDTH, HEIGHT, parent)
        words = tr(
            "These descriptions are sent to the model. A server can write anything here: look for "
            "words that give the model other orders."
        )
        self.body.addWidget(label(words, "small", "t2", wrap=True))
        self.checks: dict[str, Check] = {}
        content = transparent()
        column = rows(content, (0, 0, 8, 0), 12)
        for tool in tools:
            self._add(column, server, tool)
        column.addStretch(1)
        self.body.addWidget(scroll_area(content, tr("Sent to the model")), 1)
        later, self.use = button(tr("Not now")), button("", "primary")
        later.clicked.connect(self.reject)
        self.use.clicked.connect(self._allow)
        fill(self.foot, STRETCH, later, self.use)
        self._update_button()

    def _add(self, column: QVBoxLayout, server: McpServer, tool: McpTool) -> None:
        before = approved_tool(server, tool.name)
        place = rows(column, spacing=4)
        check = self.checks[tool.name] = Check(shown(tool.name, 80), checked=before is None)
        check.clicked.connect(self._update_button)
        place.addWidget(check)
        if before is None:
            place.addWidget(text_box(harmless(tool.text), tr("Sent to the model")))
        else:
            place.addWidget(label(tr("Its description when you reviewed it:"), "small", "warn"))
            place.addWidget(diff_card(harmless(before.text), harmless(tool.text)))

    def _update_button(self) -> None:
        n = sum(check.isChecked() for check in self.checks.values())
        self.use.setText(tr("Use 1 tool") if n == 1 else tr("Use {n} tools").format(n=n))
        self.use.setEnabled(n > 0)

    def _allow(self) -> None:
        self.allowed.emit(tuple(name for name, check in self.checks.items() if check.isChecked()))
        self.accept()


class StartDialog(Sheet):
    """Shows the exact command line or address of a server before it is used for the first time.

    Signals:
        allowed: the server may be used.
    """

    allowed = Signal()

    def __init__(self, server: McpServer, parent: QWidget | None = None) -> None:
        super().__init__(tr("Use {name}?").format(name=shown(server.name, 40)), 600, parent=parent)
        words = (
            tr("Its tools run at this address, which receives what the model sends them.")
            if server.url
            else tr(
                "This program runs on this computer with your rights. It can do anything you can, so "
                "allow only programs you know. Its arguments, one per line:"
            )
        )
        self.line = text_box(command_text(server), tr("Command line"))
        fill(self.body, label(words, "ui", "t1", wrap=True), self.line, STRETCH)
        cancel, self.allow = button(tr("Cancel")), button(tr("Allow this server"), "primary")
        cancel.clicked.connect(self.reject)
        self.allow.clicked.connect(self._allow)
        fill(self.foot, STRETCH, cancel, self.allow)

    def _allow(self) -> None:
        self.allowed.emit()
        self.accept()


def command_text(server: McpServer) -> str:
    """The whole command line or address of a server, with its environment and headers; secrets by name only."""
    first = [server.url] if server.url else [_quoted(server.command), *map(_quoted, server.args)]
    more = [f"{name} = {_quoted(value)}" for name, value in (*server.env.items(), *server.headers.items())]
    if server.cwd:
        more.insert(0, tr("in {folder}").format(folder=_quoted(server.cwd)))
    return harmless("\n".join([" ".join(first), *more]))


def text_box(text: str, name: str) -> Card:
    """A box with a foreign text that wraps and scrolls, so that all of it can be read."""
    made = CodeView(text, wrap=True)
    made.setAccessibleName(name)
    made.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    lines = _with_short_lines(text).count("\n") + 1
    made.setFixedHeight(made.fontMetrics().lineSpacing() * max(1, min(lines, MOST_LINES)) + 12)
    made.setTabChangesFocus(True)
    card = Card(ground="sunken")
    rows(card, (12, 8, 8, 6)).addWidget(made)
    return card


def diff_card(before: str, after: str) -> Card:
    """A diff of two texts; long lines are broken between words first, since the diff would cut them off."""
    card = Card()
    card.add_row(DiffText(unified_lines(_with_short_lines(before), _with_short_lines(after))))
    return card


def _with_short_lines(text: str) -> str:
    whole = TextWrapper(LINE_CHARS, expand_tabs=False, replace_whitespace=False, drop_whitespace=False)
    return "\n".join(piece for line in text.splitlines() for piece in whole.wrap(line) or [""])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
