"""Instructions, memory, prompts and tools as sections."""

from __future__ import annotations

from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from workbench.domain.preferences import PersonaSources
from workbench.domain.workspace import Fact, SavedPrompt, Workspace
from workbench.engine.workspace_intents import DeletePrompt, SavePrompt
from workbench.ui.steps import Step
from workbench.ui.wishes import Wishes
from workbench.ui.workspace.instructions import InstructionsSection
from workbench.ui.workspace.memory import MemorySection
from workbench.ui.workspace.prompts import PromptsSection
from workbench.ui.workspace.rows import PageRow
from workbench.ui.workspace.tools import ToolRow, ToolsSection, ToolValue


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
    kept = SavedPrompt("Review", "Look.", "w")
    section.show_prompts("w", (kept, SavedPrompt("Other", "No.", "w2")))
    assert len(section.rows) == 1
    section.action.click()
    QTest.keyClicks(section.editor.name, "Review")
    QTest.keyClicks(section.editor.text, "Again")
    section.editor.save.click()
    assert "Choose another" in section.editor.note.text()
    section.editor.name.setText("Check")
    section.editor.save.click()
    section.removed.emit("Review")
    assert [step.do for step in steps] == [
        (SavePrompt(SavedPrompt("Check", "Again", "w")),), (DeletePrompt("w", "Review"),)
    ]  # fmt: skip


def test_a_tool_is_switched_and_one_that_is_off_costs_nothing(qtbot: QtBot):
    section = ToolsSection()
    qtbot.addWidget(section)
    section.show_tools((ToolValue("read", "reads a file", True, 105), ToolValue("rm", "removes", False, 81)))
    first, second = (row for row in section.rows if isinstance(row, ToolRow))
    assert (first.figure.text(), second.figure.text()) == ("105", "0")
    assert section.sum.text() == "105 tokens of definitions"
    told: list[tuple[str, bool]] = []
    section.switched.connect(lambda name, on: told.append((name, on)))
    first.switch.click()
    second.switch.click()
    assert told == [("read", False), ("rm", True)]
    first.grab()
