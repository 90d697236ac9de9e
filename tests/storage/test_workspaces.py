"""Workspaces in a real encrypted store and in memory: one contract."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.history import MemoryHistory
from tests.fakes.loop import in_loop
from tests.fakes.stores import WHEN, open_store
from tests.fakes.workspace_store import MemoryWorkspaces
from workbench.domain.errors import NotKept
from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Chat, Snapshot
from workbench.domain.workspace import Fact, Filed, SavedPrompt, Workspace, template_of
from workbench.ports.history import HistoryStore
from workbench.ports.workspaces import WorkspaceStore
from workbench.storage.workspaces import StoreWorkspaces

SPEC = Artifact("spec.md", "file", "The spec.")
API = Artifact("api.md", "file", "The API.")


@dataclass
class Kept:
    """A store with a workspace `w`, its template, and a chat in it."""

    history: HistoryStore
    store: WorkspaceStore


@pytest.fixture(params=["encrypted", "memory"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@asynccontextmanager
async def opened(kind: str, folder: Path) -> AsyncIterator[Kept]:
    history: HistoryStore
    store: WorkspaceStore
    if kind == "memory":
        memory = MemoryHistory()
        history, store = memory, MemoryWorkspaces(memory)
    else:
        real = open_store(folder / "h.db")
        history, store = real, StoreWorkspaces(real)
    await store.save_workspace(Workspace("w", "Work"))
    for key in (template_of("w"), "talk", "other"):
        filed = Filed("" if key == "other" else "w")
        await history.create_chat(Chat(key, WHEN, filed=filed))
    yield Kept(history, store)
    await history.close()


@in_loop
async def test_workspaces_come_back_whole_by_name(kind: str, tmp_path: Path):
    async with opened(kind, tmp_path) as kept:
        auth = Workspace("a", "auth", folder="code", facts=(Fact("f", "x" * 5000),))
        await kept.store.save_workspace(auth)
        await kept.store.save_workspace(Workspace("", facts=(Fact("g", "everywhere"),)))
        found = await kept.store.workspaces()
        assert [one.id for one in found] == ["", "a", "w"]
        assert found[1] == auth
        await kept.store.save_workspace(Workspace("a", "zeta"))
        assert [one.name for one in await kept.store.workspaces()] == ["", "Work", "zeta"]


@in_loop
async def test_a_template_is_no_chat_of_the_list(kind: str, tmp_path: Path):
    async with opened(kind, tmp_path) as kept:
        assert {chat.id for chat in await kept.history.chats()} == {"talk", "other"}
        assert (await kept.history.chat("talk")).filed == Filed("w")


@in_loop
async def test_prompts_have_a_name_in_their_workspace(kind: str, tmp_path: Path):
    async with opened(kind, tmp_path) as kept:
        for prompt in (
            SavedPrompt("b", "1"),
            SavedPrompt("A", "2"),
            SavedPrompt("b", "3", "w"),
            SavedPrompt("b", "4"),
        ):
            await kept.store.save_prompt(prompt)
        assert await kept.store.prompts() == (
            SavedPrompt("A", "2"), SavedPrompt("b", "4"), SavedPrompt("b", "3", "w"),
        )  # fmt: skip
        await kept.store.delete_prompt("w", "b")
        await kept.store.delete_prompt("w", "never there")
        assert [one.text for one in await kept.store.prompts()] == ["2", "4"]


@in_loop
async def test_what_the_template_gets_every_chat_of_its_workspace_gets(kind: str, tmp_path: Path):
    async with opened(kind, tmp_path) as kept:
        template = template_of("w")
        await kept.history.save_attached(template, (SPEC,))
        await kept.history.keep_snapshot(Snapshot(template, SPEC, WHEN, b"bytes", WHEN, place="/somewhere"))
        assert await kept.store.share("w", (), (SPEC,)) == ("talk",)
        assert await kept.history.attached("talk") == (SPEC,)
        assert await kept.history.attached("other") == ()
        (copy,) = await kept.history.snapshots("talk")
        assert (copy.content, copy.place) == (b"bytes", "/somewhere")
        assert await kept.store.share("w", (), (SPEC,)) == ()


@in_loop
async def test_what_a_chat_has_set_otherwise_stays(kind: str, tmp_path: Path):
    async with opened(kind, tmp_path) as kept:
        mine = Artifact("spec.md", "file", "The spec.", priority=1)
        await kept.history.save_attached("talk", (mine,))
        newer = Artifact("spec.md", "file", "The new spec.")
        assert await kept.store.share("w", (SPEC,), (newer, API)) == ("talk",)
        assert await kept.history.attached("talk") == (mine, API)
        # It took the file off by itself: the next change of it brings nothing back.
        await kept.history.save_attached("talk", ())
        assert await kept.store.share("w", (API,), (Artifact("api.md", "file", "Other."),)) == ()


@in_loop
async def test_a_chat_that_joins_and_leaves(kind: str, tmp_path: Path):
    async with opened(kind, tmp_path) as kept:
        await kept.history.save_attached(template_of("w"), (SPEC, API))
        await kept.history.save_attached("other", (API, Artifact("mine.md", "file", "Mine.")))
        await kept.store.join("other", "w")
        assert [one.key for one in await kept.history.attached("other")] == ["api.md", "mine.md", "spec.md"]
        await kept.store.leave("other", "w")
        assert [one.key for one in await kept.history.attached("other")] == ["mine.md"]
        await kept.store.join("other", "never there")


@in_loop
async def test_a_purged_workspace_leaves_nothing_but_its_chats(tmp_path: Path):
    async with opened("encrypted", tmp_path) as kept:
        await kept.history.keep_snapshot(Snapshot(template_of("w"), SPEC, WHEN, b"bytes", WHEN))
        assert await kept.history.search("spec") == (), (
            "what a template holds is found in the chats that have it"
        )
        await kept.store.save_prompt(SavedPrompt("p", "x", "w"))
        await kept.store.save_workspace(Workspace("w", "Work", deleted_utc=WHEN))
        await kept.history.purge()
        assert (await kept.store.workspaces(), await kept.store.prompts()) == ((), ())
        assert {chat.id: chat.filed for chat in await kept.history.chats()} == {
            "talk": Filed(),
            "other": Filed(),
        }
        with pytest.raises(NotKept):
            await kept.history.chat(template_of("w"))
        assert (await kept.history.verify()).problems == ()
