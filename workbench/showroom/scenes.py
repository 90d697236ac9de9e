"""The scenes: what state each shows, and what is opened over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from workbench.domain.mcp_server import BETWEEN
from workbench.domain.shown.envelope_view import RowKey
from workbench.domain.shown.parts_view import PartRow
from workbench.showroom.script import INSTRUCTIONS, Moment
from workbench.sources.resources import guide_picture, shipped_guide
from workbench.ui.commands import bind, specs
from workbench.ui.inspector.compare.page import ComparePage
from workbench.ui.memory import WindowMemory
from workbench.ui.translation import tr
from workbench.ui.widgets.warm_clock import SECOND_MS
from workbench.ui.window.main_window import MainWindow

Theme = Literal["light", "dark"]


class Stage:
    """The real window, without an engine.

    Attributes:
        window: what is photographed. moment: what it shows. over: dialogs that lie over it.
    """

    def __init__(self, size: QSize, moment: Moment) -> None:
        self.window = MainWindow(WindowMemory(None))
        self.window.resize(size)
        self.window.show()
        self.moment = moment
        now = round(datetime.fromisoformat(moment.now_utc).timestamp() * SECOND_MS)
        # What is warm in the script is warm in its picture.
        self.window.inspector.block.figures.warm.clock.now_ms = lambda: now
        self.over: list[QWidget] = []
        self.show()

    def show(self) -> None:
        self.window.show_state(self.moment.state, self.moment.chat, self.moment.now_utc)

    def select_heaviest(self) -> None:
        """Select the row of this turn's material that takes the most room, if there is one."""
        view = self.moment.state.open[self.moment.chat].shown
        layers = () if view is None else view.layers
        rows = [row for layer in layers if layer.name == "L3_TURN" for row in layer.rows if row.counted]
        if rows:
            key: RowKey = max(rows, key=lambda row: row.tokens).key
            self.window.select(key)

    def open(self, dialog: QWidget) -> None:
        """Put a dialog over the window."""
        self.over.append(dialog)
        dialog.show()

    def part(self, name: str) -> QWidget:
        """A part of the window, by the name that `--part` knows it by."""
        window = self.window
        parts: dict[str, QWidget] = {
            "inspector": window.inspector,
            "bar": window.inspector.block,
            "drop-order": window.inspector.layers.drop_fold,
            "chat": window.chat,
            "composer": window.chat.composer,
            "chats": window.left.chats,
            "attachments": window.left.attachments,
            "page": window.page,
        }
        return parts[name]

    def close(self) -> None:
        """Close the window and its dialogs."""
        for dialog in self.over:
            dialog.close()
            dialog.deleteLater()
        self.window.let_go()
        self.window.deleteLater()


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture: of which moment of the script it is, what is opened, and in which theme."""

    moment: str
    play: Callable[[Stage], None]
    theme: Theme = "light"


def _main(stage: Stage) -> None:
    stage.select_heaviest()


def _inspector(stage: Stage) -> None:
    stage.select_heaviest()
    stage.window.inspector.show_page("payload")


def _diff(stage: Stage) -> None:
    stage.window.inspector.show_page("diff")


def _history(stage: Stage) -> None:
    stage.window.inspector.show_page("history")


def _compare(stage: Stage) -> None:
    stage.window.columns.show_right()
    stage.window.inspector.show_page("compare")
    page = stage.window.inspector.pages.page("compare")
    if isinstance(page, ComparePage):
        page.view.choose(1)


def _influence(stage: Stage) -> None:
    """The piece that carried most is chosen, so that its words are marked in the answer."""
    stage.window.inspector.show_page("layers")
    stage.select_heaviest()


def _facts(stage: Stage) -> None:
    """The marks are shown, a number with its place, and below it what the request doesn't have."""
    chat = stage.moment.state.open[stage.moment.chat]
    message, found = next(iter(chat.facts.items()))
    number = max(
        (at for at, fact in enumerate(found.facts) if fact.kind == "number" and fact.where), default=0
    )
    stage.window.inspector.show_page("layers")
    stage.window.chat.transcript.to_message(message)
    stage.window.chat.transcript.facts.open(message, number)
    place = found.facts[number].where[0]
    stage.window.select(RowKey(place.layer, place.key))


def _attachments(stage: Stage) -> None:
    rows = stage.moment.state.open[stage.moment.chat].attachments
    changed = [row.key for row in rows if row.disk in ("changed", "renewed")] or [row.key for row in rows]
    stage.window.left.attachments.open_preview(changed[0])
    preview = stage.window.left.attachments.preview()
    if preview is not None:
        stage.over.append(preview)


def _settings(stage: Stage) -> None:
    from workbench.ui.dialogs.settings_dialog import HEIGHT, WIDTH, SettingsDialog

    stage.select_heaviest()
    dialog = SettingsDialog(WindowMemory(None), "~/.local/share/context-workbench", parent=stage.window)
    dialog.show_state(stage.moment.state)
    stage.open(dialog)
    dialog.resize(WIDTH + 48, HEIGHT + 48)


def _first_run(stage: Stage) -> None:
    stage.window.welcome(tr("Opens with the system keyring"))
    stage.show()


