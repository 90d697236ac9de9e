"""Which tools the chats of a workspace have, built in and of its servers, and what these may do unasked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal

from workbench.domain.tool import ToolDefinition
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import CountTools
from workbench.ui.look.space import columns, fill
from workbench.ui.tools.groups import ToolGroups
from workbench.ui.tools.values import GroupValue, definitions, tool_groups, tools_after, workspace_of
from workbench.ui.widgets.buttons import button
from workbench.ui.widgets.labels import ElidedLabel, set_text
from workbench.ui.wishes import ServerAct, Wishes
from workbench.ui.workspace.rows import Section


class ToolsSection(Section):
    """The tools that there are; what is pressed is told, and whoever knows how does it.

    Signals:
        chosen: the tools that new chats shall have, as definitions.
    """

    chosen = Signal(object)

    def __init__(self, wishes: Wishes) -> None:
        super().__init__("", "")
        self.wishes = wishes
        self.title.setText(self.tr("Tools"))
        self.action.setText(self.tr("Add an MCP server"))
        self.action.setAccessibleName(self.tr("Add an MCP server"))
        self.action.show()
        self.groups = ToolGroups(unfolded=False)
        self.down.addWidget(self.groups)
        self.rules = ElidedLabel("", "small", "t3")
        self.change = button(self.tr("What tools may do…"), "link", size="small")
        fill(columns(self.down), (self.rules, 1), self.change)
        self._values: tuple[GroupValue, ...] = ()
        self._held: tuple[ToolDefinition, ...] = ()
        self._counted: tuple[object, ...] = ()
        self.wanted.connect(lambda: wishes.run(ServerAct("add", "")))
        self.change.clicked.connect(lambda: wishes.run("approval"))
        self.groups.switched.connect(self._switch)
        self.groups.acted.connect(lambda act, server: wishes.run(ServerAct(act, server)))

    def show_tools(self, state: WorkbenchState, chat: ChatState, own: Sequence[ToolDefinition]) -> None:
        """Show what new chats could be told of; `own` are the program's."""
        self._held, self._values = chat.chat.settings.tools, tool_groups(state, chat, own)
        self.groups.show_groups(self._values)
        self.say(self.groups.words())
        self._count(chat)
        place = workspace_of(state, chat.chat)
        rules = 0 if place is None else len(place.rules)
        if not rules:
            words = self.tr("Looking is allowed; changes and servers are asked about.")
        elif rules == 1:
            words = self.tr("1 rule")
        else:
            words = self.tr("{n} rules; the first that fits decides").format(n=rules)
        set_text(self.rules, words)

    def _count(self, chat: ChatState) -> None:
        wanted = definitions(self._values)
        asked = (chat.chat.id, chat.chat.settings.model, wanted)
        if wanted and asked != self._counted and chat.view is not None:
            self._counted = asked
            self.wishes.send(CountTools(chat.chat.id, wanted))

    def _switch(self, names: Sequence[str], on: bool) -> None:
        self.chosen.emit(tools_after(self._values, self._held, names, on))
