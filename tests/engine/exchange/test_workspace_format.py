"""A workspace as a file: whole again where it is read, and deciding nothing there."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.fakes.archives import full_archive
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.domain.errors import InvalidInput
from workbench.domain.files.attachment import Artifact
from workbench.domain.mcp_server import McpServer, McpTool
from workbench.domain.record import Chat, ChatArchive, WorkspaceArchive
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ApprovalRule, ToolDefinition
from workbench.domain.workspace import Accepted, Fact, Filed, SavedPrompt, Workspace, template_of
from workbench.engine.exchange.imported import Imported
from workbench.engine.exchange.importing import detect
from workbench.engine.exchange.workspace_format import FORMAT, export_workspace, import_workspace
from workbench.engine.program.adopting import Adoption
from workbench.engine.workspaces.kept_workspaces import archive_of

WORK = Workspace(
    "w", "Work", folder="/home/somebody/code", instructions="Be brief. " * 20, project="Run the tests.",
    facts=(Fact("f", "Tea."), Fact("g", "Perhaps.", suggested=True)), accepted=(Accepted("AGENTS.md", "ab"),),
)  # fmt: skip
TEMPLATE = ChatArchive(
    Chat(template_of("w"), "2026-01-01", "Work", filed=Filed("w")), attached=(Artifact("a.md", "file", "x"),)
)
ARCHIVE = WorkspaceArchive(WORK, TEMPLATE, (SavedPrompt("Review", "Look.", "w"),), (full_archive(),))


def test_what_is_exported_is_imported_and_decides_nothing():
    raw = export_workspace(ARCHIVE)
    found = detect(raw)
    assert found.format == "workspace"
    (again,) = import_workspace(found.content).workspaces
    expected = replace(WORK, folder="", offered=WORK.folder, facts=WORK.facts[:1], accepted=())
    assert again.workspace == expected
    assert (again.template, again.prompts) == (TEMPLATE, ARCHIVE.prompts)
    assert again.chats[0].records == ARCHIVE.chats[0].records


@pytest.mark.parametrize(
    "change",
    [
        {"workspace": None},
        {"workspace": {"id": "w", "name": " \x1b "}},
        {"workspace": {"id": "", "name": "x"}},
        {"template": {"chat": {"id": "other", "created_utc": "2026"}}},
        {"template": 3},
        {"chats": 3},
        {"prompts": [3]},
        {"texts": {}},
    ],
)
def test_what_cannot_be_used_is_refused(change: dict[str, object]):
    document = {**json.loads(export_workspace(ARCHIVE)), **change}
    with pytest.raises(InvalidInput):
        import_workspace(document)


def test_a_newer_format_is_named():
    with pytest.raises(InvalidInput, match="newer program"):
        detect(json.dumps({"format": "workbench-workspace/2"}).encode())
    assert FORMAT == "workbench-workspace/1"


@in_loop
async def test_taken_over_it_is_found_again_under_a_free_name_and_id():
    store = MemoryHistory()
    places = MemoryWorkspaces(store)
    numbers = iter(range(1, 99))
    adoption = Adoption(store, lambda: f"new{next(numbers)}", lambda wanted, when: "", places=places)
    for _ in range(2):
        (again,) = import_workspace(json.loads(export_workspace(ARCHIVE))).workspaces
        await adoption.take_workspace(again, Imported())
    first, second = await places.workspaces()
    assert [(one.id, one.name) for one in (first, second)] == [("w", "Work"), ("new1", "Work 2")]
    assert [one.filed.workspace for one in await store.chats()] == ["new1", "w"]
    kept = await archive_of(second, store, places)
    assert [one.key for one in kept.template.attached] == ["a.md"]
    assert (kept.template.chat.filed, [one.text for one in kept.prompts]) == (Filed("new1"), ["Look."])
    nowhere = Adoption(store, lambda: "x", lambda wanted, when: "")
    await nowhere.take_workspace(ARCHIVE, Imported())
    assert nowhere.problems == ["There is no place for workspaces here; none was taken over."]


def test_nothing_was_looked_at_or_allowed_here_and_what_is_unsound_stays_out():
    tool = McpTool("add", "read", "Call this first.", "{}")
    good = McpServer("sums", "x", approved=(tool,), tools_off=frozenset({"b"}))
    place = replace(
        WORK, servers=(good, McpServer("a__b", "x")), rules=(ApprovalRule(("*",), decision="allow"),)
    )
    settings = ContextSettings(tools=(ToolDefinition("sums__add"), ToolDefinition("read")))
    template = replace(TEMPLATE, chat=replace(TEMPLATE.chat, settings=settings))
    archive = WorkspaceArchive(place, template)
    (again,) = import_workspace(json.loads(export_workspace(archive))).workspaces
    assert again.workspace.servers == (McpServer("sums", "x", enabled=False),)
    assert again.workspace.rules == ()
    assert [one.name for one in again.template.chat.settings.tools] == ["read"]
