"""The tools of one chat: which of them its model is told of, and the folder they work in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QWidget

from workbench.domain.tool import ToolDefinition
from workbench.engine.state import ChatState, WorkbenchState
from workbench.ui.dialogs.settings_privacy import tool_line
from workbench.ui.given import Toolroom
from workbench.ui.look.space import columns, rows
from workbench.ui.offers import Offer, Offering
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.choice import Check
from workbench.ui.widgets.labels import ElidedLabel, label, set_text
from workbench.ui.widgets.plain import shown, tip
from workbench.ui.widgets.popup import Popup
from workbench.ui.wishes import Wishes

WIDTH = 340

Tools = tuple[ToolDefinition, ...]


class ToolsPopup(Popup):
    """A box for all tools, one for each of them, and the folder with a way to another one.

    Signals:
        chosen: the tools the chat has from now on. folder_wished: another folder is to be chosen.

    Attributes:
        offer: says what a choice of tools would do, so that its price can be shown.
    """

    chosen = Signal(object)
    folder_wished = Signal()

    def __init__(self, wishes: Wishes | None, parent: QWidget) -> None:
        super().__init__(parent, (12, 12, 12, 12))
        self.wishes = wishes or Wishes(self)
        self.setFixedWidth(WIDTH + 48)
        self._tools: tuple[ToolDefinition, ...] = ()
        self.all = Check(_tr("Tools in this chat"))
        self.all.clicked.connect(self._all_pressed)
        self.offer: Callable[[Tools], Offer | None] = lambda tools: None
        Offering(self.all, lambda: self.offer(() if self.all.isChecked() else self._tools), self.wishes.offer)
        self.note = label("", "small", "warn", wrap=True)
        self.body.addWidget(self.all)
        words = _tr("What changes a file waits for your click, every time.")
        self.body.addWidget(label(words, "small", "t3", wrap=True))
        self.body.addWidget(self.note)
        self.checks: dict[str, Check] = {}
        self._column = rows(self.body, (20, 6, 0, 6), 4)
        self.folder = ElidedLabel("", "small", "t2")
        change = button(_tr("Change…"), size="small")
        change.setAccessibleName(_tr("Change the workspace folder"))
        change.clicked.connect(self._change_folder)
        self.body.addWidget(label(_tr("Workspace: nothing outside of it is read or changed"), "small", "t3"))
        place = columns(self.body, (0, 4, 0, 0), 8)
        place.addWidget(self.folder, 1)
        place.addWidget(change, 0, Qt.AlignmentFlag.AlignVCenter)

    def show_state(self, state: WorkbenchState, chat: ChatState, room: Toolroom) -> None:
        """Show what the chat has, and where it works."""
        self._show_tools(room.tools)
        has = {tool.name for tool in chat.chat.settings.tools}
        for name, check in self.checks.items():
            check.setChecked(name in has)
        self.all.setChecked(bool(has))
        set_text(self.note, _note(state, chat.chat.settings.model))
        self.note.setVisible(bool(self.note.text()))
        self.folder.setText(shown(room.folder, 200))
        self.folder.setToolTip(tip(room.folder))
        self.folder.setAccessibleName(_tr("Workspace: {folder}").format(folder=shown(room.folder, 200)))

    def _show_tools(self, tools: Sequence[ToolDefinition]) -> None:
        if self._tools == tuple(tools):
            return
        self._tools = tuple(tools)
        for tool in tools:
            check = self.checks[tool.name] = Check(f"{tool.name}: {tool_line(tool)}")
            check.clicked.connect(self._one_pressed)
            Offering(check, partial(self._turned, tool.name), self.wishes.offer)
            self._column.addWidget(check)

    def _all_pressed(self, on: bool) -> None:
        for check in self.checks.values():
            check.setChecked(on)
        self.chosen.emit(self._tools if on else ())

    def _one_pressed(self) -> None:
        chosen = tuple(tool for tool in self._tools if self.checks[tool.name].isChecked())
        self.all.setChecked(bool(chosen))
        self.chosen.emit(chosen)

    def _turned(self, name: str) -> Offer | None:
        """What the press of one box would do."""
        on = {each for each, check in self.checks.items() if check.isChecked()} ^ {name}
        return self.offer(tuple(tool for tool in self._tools if tool.name in on))

    def _change_folder(self) -> None:
        self.close()
        self.folder_wished.emit()


def _note(state: WorkbenchState, model: str) -> str:
    """What keeps tools from being sent; empty where nothing does."""
    cards = [one.card for one in state.models or () if one.name == model and one.card is not None]
    if cards and not cards[0].tools:
        return _tr(
            "This model takes no tools: they are not sent to it. Choose another one, or say otherwise there."
        )
    return ""


def _tr(words: str) -> str:
    return QCoreApplication.translate("ToolsPopup", words)
