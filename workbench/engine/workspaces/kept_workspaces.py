"""Stored workspaces: each change is known at once, then written, then shown in every chat it affects."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from workbench.domain.errors import NotKept, WorkbenchError
from workbench.domain.files.attachment import Artifact
from workbench.domain.folder_offer import FolderOffer
from workbench.domain.mcp_server import (
    McpListing,
    McpServer,
    owned_secret,
    secrets_in,
    tool_state,
    with_own_names,
    with_owned_secrets,
)
from workbench.domain.record import WorkspaceArchive
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.domain.workspace import Accepted, Workspace, is_template, template_of, workspace_of_template
from workbench.engine.events import NoticeGiven, ProgramShown, ServerMoved
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.store import StateStore
from workbench.engine.workspaces.questions import ServerQuestions, WorkspaceFront
from workbench.engine.world import World
from workbench.ports.history import HistoryStore
from workbench.ports.tools import ToolServers
from workbench.ports.workspaces import WorkspaceStore

SECRETS = "mcp:"
"""What the names of kept secrets of servers begin with, beside the origins of providers."""


class WorkspaceServers:
    """The tool servers of all workspaces.

    Attributes:
        questions: what they ask the person.
    """

    def __init__(self, world: World, states: StateStore, open_chats: OpenChats) -> None:
        self._world, self._states, self._open = world, states, open_chats
        self._heard: dict[str, ToolServers] = {}
        self.questions = ServerQuestions(world, states)

    async def begin(self) -> None:
        """Configure every workspace's servers; none is started."""
        for workspace in tuple(self._world.workspaces.all.values()):
            if workspace.servers and workspace.deleted_utc is None:
                try:
                    await self.configure(workspace)
                except WorkbenchError as problem:  # one that cannot be used costs nothing but its own tools
                    self._states.emit(NoticeGiven(None, f"{workspace.name}: {problem}"))

    async def configure(self, workspace: Workspace) -> None:
        """Configure the servers of one workspace."""
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
            servers.attend(self.front(workspace.id))

    def front(self, workspace: str) -> WorkspaceFront:
        """Who answers for the person to the servers of a workspace, and keeps their sign-ins."""
        return WorkspaceFront(workspace, self.questions, self._world)

    async def close(self) -> None:
        if self._world.rooms is not None:
            await self._world.rooms.close()

    def moved(self, workspace: str, listing: McpListing) -> None:
        """A server's state changed: disable tools that differ from what was approved."""
        self._states.emit(ServerMoved(workspace, listing.server, listing))
        place = self._world.workspaces.all.get(workspace)
        if place is None or self._world.rooms is None:
            return
        servers = self._world.rooms.servers(place)
        unusable = {
            called
            for server in place.servers
            for called in _unusable_tools(server, servers.listing(server.name))
        }
        if self._world.workspaces.changed_tools(workspace, frozenset(unusable)):
            for chat in tuple(self._states.state.open):
                self._world.tasks.spawn(f"read {chat} again", self._open.reload(chat))

    def known(self, workspace: str) -> Workspace:
        """The workspace of that id."""
        found = self._world.workspaces.find(workspace)
        if found is None:
            raise NotKept(tr("There is no workspace {workspace!r}.", workspace=workspace))
        return found

    def of(self, workspace: str, name: str) -> ToolServers:
        """The servers of a workspace that has one of that name."""
        place = self.known(workspace)
        if all(one.name != name for one in place.servers):
            raise NotKept(tr("There is no server {name!r} in {name_2!r}.", name=name, name_2=place.name))
        if self._world.rooms is None:
            raise WorkbenchError(tr("Servers of tools cannot be used here."))
        return self._world.rooms.servers(place)

    async def secret(self, workspace: str, name: str) -> Secret | None:
        """A secret of a workspace's server; None if there is none."""
        keys = self._world.keys
        return None if keys is None else await keys.find(f"{SECRETS}{workspace}/{name}")

    async def keep_secret(self, workspace: str, name: str, secret: Secret | None) -> None:
        """Store a secret of a workspace's server, or remove it."""
        if self._world.keys is None:
            raise WorkbenchError(tr("There is no place for secrets here. Nothing was kept."))
        await self._world.keys.keep(f"{SECRETS}{workspace}/{name}", secret)


