"""The dialog of what MCP servers offer besides tools: resources to attach, and prompts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from workbench.domain.mcp_server import McpPrompt, McpResource
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui import formatting
from workbench.ui.look.space import STRETCH, fill, rows
from workbench.ui.tools.values import workspace_of
from workbench.ui.translation import tr
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import Field
from workbench.ui.widgets.floating import Sheet
from workbench.ui.widgets.labels import label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.stack import transparent

WIDTH, HEIGHT, ROW = 640, 560, 30
_GIVEN = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Given:
    """A resource or prompt of a server."""

    server: str
    what: McpResource | McpPrompt

    @property
    def words(self) -> str:
        return f"{self.what.name or getattr(self.what, 'uri', '')} · {self.server}"

    @property
    def text(self) -> str:
        return f"{self.words} {getattr(self.what, 'uri', '')} {self.what.description}"


def given_by_servers(state: WorkbenchState, chat: ChatState) -> tuple[Given, ...]:
    """The resources, then the prompts of the connected servers of a chat's workspace."""
    place = workspace_of(state, chat.chat)
    listings = (
        []
        if place is None
        else [state.servers.get((place.id, one.name)) for one in place.servers if one.enabled]
    )
    there = [one for one in listings if one is not None and one.state == "connected"]
    resources = [Given(one.server, resource) for one in there for resource in one.resources]
    return (*resources, *(Given(one.server, prompt) for one in there for prompt in one.prompts))


class FromServersDialog(Sheet):
    """A list with a search; Enter attaches a resource, or inserts a prompt.

    Signals:
        attach_wished: server, address and title of a resource.
        prompt_wished: server, name of a prompt, and the values of its arguments.
    """

    attach_wished = Signal(str, str, str)
    prompt_wished = Signal(str, str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("From a server"), WIDTH, HEIGHT, parent)
        self._given: tuple[Given, ...] | None = None
        self.search = Field(tr("Search"), "search")
        self.search.textChanged.connect(lambda _text: self._fill_list())
        self.search.returnPressed.connect(self._use)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("What servers give"))
        self.list.currentItemChanged.connect(lambda _new, _old: self._show())
        self.list.itemActivated.connect(lambda _item: self._use())
        self.about = label("", "small", "t2", wrap=True)
        self.fields: dict[str, Field] = {}
        fill(self.body, self.search, (self.list, 1), self.about)
        self._questions = rows(self.body, spacing=6)
        close, self.use = button(tr("Close")), button(tr("Attach"), "primary")
        close.clicked.connect(self.reject)
        self.use.clicked.connect(self._use)
        fill(self.foot, STRETCH, close, self.use)

    def show_given(self, given: Sequence[Given], waiting: bool = False) -> None:
        """Show what servers offer; `waiting` while one is still starting."""
        if tuple(given) == self._given and given:
            return
        self._given = tuple(given)
        self._fill_list()
        if not given:
            nothing = tr("No server here offers anything to attach, or prompts.")
            set_text(self.about, tr("Servers are starting…") if waiting else nothing)

    def say(self, words: str) -> None:
        """Show a message in the dialog, which covers the window's own place for messages."""
        set_text(self.about, shown(words, 400))

    def chosen(self) -> Given | None:
        item: QListWidgetItem | None = self.list.currentItem()
        found = None if item is None else item.data(_GIVEN)
        return found if isinstance(found, Given) else None

    def _fill_list(self) -> None:
        words, before = self.search.text().casefold().split(), self.chosen()
        with QSignalBlocker(self.list):
            self.list.clear()
            for one in self._given or ():
                if all(word in one.text.casefold() for word in words):
                    self._add(one)
        places = range(self.list.count())
        self.list.setCurrentRow(
            next((place for place in places if self.list.item(place).data(_GIVEN) == before), 0)
        )
        self._show()

    def _add(self, one: Given) -> None:
        prompt = isinstance(one.what, McpPrompt)
        item = QListWidgetItem(f"{tr('Prompt: ') if prompt else ''}{shown(one.words, 160)}")
        item.setData(_GIVEN, one)
        item.setSizeHint(QSize(0, ROW))
        item.setToolTip(tip(one.text))
        self.list.addItem(item)

    def _show(self) -> None:
        one = self.chosen()
        for field in self.fields.values():
            field.parentWidget().hide()
            field.parentWidget().deleteLater()
        self.fields = {}
        self.use.setEnabled(one is not None)
        if one is None:
            set_text(self.about, "")
            return
        if isinstance(one.what, McpResource):
            size = "" if one.what.size is None else formatting.size(one.what.size)
            parts = [shown(one.what.uri, 200), one.what.mime, size, shown(one.what.description, 400)]
            self.use.setText(tr("Attach"))
        else:
            parts = [shown(one.what.description, 400)]
            self.use.setText(tr("Write it"))
            for argument in one.what.arguments:
                self._add_argument(argument.name, argument.description, argument.required)
        set_text(self.about, " · ".join(filter(None, parts)))

    def _add_argument(self, name: str, about: str, required: bool) -> None:
        holder = transparent()
        place = rows(holder, spacing=2)
        words = shown(name, 60) if required else tr("{name} (may stay empty)").format(name=shown(name, 60))
        field = self.fields[name] = Field(shown(about, 120))
        field.setAccessibleName(words)
        fill(place, label(words, "small", "t2"), field)
        self._questions.addWidget(holder)

    def _use(self) -> None:
        one = self.chosen()
        if one is None:
            return
        if isinstance(one.what, McpResource):
            self.attach_wished.emit(one.server, one.what.uri, one.what.name)
            self.say(tr("{name} is being attached.").format(name=shown(one.words, 120)))
            return
        missing = [
            a.name for a in one.what.arguments if a.required and not self.fields[a.name].text().strip()
        ]
        if missing:
            self.fields[missing[0]].setFocus()
            self.say(tr("It needs {name} first.").format(name=shown(missing[0], 60)))
            return
        typed = {name: field.text() for name, field in self.fields.items() if field.text().strip()}
        self.prompt_wished.emit(one.server, one.what.name, typed)
        self.accept()
