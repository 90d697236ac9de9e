"""Workspaces as they are kept: each known at once, then written, then given to every chat that it reaches."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TypeVar

from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.keys.secret import Secret
from workbench.domain.mcp.secrets import owned_secret, secrets_in, with_owned_secrets
from workbench.domain.mcp.server import McpListing, McpServer, tool_state, with_own_names
from workbench.domain.record import WorkspaceArchive
from workbench.domain.workspace import Workspace, is_template, template_of, workspace_of_template
from workbench.engine.events import NoticeGiven, ProgramShown, ServerMoved
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.store import StateStore
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
from workbench.ports.tool_servers import ToolServers
from workbench.ports.workspaces import WorkspaceStore

SECRETS = "mcp:"
"""What the names of kept secrets of servers begin with, beside the origins of providers."""


class WorkspaceServers:
    """The servers of all workspaces, each configured as its workspace has it."""

    def __init__(self, world: World, states: StateStore, open_chats: OpenChats) -> None:
        self._world, self._states, self._open = world, states, open_chats
        self._heard: dict[str, ToolServers] = {}

    async def begin(self) -> None:
        """Have every workspace's servers as they are kept; none is started."""
        for workspace in tuple(self._world.workspaces.all.values()):
            if workspace.servers and workspace.deleted_utc is None:
                try:
                    await self.configure(workspace)
                except WorkbenchError as problem:  # one that cannot be used costs nothing but its own tools
                    self._states.emit(NoticeGiven(None, f"{workspace.name}: {problem}"))

    async def configure(self, workspace: Workspace) -> None:
        """Have the servers of a workspace as it says."""
        rooms = self._world.rooms
        if rooms is None or (not workspace.servers and workspace.id not in self._heard):
            return
        servers = rooms.servers(workspace)
        there = workspace.servers if workspace.deleted_utc is None else ()
        secrets = {
            f"{server.name}.{name}": secret
            for server in there
            for name in secrets_in(server)
            if (secret := await self.secret(workspace.id, owned_secret(server.name, name))) is not None
        }
        servers.configure([with_owned_secrets(with_own_names(server)) for server in there], secrets)
        if self._heard.get(workspace.id) is not servers:
            self._heard[workspace.id] = servers
            servers.subscribe(lambda listing: self.moved(workspace.id, listing))

    async def close(self) -> None:
        if self._world.rooms is not None:
            await self._world.rooms.close()

    def moved(self, workspace: str, listing: McpListing) -> None:
        """A server is in another state; what it says otherwise than somebody looked at is not used any more."""
        self._states.emit(ServerMoved(workspace, listing.server, listing))
        place = self._world.workspaces.all.get(workspace)
        if place is None or self._world.rooms is None:
            return
        servers = self._world.rooms.servers(place)
        unusable = {
            called for server in place.servers for called in _unusable(server, servers.listing(server.name))
        }
        if self._world.workspaces.changed_tools(workspace, frozenset(unusable)):
            for chat in tuple(self._states.state.open):
                self._world.tasks.spawn(f"read {chat} again", self._open.reload(chat))

    def known(self, workspace: str) -> Workspace:
        """The workspace of that id."""
        found = self._world.workspaces.find(workspace)
        if found is None:
            raise NotKept(f"There is no workspace {workspace!r}.")
        return found

    def of(self, workspace: str, name: str) -> ToolServers:
        """The servers of a workspace that has one of that name."""
        place = self.known(workspace)
        if all(one.name != name for one in place.servers):
            raise NotKept(f"There is no server {name!r} in {place.name!r}.")
        if self._world.rooms is None:
            raise WorkbenchError("Servers of tools cannot be used here.")
        return self._world.rooms.servers(place)

    async def secret(self, workspace: str, name: str) -> Secret | None:
        """A secret of a workspace's server; None where there is none."""
        keys = self._world.keys
        return None if keys is None else await keys.find(f"{SECRETS}{workspace}/{name}")

    async def keep_secret(self, workspace: str, name: str, secret: Secret | None) -> None:
        """Keep a secret of a workspace's server, or forget it."""
        if self._world.keys is None:
            raise WorkbenchError("There is no place for secrets here. Nothing was kept.")
        await self._world.keys.keep(f"{SECRETS}{workspace}/{name}", secret)


def _unusable(server: McpServer, listing: McpListing) -> tuple[str, ...]:
    """The tools of a server that are another one than somebody looked at, or gone; by the model's names for them.

    Those of one that failed are gone until it is started again: a model that is told of them would call in vain.
    """
    if listing.state == "failed":
        return tuple(tool.called for tool in server.approved)
    if listing.state != "connected":
        return ()
    now = {tool.name: tool for tool in listing.tools}
    return tuple(
        tool.called
        for tool in server.approved
        if tool.name not in now or tool_state(server, now[tool.name]) == "changed"
    )


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
    return ProgramShown({"workspaces": there, "everywhere": known.everywhere})


async def archive_of(workspace: Workspace, store: HistoryStore, places: WorkspaceStore) -> WorkspaceArchive:
    """The workspace, its files and settings, its prompts, and its chats as they are."""
    inside = [chat.id for chat in await store.chats() if chat.filed.workspace == workspace.id]
    return WorkspaceArchive(
        workspace,
        await store.archive(template_of(workspace.id)),
        tuple(one for one in await places.prompts() if one.workspace == workspace.id),
        tuple([await store.archive(one) for one in sorted(inside)]),
    )