def _palette(stage: Stage) -> None:
    from workbench.ui.dialogs.palette import Palette

    stage.select_heaviest()
    palette = Palette(stage.window)
    palette.open_with(bind(specs(), lambda _name: None, lambda _name: True), stage.moment.state)
    palette.field.setText("tu")


def _folder(stage: Stage) -> None:
    from workbench.ui.dialogs.folder.dialog import HEIGHT, WIDTH, FolderDialog

    state = stage.moment.state
    chat, seen = state.open[stage.moment.chat], state.folder
    dialog = FolderDialog(parent=stage.window)
    dialog.look_through("" if seen is None else seen.path, chat.chat.id, called="~/code/token-client")
    dialog.show_state(state, chat)
    stage.open(dialog)
    dialog.resize(WIDTH + 48, HEIGHT + 48)


def _sections(stage: Stage) -> None:
    sheet = stage.window.inspector.sections
    chosen = [place for place, row in enumerate(_parts(stage)) if row.chosen]
    if chosen:
        sheet.outline.go_to(chosen[-1])


def _workspace(stage: Stage) -> None:
    tools = stage.moment.state.open[stage.moment.chat].chat.settings.tools
    stage.window.page.reach.runs = False
    stage.window.page.tools_there = lambda: tools
    stage.show()


def _tools(stage: Stage) -> None:
    from workbench.ui.given import Toolroom
    from workbench.ui.tools.dialog import HEIGHT, WIDTH, ToolsDialog

    state = stage.moment.state
    chat = state.open[stage.moment.chat]
    own = tuple(tool for tool in chat.chat.settings.tools if BETWEEN not in tool.name)
    dialog = ToolsDialog(parent=stage.window)
    dialog.show_state(state, chat, Toolroom("~/code/token-client", own))
    dialog.groups.fold("")
    stage.open(dialog)
    dialog.resize(WIDTH + 48, HEIGHT + 48)


def _instructions(stage: Stage) -> None:
    layers = stage.window.inspector.layers
    layers.edit(RowKey("L1_SYSTEM", "persona"))
    layers.editor.own.text.setPlainText(INSTRUCTIONS)
    stage.show()


def _prompts(stage: Stage) -> None:
    from workbench.ui.dialogs.prompts import HEIGHT, WIDTH, PromptsDialog

    state = stage.moment.state
    chat = state.open[stage.moment.chat]
    dialog = PromptsDialog(parent=stage.window)
    values = {} if chat.view is None else chat.view.values
    dialog.show_state(state, chat.chat.filed.workspace, values)
    stage.open(dialog)
    dialog.resize(WIDTH + 48, HEIGHT + 48)


def _recall(stage: Stage) -> None:
    chat = stage.moment.state.open[stage.moment.chat]
    if chat.why is not None:
        stage.window.select(RowKey("L3_TURN", chat.why.id))
        stage.window.chat.transcript.select(RowKey("L3_TURN", chat.why.id))
        stage.window.chat.transcript.show_message(chat.why.id)
    stage.show()


def _explain(stage: Stage) -> None:
    from workbench.ui.window.explaining import Explaining

    stage.select_heaviest()
    Explaining(stage.window, lambda: stage.moment.state.open[stage.moment.chat]).toggle()


def _guide(stage: Stage) -> None:
    from workbench.ui.dialogs.guide import HEIGHT, WIDTH, GuideDialog
    from workbench.ui.dialogs.shortcut_list import ShortcutList

    dialog = GuideDialog(
        shipped_guide(), guide_picture, lambda: ShortcutList(specs(), {}), parent=stage.window
    )
    dialog.show_page("budget")
    stage.open(dialog)
    dialog.resize(WIDTH + 48, HEIGHT + 48)


def _watch(stage: Stage) -> None:
    stage.window.inspector.show_page("layers")


def _spend(stage: Stage) -> None:
    stage.window.show_money(True)
    stage.show()


def _parts(stage: Stage) -> tuple[PartRow, ...]:
    seen = stage.moment.state.open[stage.moment.chat].parts
    return () if seen is None else seen.rows


SCENES: Mapping[str, Scene] = {
    "main": Scene("greeting", _main),
    "inspector": Scene("waiting", _inspector),
    "diff": Scene("written", _diff),
    "attachments": Scene("waiting", _attachments),
    "settings": Scene("tried", _settings),
    "first-run": Scene("sample", _first_run),
    "over-limit": Scene("over", _main),
    "dark": Scene("arriving", _main, "dark"),
    "history": Scene("looked back", _history),
    "cache": Scene("compared", _history),
    "compare": Scene("varied", _compare),
    "influence": Scene("carried", _influence),
    "facts": Scene("checked", _facts),
    "palette": Scene("tried", _palette),
    "folder": Scene("adding", _folder),
    "sections": Scene("choosing", _sections),
    "workspace": Scene("placed", _workspace),
    "tools": Scene("served", _tools),
    "instructions": Scene("instructing", _instructions),
    "prompts": Scene("instructing", _prompts),
    "recall": Scene("recalled", _recall),
    "explain": Scene("greeting", _explain),
    "guide": Scene("greeting", _guide),
    "watch": Scene("watched", _watch),
    "spend": Scene("spent", _spend),
}
