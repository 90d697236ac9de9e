"""What a workspace's folder suggests: a line that says so, and a dialog to review it before any of it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.domain.folder_offer import FolderOffer, describe
from workbench.domain.mcp_server import McpServer
from workbench.domain.reading.form import form_of
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import harmless
from workbench.domain.workspace import Workspace
from workbench.engine.workspace_intents import AnswerOffer
from workbench.engine.workspaces.kept_workspaces import OFFER_FILE, digests
from workbench.ui.look.space import STRETCH, columns, fill, rows
from workbench.ui.tools.review import command_text, diff_card, text_box
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button, on_click
from workbench.ui.widgets.card import Card, LeadingIcon
from workbench.ui.widgets.choice import Check
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import ElidedLabel, label
from workbench.ui.widgets.plain import shown
from workbench.ui.widgets.stack import scroll_area, transparent

WIDTH, HEIGHT = 740, 620


class OfferCard(Card):
    """A line about what the folder suggests, with two answers; hidden without a suggestion.

    Signals:
        look_wished: the workspace whose suggestion is to be reviewed.
        answered: the `AnswerOffer` that declines it.
    """

    look_wished = Signal(str)
    answered = Signal(object)
    leading = LeadingIcon("folder", "info")

    def __init__(self) -> None:
        super().__init__("info", "surface", dashed=True)
        self._workspace, self._offer = "", FolderOffer()
        self.words = ElidedLabel("", "ui", "t1")
        self.look = button(tr("Look at it…"), size="small")
        self.later = on_click(button(tr("Not now"), "ghost", size="small"), self._refuse)
        self.look.clicked.connect(lambda: self.look_wished.emit(self._workspace))
        fill(columns(self, (38, 6, 8, 6), 8), (self.words, 1), self.look, self.later)
        self.hide()

    def show_offer(self, workspace: str, offer: FolderOffer | None, problem: str = "") -> None:
        self._workspace, self._offer = workspace, offer or FolderOffer()
        self.words.setText(offer_words(offer) if offer is not None else shown(problem, 400))
        self.words.setAccessibleName(self.words.text())
        self.look.setVisible(offer is not None)
        self.later.setVisible(offer is not None)
        self.setVisible(offer is not None or bool(problem))

    def _refuse(self) -> None:
        self.answered.emit(AnswerOffer(self._workspace, tuple(digests(self._offer).items()), accepted=False))


class OfferDialog(Sheet):
    """Compares what a folder suggests with what is used now; each command line must be allowed on its own.

    Signals:
        answered: the user's `AnswerOffer`.
    """

    answered = Signal(object)

    def __init__(
        self,
        workspace: Workspace,
        offer: FolderOffer,
        settings: ContextSettings | None,
        parent: QWidget | None = None,
    ) -> None:
        name = shown(workspace.name, 60)
        super().__init__(tr("Suggested by the folder of {name}").format(name=name), WIDTH, HEIGHT, parent)
        self._workspace, self._offer = workspace.id, offer
        words = tr(
            "These come from the folder’s author. Nothing is used until you accept it, and a changed "
            "file needs your approval again. They never change what tools may do."
        )
        self.body.addWidget(label(words, "small", "t2", wrap=True))
        self.servers: dict[str, Check] = {}
        content = transparent()
        column = rows(content, (0, 0, 8, 0), 14)
        for file, before, after in offered_texts(workspace, offer, settings):
            place = rows(column, spacing=4)
            fill(place, label(shown(file, 120), "ui_label"), diff_card(harmless(before), harmless(after)))
        for server in offer.servers:
            self._add_server(column, server, offer.asked)
        for note in offer.notes:
            column.addWidget(label(shown(note, 400), "small", "t3", wrap=True))
        column.addStretch(1)
        self.body.addWidget(scroll_area(content, tr("What would change")), 1)
        self.later, self.accept_it = button(tr("Not now")), button(tr("Accept"), "primary")
        self.later.clicked.connect(lambda: self._answer(False))
        self.accept_it.clicked.connect(lambda: self._answer(True))
        fill(self.foot, STRETCH, self.later, self.accept_it)

    def _add_server(self, column: QVBoxLayout, server: McpServer, asked: Mapping[str, str]) -> None:
        name = shown(server.name, 40)
        place = rows(column, spacing=4)
        place.addWidget(label(tr("MCP server {name}").format(name=name), "ui_label"))
        place.addWidget(text_box(command_text(server), tr("Command line of {name}").format(name=name)))
        words = tr("Ask this address") if server.url else tr("Allow this command line")
        check = self.servers[server.name] = Check(words)
        check.setAccessibleName(f"{words}: {name}")
        place.addWidget(check)
        needed = [one for one in asked if one.startswith(f"{server.name}.")]
        if needed:
            told = tr("It needs {names}. Enter that under Tools, where the server is edited.")
            names = shown(", ".join(needed), 200)
            place.addWidget(label(told.format(names=names), "small", "t3", wrap=True))

    def _answer(self, accepted: bool) -> None:
        allowed = tuple(name for name, check in self.servers.items() if check.isChecked())
        files = tuple(digests(self._offer).items())
        chosen = (allowed, self._offer.files) if accepted else ((), ())
        self.answered.emit(AnswerOffer(self._workspace, files, accepted, *chosen))
        self.accept()


def offer_words(offer: FolderOffer) -> str:
    """What the folder suggests, in one line."""
    parts = [shown(file.path, 60) for file in offer.found]
    if offer.instructions:
        parts.append(tr("instructions"))
    counted = (
        (len(offer.files), tr("1 file for every chat"), tr("{n} files for every chat")),
        (len(offer.settings) + bool(offer.model), tr("1 setting"), tr("{n} settings")),
        (len(offer.servers), tr("1 MCP server"), tr("{n} MCP servers")),
    )
    parts += [one if n == 1 else many.format(n=n) for n, one, many in counted if n]
    return tr("The folder offers {what}").format(what=", ".join(parts) or tr("a file"))


def offered_texts(
    workspace: Workspace, offer: FolderOffer, settings: ContextSettings | None
) -> Iterator[tuple[str, str, str]]:
    """For each file of the folder: its name, the text used in its place now, and the text it suggests."""
    if offer.digest:
        own = replace(offer, name="", found=(), notes=())
        yield OFFER_FILE, describe(_current_values(workspace, own, settings)), describe(own)
    kept = {one.file: one.text for one in workspace.accepted}
    for file in offer.found:
        yield file.path, kept.get(file.path, ""), file.text


def _current_values(
    workspace: Workspace, offer: FolderOffer, settings: ContextSettings | None
) -> FolderOffer:
    told = bool(offer.instructions and workspace.instructions)
    names = {server.name for server in offer.servers}
    written = {} if settings is None else form_of(ContextSettings).write(settings)
    return FolderOffer(
        instructions=workspace.instructions if told else "",
        instructions_mode=workspace.joining if told and offer.instructions_mode else "",
        model=settings.model if settings is not None and offer.model else "",
        settings=_same_keys(written, offer.settings),
        servers=tuple(server for server in workspace.servers if server.name in names),
    )


def _same_keys(values: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The part of `values` that has the same keys as `wanted`, nested tables included."""
    found: dict[str, Any] = {}
    for name, value in wanted.items():
        if isinstance(value, Mapping):
            inner = values.get(name)
            found[name] = _same_keys(inner if isinstance(inner, Mapping) else {}, value)
        elif name in values:
            found[name] = values[name]
    return found
