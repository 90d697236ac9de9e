"""Workspaces as they are kept: each known at once, then written, then given to every chat that it reaches."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TypeVar

from workbench.domain.errors import WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.workspace import Workspace, is_template, workspace_of_template
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.shown_events import ProgramShown, program_shows
from workbench.engine.store import StateStore
from workbench.engine.workspaces.servers import WorkspaceServers
from workbench.engine.world import World
from workbench.ports.workspaces import WorkspaceStore

T = TypeVar("T")


class KeptWorkspaces:
    """Keeps workspaces, and what all their chats share.

    Attributes:
        servers: of tools, as the workspaces have them.
    """

    def __init__(self, world: World, states: StateStore, open_chats: OpenChats) -> None:
        self._world, self._states, self._open = world, states, open_chats
        self.servers = WorkspaceServers(world, states, open_chats)

    async def keep(self, workspace: Workspace) -> None:
        """Keep a workspace as it is now, and show every chat with that."""
        known, before = self._world.workspaces, self._world.workspaces.all.get(workspace.id)
        # Known at once: whoever changes it next, while this is being written, goes on from here.
        known.note(workspace)
        try:
            await self.store.save_workspace(workspace)
        except BaseException:
            if before is not None and known.all.get(workspace.id) is workspace:
                known.note(before)
            raise
        await self.servers.configure(workspace)
        self.tell()
        for key in tuple(self._states.state.open):
            await self._open.reload(key)

    async def spread(self, chat: str, change: Awaitable[T]) -> T:
        """Do a change of a chat; what is attached to a template is attached to every chat of its workspace."""
        if not is_template(chat):
            return await change
        before = await self._world.store.attached(chat)
        try:
            return await change
        finally:
            await self._share(chat, before)

    async def _share(self, chat: str, before: Sequence[Artifact]) -> None:
        workspace = workspace_of_template(chat)
        after = await self._world.store.attached(chat)
        if tuple(before) == after:
            return
        for one in await self.store.share(workspace, before, after):
            await self._open.reload(one)

    @property
    def store(self) -> WorkspaceStore:
        """Where workspaces are kept; `WorkbenchError` where there is no such place."""
        store = self._world.workspaces.store
        if store is None:
            raise WorkbenchError("There is no place for workspaces here. Nothing was kept.")
        return store

    def tell(self) -> None:
        """Say which workspaces there are."""
        self._states.emit(listed_workspaces(self._world))


def listed_workspaces(world: World) -> ProgramShown:
    """Which workspaces there are."""
    known = world.workspaces
    there = {key: one for key, one in known.all.items() if key and one.deleted_utc is None}
    return program_shows(workspaces=there, everywhere=known.everywhere)
