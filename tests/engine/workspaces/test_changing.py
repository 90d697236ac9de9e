"""Workspaces through the engine: what chats are told, have attached and are filed under."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.chat_model import words
from tests.fakes.engine import SETTINGS, Bench, FilesInMemory, TickingUtc, fake_world
from tests.fakes.exchange_files import MemoryExchange
from tests.fakes.extractor import PlainExtractor
from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.tool_servers import FakeToolServers
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.domain.answer import Failure
from workbench.domain.errors import InvalidInput, NotKept
from workbench.domain.files.attachment import Artifact
from workbench.domain.settings.context_settings import PersonaSources
from workbench.domain.workspace import EVERYWHERE, Fact, Filed, SavedPrompt, Workspace, template_of
from workbench.engine.exchange.workspace_format import import_workspace
from workbench.engine.intents import (
    AcceptRebuild,
    AttachArtifact,
    ChangeSettings,
    DetachArtifacts,
    OpenChat,
    PriceStep,
    SendMessage,
    StartChat,
    TrySettings,
)
from workbench.engine.known_workspaces import Workspaces
from workbench.engine.workspace_intents import (
    DeletePrompt,
    DeleteWorkspace,
    ExportWorkspace,
    FileChats,
    RestoreWorkspace,
    ReviseWorkspace,
    SavePrompt,
    SaveWorkspace,
    StartWorkspace,
)
from workbench.engine.workspaces.changing import tidy_tags
from workbench.engine.workspaces.kept_workspaces import archive_of
from workbench.sources.attach import FileAttachments
from workbench.sources.attached_file import Naming
from workbench.tools.toolbox import WorkspaceTools
from workbench.tools.workspace_toolboxes import WorkspaceToolboxes

OWN = replace(SETTINGS, persona=PersonaSources("Be kind."), persona_mode="add", system_prompt="")
AUTH = Workspace("w1", "Auth", instructions="Python only.", facts=(Fact("f1", "Tokens live 900 s."),))
SPEC = Artifact("spec.md", "file", "The whole spec.")


def bench(*answers: str) -> Bench:
    store = MemoryHistory()
    workspaces = Workspaces(MemoryWorkspaces(store), TickingUtc())
    said = [words(answer) for answer in answers or ("Fine.",)]
    return Bench(fake_world(*said, store=store, workspaces=workspaces, attachments=FilesInMemory()))


def system_text(bench: Bench, turn: int = -1) -> str:
    return bench.model.requests[turn].messages[0].text


@in_loop
async def test_a_chat_in_a_workspace_is_told_what_it_says_from_its_first_request():
    one = bench()
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN))
    await one.workbench.dispatch(AttachArtifact(template_of("w1"), SPEC))
    await one.workbench.dispatch(StartChat("talk", OWN, filed=Filed("w1"), unwritten=True))
    await one.calm()
    shown = one.workbench.state.open["talk"].view
    await one.do(SendMessage("talk", "Go?"))
    request = one.model.requests[-1]
    assert "Be kind.\n\nPython only." in system_text(one)
    assert "- Tokens live 900 s." in system_text(one)
    assert "The whole spec." in system_text(one)
    assert "The whole spec." not in request.messages[-1].text
    assert shown is not None
    (library,) = [layer for layer in shown.layers if layer.name == "L2_PREVIOUS"]
    assert library.tokens > 0
    assert (await one.world.store.chat("talk")).settings == OWN, "its own settings stay its own"


@in_loop
async def test_a_change_of_the_workspace_reaches_chats_that_are_there_and_names_its_cause():
    one = bench("One.", "Two.")
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN), StartChat("talk", OWN, filed=Filed("w1")))
    await one.do(SendMessage("talk", "Go?"))
    await one.workbench.dispatch(
        SaveWorkspace(replace(AUTH, facts=(*AUTH.facts, Fact("f2", "SKEW is 30 s."))))
    )
    await one.calm()
    ahead = one.workbench.state.open["talk"].prepared
    assert ahead is not None
    assert [cause.cause for cause in ahead.change.causes] == ["memory"]
    await one.do(SendMessage("talk", "And now?"))
    assert "- SKEW is 30 s." in system_text(one)


@in_loop
async def test_what_holds_everywhere_is_told_in_every_chat():
    one = bench()
    everywhere = Workspace(EVERYWHERE, facts=(Fact("f0", "I read French."),))
    await one.workbench.dispatch(SaveWorkspace(everywhere), StartChat("talk", OWN))
    await one.do(SendMessage("talk", "Go?"))
    assert "- I read French." in system_text(one)
    assert one.workbench.state.everywhere == everywhere
    assert dict(one.workbench.state.workspaces) == {}


@in_loop
async def test_files_come_and_go_in_every_chat_of_the_workspace():
    one = bench()
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN), StartChat("talk", OWN, filed=Filed("w1")))
    await one.workbench.dispatch(AttachArtifact(template_of("w1"), SPEC))
    assert [file.key for file in one.workbench.state.open["talk"].conversation.attached] == ["spec.md"]
    await one.workbench.dispatch(DetachArtifacts(template_of("w1"), ("spec.md",)))
    assert one.workbench.state.open["talk"].conversation.attached == ()


@in_loop
async def test_chats_move_between_workspaces_with_their_files():
    one = bench()
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN), StartChat("talk", OWN))
    await one.workbench.dispatch(AttachArtifact(template_of("w1"), SPEC))
    await one.workbench.dispatch(FileChats(("talk",), workspace="w1"))
    opened = one.workbench.state.open["talk"]
    assert (opened.chat.filed.workspace, opened.conversation.attached) == ("w1", (SPEC,))
    await one.workbench.dispatch(FileChats(("talk",), workspace=""))
    opened = one.workbench.state.open["talk"]
    assert (opened.chat.filed.workspace, opened.conversation.attached) == ("", ())
    with pytest.raises(NotKept):
        await one.workbench.dispatch(FileChats(("talk",), workspace="nowhere"))
    with pytest.raises(NotKept):
        await one.workbench.dispatch(FileChats((template_of("w1"),), workspace=""))


@in_loop
async def test_pinned_archived_and_tagged():
    one = bench()
    await one.workbench.dispatch(StartChat("a", OWN), StartChat("b", OWN))
    await one.workbench.dispatch(FileChats(("a", "b"), pinned=True, tags=("#red", "red ", " ", "deep  blue")))
    await one.workbench.dispatch(FileChats(("a",), archived=True))
    filed = {chat.id: chat.filed for chat in one.workbench.state.chats}
    assert filed["b"] == Filed(pinned=True, tags=("red", "deep blue"))
    assert filed["a"].archived_utc is not None
    await one.workbench.dispatch(FileChats(("a",), archived=False, pinned=False))
    assert (await one.world.store.chat("a")).filed == Filed(tags=("red", "deep blue"))
    assert tidy_tags(["x" * 50]) == ("x" * 40,)


@in_loop
async def test_a_deleted_workspace_leaves_its_chats_alone_and_comes_back():
    one = bench("One.", "Two.", "Three.")
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN), StartChat("talk", OWN, filed=Filed("w1")))
    await one.workbench.dispatch(DeleteWorkspace("w1"))
    assert dict(one.workbench.state.workspaces) == {}
    await one.do(SendMessage("talk", "Go?"))
    assert "Python only." not in system_text(one)
    await one.workbench.dispatch(RestoreWorkspace("w1"))
    await one.do(SendMessage("talk", "And now?"))
    assert "Python only." in system_text(one)
    with pytest.raises(NotKept):
        await one.workbench.dispatch(DeleteWorkspace("nowhere"))


@in_loop
async def test_a_workspace_has_a_name_of_its_own():
    one = bench()
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN))
    for name in ("", "  ", "auth", "two\nlines", "x" * 81, " Auth2"):
        with pytest.raises(InvalidInput):
            await one.workbench.dispatch(StartWorkspace(Workspace("w2", name), OWN))
    assert list(one.workbench.state.workspaces) == ["w1"]
    await one.workbench.dispatch(SaveWorkspace(replace(AUTH, name="AUTH")))


@in_loop
async def test_a_change_of_the_workspace_can_be_tried_and_priced_before_it_is_made():
    one = bench("One.")
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN), StartChat("talk", OWN, filed=Filed("w1")))
    await one.do(SendMessage("talk", "Go?"))
    longer = replace(AUTH, instructions="Python only. " * 20)
    await one.workbench.dispatch(TrySettings("talk", None, longer))
    await one.calm()
    opened = one.workbench.state.open["talk"]
    assert opened.trial is not None
    assert opened.view is not None
    assert opened.trial.view.total_tokens > opened.view.total_tokens
    await one.workbench.dispatch(PriceStep("talk", "save", (SaveWorkspace(longer),)))
    await one.calm()
    price = one.workbench.state.open["talk"].price
    assert price is not None
    assert price.tag.tokens_delta == opened.trial.view.total_tokens - opened.view.total_tokens
    await one.workbench.dispatch(TrySettings("talk", None))
    assert one.workbench.state.open["talk"].trial is None


@in_loop
async def test_prompts_are_kept_renamed_and_forgotten():
    one = bench()
    await one.workbench.dispatch(SavePrompt(SavedPrompt("  Review  this ", "Look at {{files}}.")))
    assert [prompt.name for prompt in one.workbench.state.prompts] == ["Review this"]
    await one.workbench.dispatch(SavePrompt(SavedPrompt("Check", "Look."), before="Review this"))
    assert [prompt.name for prompt in one.workbench.state.prompts] == ["Check"]
    with pytest.raises(InvalidInput):
        await one.workbench.dispatch(SavePrompt(SavedPrompt(" ", "Look.")))
    await one.workbench.dispatch(DeletePrompt("", "Check"))
    assert one.workbench.state.prompts == ()


@in_loop
async def test_what_was_kept_is_there_after_a_restart():
    one = bench("One.", "Two.")
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN), StartChat("talk", OWN, filed=Filed("w1")))
    await one.do(SendMessage("talk", "Go?"))
    before = system_text(one)
    store = one.world.workspaces.store
    again = Bench(replace(one.world, workspaces=Workspaces(store, TickingUtc())))
    await again.workbench.begin()
    assert list(again.workbench.state.workspaces) == ["w1"]
    await again.workbench.dispatch(OpenChat("talk"))
    await again.do(SendMessage("talk", "And now?"))
    assert system_text(again) == before


@in_loop
async def test_variables_become_what_they_stand_for_in_the_very_request():
    one = bench()
    there = replace(AUTH, instructions="In {{workspace}} on {{date}} with {{files}}; {{nobody}}.")
    await one.workbench.dispatch(StartWorkspace(there, OWN), StartChat("talk", OWN, filed=Filed("w1")))
    await one.workbench.dispatch(AttachArtifact("talk", SPEC))
    await one.do(SendMessage("talk", "Go?"))
    assert "In Auth on 2026-01-01 with spec.md; {{nobody}}." in system_text(one)
    await one.workbench.dispatch(ChangeSettings("talk", replace(OWN, model=OWN.model)))
    assert (await one.world.store.chat("talk")).settings.persona.workspace == ""


@in_loop
async def test_tools_and_names_of_files_are_bound_to_the_workspace_s_folder(tmp_path: Path):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"I am {name}.", encoding="utf-8")
    store = MemoryHistory()
    reader = FileAttachments(PlainExtractor(), naming=Naming(workspace=lambda: str(tmp_path / "here")))
    one = Bench(
        fake_world(
            *(words("Fine.") for _ in range(4)),
            store=store,
            workspaces=Workspaces(MemoryWorkspaces(store), TickingUtc()),
            attachments=reader,
            toolbox=WorkspaceTools(tmp_path / "here"),
            rooms=WorkspaceToolboxes(
                lambda folder: WorkspaceTools(Path(folder)), FakeToolbox(), lambda folder: FakeToolServers()
            ),
        )
    )
    there = replace(AUTH, folder=str(tmp_path / "there"))
    await one.workbench.dispatch(StartWorkspace(there, OWN))
    await one.workbench.dispatch(StartChat("in", OWN, filed=Filed("w1")), StartChat("out", OWN))
    for chat, expected in (("in", "I am there."), ("out", "I am here.")):
        await one.do(SendMessage(chat, "@read a.md"))
        assert expected in one.model.requests[-1].messages[-1].text
        await one.do(SendMessage(chat, "Look at @a.md"))
        attached = await store.attached(chat)
        assert [(file.key, file.text) for file in attached] == [("a.md", expected)]


@in_loop
async def test_an_archive_holds_the_chats_of_the_workspace_and_no_others():
    one = bench()
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN))
    for chat, inside in (("b", "w1"), ("a", "w1"), ("c", "")):
        await one.workbench.dispatch(StartChat(chat, OWN, filed=Filed(inside)))
    store = one.world.workspaces.store
    assert store is not None
    found = await archive_of(AUTH, one.world.store, store)
    assert [archive.chat.id for archive in found.chats] == ["a", "b"]
    assert found.template.chat.settings == OWN


@in_loop
async def test_a_window_that_was_learnt_is_all_that_is_kept_of_a_request_s_settings():
    """What the request was built with beyond the chat's own settings stays the workspace's."""
    too_long = Failure("context", "Too long.", limit_tokens=500)
    store = MemoryHistory()
    known = Workspaces(MemoryWorkspaces(store), TickingUtc())
    one = Bench(fake_world([too_long], words("Fits."), store=store, workspaces=known))
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN), StartChat("talk", OWN, filed=Filed("w1")))
    await one.do(SendMessage("talk", "Go?"))
    await one.do(AcceptRebuild("talk"))
    kept = (await store.chat("talk")).settings
    assert (kept.context_window, kept.persona, kept.user_memory) == (500, OWN.persona, "")


@in_loop
async def test_a_workspace_is_exported_as_it_can_be_imported():
    one = bench()
    files = MemoryExchange()
    again = Bench(replace(one.world, exchange=files))
    await again.workbench.dispatch(StartWorkspace(AUTH, OWN), ExportWorkspace("w1", "auth.json"))
    found = import_workspace(json.loads(files.files["auth.json"]))
    assert [place.workspace.name for place in found.workspaces] == ["Auth"]
    assert "not encrypted" in again.workbench.state.notices[-1].text


@in_loop
async def test_what_new_chats_are_made_like_is_called_as_its_workspace_is():
    one = bench()
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN), OpenChat(template_of("w1")))
    await one.workbench.dispatch(SaveWorkspace(replace(AUTH, name="Sign in")))
    assert one.workbench.state.open[template_of("w1")].chat.title == "Sign in"


@in_loop
async def test_one_change_and_its_way_back_leave_what_else_happened():
    """Were the whole value saved back, undoing instructions would forget facts that came meanwhile."""
    one = bench()
    await one.workbench.dispatch(StartWorkspace(AUTH, OWN))
    kept = one.workbench.state.workspaces["w1"]
    told = replace(kept, instructions="Rust only.", facts=(replace(kept.facts[0], text="Tokens live 60 s."),))
    await one.workbench.dispatch(ReviseWorkspace(kept, told))
    now = one.workbench.state.workspaces["w1"]
    await one.workbench.dispatch(
        ReviseWorkspace(now, replace(now, name="Sign-in", facts=(*now.facts, Fact("f2", "New."))))
    )
    await one.workbench.dispatch(ReviseWorkspace(told, kept))
    after = one.workbench.state.workspaces["w1"]
    assert (after.name, after.instructions) == ("Sign-in", "Python only.")
    assert [fact.text for fact in after.facts] == ["Tokens live 900 s.", "New."]
    await one.workbench.dispatch(ReviseWorkspace(after, replace(after, facts=after.facts[1:])))
    await one.workbench.dispatch(ReviseWorkspace(replace(after, facts=after.facts[1:]), after))
    assert one.workbench.state.workspaces["w1"].facts == after.facts
