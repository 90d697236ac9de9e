"""Workspaces and prompts in dictionaries, beside a history in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.fakes.history import MemoryHistory
from workbench.domain.errors import NotKept
from workbench.domain.files.attachment import Artifact
from workbench.domain.workspace import SavedPrompt, Workspace, template_of
from workbench.storage.workspaces import changed


class MemoryWorkspaces:
    """Keeps them as long as the test runs → WorkspaceStore."""

    def __init__(self, store: MemoryHistory) -> None:
        self._store = store
        self._kept: dict[str, Workspace] = {}
        self._prompts: dict[tuple[str, str], SavedPrompt] = {}

    async def workspaces(self) -> tuple[Workspace, ...]:
        """All of them, by name."""
        return tuple(sorted(self._kept.values(), key=lambda one: (one.name.lower(), one.id)))

    async def save_workspace(self, workspace: Workspace) -> None:
        """Keep a workspace."""
        self._kept[workspace.id] = workspace

    async def prompts(self) -> tuple[SavedPrompt, ...]:
        """The texts under a name."""
        return tuple(sorted(self._prompts.values(), key=lambda one: (one.name.lower(), one.workspace)))

    async def save_prompt(self, prompt: SavedPrompt) -> None:
        """Keep a text under a name."""
        self._prompts[prompt.workspace, prompt.name] = prompt

    async def delete_prompt(self, workspace: str, name: str) -> None:
        """Forget the text under a name."""
        self._prompts.pop((workspace, name), None)

    async def share(
        self, workspace: str, before: Sequence[Artifact], after: Sequence[Artifact]
    ) -> tuple[str, ...]:
        """Give every chat of a workspace what its template has now."""
        inside = [chat.id for chat in await self._store.chats() if chat.filed.workspace == workspace]
        return tuple([one for one in inside if await self._give(one, workspace, (before, after))])

    async def join(self, chat: str, workspace: str) -> None:
        """Attach to one chat what all of a workspace have."""
        await self._give(chat, workspace, ((), await self._shared(workspace)))

    async def leave(self, chat: str, workspace: str) -> None:
        """Take off a chat what it had only from a workspace."""
        await self._give(chat, workspace, (await self._shared(workspace), ()))

    async def _shared(self, workspace: str) -> tuple[Artifact, ...]:
        try:
            return await self._store.attached(template_of(workspace))
        except NotKept:
            return ()

    async def _give(
        self, chat: str, workspace: str, change: tuple[Sequence[Artifact], Sequence[Artifact]]
    ) -> bool:
        held = await self._store.attached(chat)
        now = changed(held, *change)
        if now == held:
            return False
        await self._store.save_attached(chat, now)
        for artifact in now:
            taken = await self._store.newest_snapshot(template_of(workspace), artifact.key)
            if artifact not in held and taken is not None:
                await self._store.keep_snapshot(replace(taken, chat=chat))
        return True