def _unusable_tools(server: McpServer, listing: McpListing) -> tuple[str, ...]:
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
    """Stores workspaces and what all their chats share.

    Attributes:
        servers: of tools, as the workspaces have them.
    """

    def __init__(self, world: World, states: StateStore, open_chats: OpenChats) -> None:
        self._world, self._states, self._open = world, states, open_chats
        self.servers = WorkspaceServers(world, states, open_chats)

    async def keep(self, workspace: Workspace) -> None:
        """Store a workspace and show its chats with it."""
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
        """Run a change of a chat; attachments of a template are attached to every chat of its workspace."""
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
        """The store of workspaces; `WorkbenchError` if there is none."""
        store = self._world.workspaces.store
        if store is None:
            raise WorkbenchError(tr("There is no place for workspaces here. Nothing was kept."))
        return store

    def tell(self) -> None:
        """Emit the list of workspaces."""
        self._states.emit(listed_workspaces(self._world))


def listed_workspaces(world: World) -> ProgramShown:
    """The event with the list of workspaces."""
    known = world.workspaces
    there = {key: one for key, one in known.all.items() if key and one.deleted_utc is None}
    return ProgramShown({"workspaces": there, "everywhere": known.everywhere})


async def archive_of(workspace: Workspace, store: HistoryStore, places: WorkspaceStore) -> WorkspaceArchive:
    """The workspace with its files, settings, prompts and chats, for export."""
    inside = [chat.id for chat in await store.chats() if chat.filed.workspace == workspace.id]
    return WorkspaceArchive(
        workspace,
        await store.archive(template_of(workspace.id)),
        tuple(one for one in await places.prompts() if one.workspace == workspace.id),
        tuple([await store.archive(one) for one in sorted(inside)]),
    )


# What a workspace's folder offers: shown until somebody decides, used only as it was looked at.


OFFER_FILE = ".workbench/workspace.toml"


def undecided(offer: FolderOffer, workspace: Workspace) -> FolderOffer | None:
    """The part of an offer that was not decided yet; None if there is none."""
    known = {(one.file, one.digest) for one in workspace.accepted}
    found = tuple(file for file in offer.found if (file.path, file.digest) not in known)
    if offer.digest and (OFFER_FILE, offer.digest) not in known:
        return replace(offer, found=found)
    return FolderOffer(found=found, notes=offer.notes) if found else None


def digests(offer: FolderOffer) -> dict[str, str]:
    """Digests of the files of an offer, as they are now."""
    own = {OFFER_FILE: offer.digest} if offer.digest else {}
    return own | {file.path: file.digest for file in offer.found}


def refused(workspace: Workspace, files: Mapping[str, str]) -> Workspace:
    """The workspace after these files were refused; what was accepted before stays in use."""
    before = {one.file: one.text for one in workspace.accepted}
    made = (Accepted(file, digest, refused=True, text=before.get(file, "")) for file, digest in files.items())
    return replace(workspace, accepted=_with_accepted(workspace.accepted, made))


def accepted(
    workspace: Workspace, offer: FolderOffer, files: Mapping[str, str], allowed: Iterable[str]
) -> Workspace:
    """The workspace after these files were accepted; `allowed` are servers whose command lines were."""
    texts = {file.path: file.text for file in offer.found}
    made = [Accepted(file, digest, text=texts.get(file, "")) for file, digest in files.items()]
    kept = _with_accepted(workspace.accepted, made)
    project = "\n\n".join(one.text.strip() for one in kept if one.text.strip())
    changed = replace(workspace, accepted=kept, project=project)
    if OFFER_FILE not in files:
        return changed
    if offer.instructions:
        changed = replace(
            changed, instructions=offer.instructions, joining=offer.instructions_mode or changed.joining
        )
    wanted, offered = set(allowed), {server.name: server for server in offer.servers}
    there = {server.name for server in changed.servers}
    before = (
        _with_command(server, offered[server.name]) if server.name in wanted & set(offered) else server
        for server in changed.servers
    )
    new = (
        replace(server, enabled=server.name in wanted) for server in offer.servers if server.name not in there
    )
    return replace(changed, servers=(*before, *new))


def _with_command(server: McpServer, offered: McpServer) -> McpServer:
    """An existing server with the command line just allowed; its approved tools stay."""
    return replace(offered, enabled=True, tools_off=server.tools_off, approved=server.approved)


def _with_accepted(known: Iterable[Accepted], new: Iterable[Accepted]) -> tuple[Accepted, ...]:
    """Known decisions merged with new ones, one per file, sorted by name."""
    by_file = {one.file: one for one in (*known, *new)}
    return tuple(by_file[file] for file in sorted(by_file))
