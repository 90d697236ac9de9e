"""Instructions, memory, prompts and tools as sections."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.fakes.scripted_moments import moment_of
from workbench.domain.mcp_server import McpServer
from workbench.domain.settings.context_settings import PersonaSources
from workbench.domain.tool import ApprovalRule, ToolDefinition
from workbench.domain.workspace import Fact, SavedPrompt, Workspace, workspace_of_template
from workbench.engine.workspace_intents import DeletePrompt, SavePrompt
from workbench.ui.steps import Step
from workbench.ui.wishes import ServerAct, Wishes
from workbench.ui.workspace.rows import PageRow
from workbench.ui.workspace.sections import InstructionsSection, MemorySection, PromptsSection, ToolsSection


def badges(section: InstructionsSection) -> list[str]:
    return [row.value.badge[1] for row in section.rows if isinstance(row, PageRow) and row.value.badge]


def test_default_instructions_that_are_replaced_cost_nothing_and_say_so(qtbot: QtBot):
    section = InstructionsSection(Wishes())
    qtbot.addWidget(section)
    persona = PersonaSources("Be kind.")
    section.show_place(
        Workspace("w", "W", instructions="Rust.", project="From AGENTS.md"), persona, {"default": 5}
    )
    assert badges(section) == ["default", "workspace", "folder", "chat"]
    section.show_place(
        Workspace("w", "W", instructions="Rust.", joining="replace"), persona, {"workspace": 4}
    )
    assert badges(section) == ["replaced", "workspace", "chat"]
    assert section.sum.text() == "4 tokens"


def test_what_holds_for_all_chats_is_seen_and_not_changed_here(qtbot: QtBot):
    section = MemorySection(Wishes())
    qtbot.addWidget(section)
    everywhere = Workspace("", facts=(Fact("f1", "Metric units."), Fact("s", "Maybe.", suggested=True)))
    section.show_place(Workspace("w", "W", facts=(Fact("f1", "Mara."),)), everywhere, {"Mara.": 3}, {})
    assert [(row.value.text, row.value.edits) for row in section.facts()] == [
        ("Metric units.", False),
        ("Mara.", True),
    ]
    section.action.click()
    section.editor.save.click()
    assert "Write what" in section.editor.note.text()


def test_a_prompt_needs_a_name_of_its_own(qtbot: QtBot):
    wishes = Wishes()
    steps: list[Step] = []
    wishes.step.connect(steps.append)
    section = PromptsSection(wishes)
    qtbot.addWidget(section)
    kept = SavedPrompt("Re view", "Look.", "w")
    section.show_prompts("w", (kept, SavedPrompt("Other", "No.", "w2")))
    assert len(section.rows) == 1
    section.action.click()
    QTest.keyClicks(section.editor.name, "Re  view")  # kept with one space
    QTest.keyClicks(section.editor.text, "Again")
    section.editor.save.click()
    assert "Choose another" in section.editor.note.text()
    section.editor.name.setText("Check")
    section.editor.save.click()
    section.removed.emit("Re view")
    assert [step.do for step in steps] == [
        (SavePrompt(SavedPrompt("Check", "Again", "w")),), (DeletePrompt("w", "Re view"),)
    ]  # fmt: skip


def test_tools_are_switched_servers_are_acted_on_and_rules_are_opened(qtbot: QtBot):
    moment = moment_of("workspace")
    chat = moment.state.open[moment.chat]
    server = McpServer("github", "github-server")
    place = moment.state.workspaces[workspace_of_template(moment.chat)]
    ruled = replace(place, servers=(server,), rules=(ApprovalRule(("rm",), decision="never"),))
    state = replace(moment.state, workspaces={**moment.state.workspaces, place.id: ruled})
    wishes = Wishes()
    section = ToolsSection(wishes)
    qtbot.addWidget(section)
    wished: list[object] = []
    chosen: list[tuple[ToolDefinition, ...]] = []
    wishes.wish.connect(wished.append)
    section.chosen.connect(chosen.append)
    own = chat.chat.settings.tools
    section.show_tools(state, chat, own)
    assert (list(section.groups.heads), section.rules.text()) == (["", "github"], "1 rule")
    section.groups.heads[""].switch.click()
    assert chosen == [()], "all of them off"
    section.groups.acted.emit("start", "github")
    section.action.click()
    section.change.click()
    assert wished == [ServerAct("start", "github"), ServerAct("add", ""), "approval"]
    section.show_tools(moment.state, chat, own)
    assert section.rules.text().startswith("Reading is allowed")
    section.grab()
