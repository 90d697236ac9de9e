"""Servers of tools and the folder of a workspace: started, looked at and used as somebody decides."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from workbench.domain.errors import InvalidInput, NotKept, WorkbenchError
from workbench.domain.files.attached import CannotAttach
from workbench.domain.folder_offer import FolderOffer, is_pattern, with_files
from workbench.domain.keys.secret import Secret
from workbench.domain.mcp.secrets import owned_secret, secrets_in, with_owned_secrets
from workbench.domain.mcp.server import (
    McpContent,
    McpListing,
    McpServer,
    McpTool,
    approve,
    check_server,
    resource_artifact,
    tool_state,
    with_own_names,
)
from workbench.domain.record import Chat
from workbench.domain.workspace import Workspace, template_of
from workbench.engine.chats.attaching import attach_files, attach_note
from workbench.engine.chats.changes import update_chat
from workbench.engine.errand_events import FolderOffered, ServerMoved
from workbench.engine.events import NoticeGiven
from workbench.engine.intents import AttachFiles
from workbench.engine.store import StateStore
from workbench.engine.workspace_intents import (
    AnswerOffer,
    ApproveTools,
    AttachResource,
    KeepServer,
    LookAtFolder,
    RemoveServer,
    ServerIntent,
    StartServer,
    StopServer,
    WritePrompt,
)
from workbench.engine.workspaces.offers import OFFER_FILE, accepted, digests, refused, undecided
from workbench.engine.world import World
from workbench.ports.tool_servers import ToolRooms, ToolServers

MOST_LISTED = 5000
SECRETS = "mcp:"
"""What the names of kept secrets of servers begin with, beside the origins of providers."""


@dataclass(frozen=True, slots=True)
class Around:
    """What is changed elsewhere.

    Attributes:
        keep: a workspace as it is now.
        reload: an open chat is shown as it is now. write: words behind those of a chat's draft.
        shared: the template was changed: every chat gets what it has.
    """

    keep: Callable[[Workspace], Awaitable[None]]
    reload: Callable[[str], Awaitable[None]]
    write: Callable[[str, str], None]
    shared: Callable[[str, Awaitable[object]], Awaitable[object]]


class Serving:
    """The servers of all workspaces, each configured as its workspace has it."""

    def __init__(self, world: World, states: StateStore, around: Around) -> None:
        self._world, self._states, self._around = world, states, around
        self._heard: dict[str, ToolServers] = {}
        self._one_by_one = asyncio.Lock()

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
            if (secret := await self._secret(workspace.id, owned_secret(server.name, name))) is not None
        }
        servers.configure([with_owned_secrets(with_own_names(server)) for server in there], secrets)
        if self._heard.get(workspace.id) is not servers:
            self._heard[workspace.id] = servers
            servers.subscribe(lambda listing: self._moved(workspace.id, listing))

    async def close(self) -> None:
        """End all servers."""
        if self._world.rooms is not None:
            await self._world.rooms.close()

    async def do(self, intent: ServerIntent) -> None:
        """Do one thing and show what came of it."""
        match intent:
            case KeepServer() | RemoveServer():
                # Each begins with what the one before it has kept.
                async with self._one_by_one:
                    await self._change(intent)
            case StartServer(workspace, name, again):
                servers = self._servers(workspace, name)
                if again:
                    await servers.stop(name)
                self._world.tasks.spawn(f"start {name}", self._start(workspace, name))
            case StopServer(workspace, name):
                await self._servers(workspace, name).stop(name)
            case ApproveTools():
                async with self._one_by_one:
                    await self._approve(intent)
            case AttachResource():
                await self._attach(intent)
            case WritePrompt():
                await self._write(intent)
            case LookAtFolder(workspace):
                await self._look(workspace)
            case AnswerOffer():
                await self._answer(intent)
            case _:
                assert_never(intent)

    # Servers.

    async def _change(self, intent: KeepServer | RemoveServer) -> None:
        place = self._known(intent.workspace)
        if isinstance(intent, RemoveServer):
            gone = next((one for one in place.servers if one.name == intent.server), None)
            for name in () if gone is None else secrets_in(gone):
                await self._keep_secret(place.id, owned_secret(intent.server, name), None)
            place = self._known(intent.workspace)
            left = tuple(one for one in place.servers if one.name != intent.server)
            await self._around.keep(replace(place, servers=left))
            self._states.emit(ServerMoved(place.id, intent.server, None))
            return
        server, before = with_own_names(intent.server), intent.before or intent.server.name
        check_server(server)
        others = [one for one in place.servers if one.name != before]
        if any(one.name.lower() == server.name.lower() for one in others):
            raise InvalidInput("name", f"there is a server called {server.name!r} already")
        await self._keep_secrets(intent, next((one for one in place.servers if one.name == before), None))
        # Read again: something else may have been kept while the secrets were.
        place = self._known(intent.workspace)
        others = [one for one in place.servers if one.name != before]
        there = [one.name for one in place.servers]
        at = there.index(before) if before in there else len(others)
        await self._around.keep(replace(place, servers=(*others[:at], server, *others[at:])))
        if before != server.name:
            self._states.emit(ServerMoved(place.id, before, None))

    async def _keep_secrets(self, intent: KeepServer, before: McpServer | None) -> None:
        """Keep what was given; what a server had under its old name it has under the new one."""
        key, server = intent.workspace, intent.server
        if before is not None and before.name != server.name:
            for name in secrets_in(before):
                held = await self._secret(key, owned_secret(before.name, name))
                if held is not None:
                    await self._keep_secret(key, owned_secret(server.name, name), held)
                    await self._keep_secret(key, owned_secret(before.name, name), None)
        for name, secret in intent.secrets.items():
            await self._keep_secret(key, owned_secret(server.name, name), secret)

    async def _start(self, workspace: str, name: str) -> None:
        try:
            self._moved(workspace, await self._servers(workspace, name).start(name))
        except WorkbenchError as problem:
            self._states.emit(NoticeGiven(None, str(problem)))

    async def _approve(self, intent: ApproveTools) -> None:
        workspace, name = intent.workspace, intent.server
        place = self._known(workspace)
        listing = self._servers(workspace, name).listing(name)
        seen = [tool for tool in listing.tools if tool in intent.tools]
        if len(seen) < len(intent.tools):
            raise NotKept(f"{name} says something else by now than was looked at. Look at its tools again.")
        known = {tool.name for one in place.servers if one.name == name for tool in one.approved}
        servers = tuple(approve(one, seen) if one.name == name else one for one in place.servers)
        await self._around.keep(replace(place, servers=servers))
        await self._give_new_chats(workspace, [tool for tool in seen if tool.name not in known])
        self._moved(workspace, listing)

    async def _give_new_chats(self, workspace: str, tools: Sequence[McpTool]) -> None:
        """What somebody looked at for the first time is there in new chats; the others keep the tools they have."""
        template = template_of(workspace)

        def with_tools(kept: Chat) -> Chat:
            held = {tool.name for tool in kept.settings.tools}
            new = tuple(tool.definition for tool in tools if tool.called not in held)
            return replace(kept, settings=replace(kept.settings, tools=(*kept.settings.tools, *new)))

        if tools:
            await update_chat(template, self._world, with_tools)
            await self._around.reload(template)

    def _moved(self, workspace: str, listing: McpListing) -> None:
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
                self._world.tasks.spawn(f"read {chat} again", self._again(chat))

    async def _again(self, chat: str) -> None:
        await self._around.reload(chat)

    async def _attach(self, intent: AttachResource) -> None:
        place = await self._inside(intent.chat)
        contents = await self._servers(place.id, intent.server).read(intent.server, intent.uri)
        for content in contents:
            artifact = resource_artifact(intent.server, await self._as_text(content), intent.title)
            await attach_note(intent.chat, artifact, self._world)
        await self._around.reload(intent.chat)

    async def _as_text(self, content: McpContent) -> McpContent:
        """What is no text is read as a file of that kind would be."""
        if not content.data:
            return content
        name = content.uri.rpartition("/")[2] or content.uri
        try:
            document = await self._world.attachments.document(name, content.data)
        except CannotAttach as problem:
            raise WorkbenchError(str(problem)) from None
        return replace(content, text=document.text, data=b"")

    async def _write(self, intent: WritePrompt) -> None:
        place = await self._inside(intent.chat)
        servers = self._servers(place.id, intent.server)
        self._around.write(intent.chat, await servers.prompt(intent.server, intent.prompt, intent.arguments))

    # The folder.

    async def _look(self, workspace: str) -> None:
        place = self._known(workspace)
        try:
            offer = undecided(await self._offer(place), place)
        except InvalidInput as problem:
            self._states.emit(FolderOffered(workspace, None, str(problem)))
            return
        shown = None if offer is None else await self._with_files(place.folder, offer)
        self._states.emit(FolderOffered(workspace, shown))

    async def _answer(self, intent: AnswerOffer) -> None:
        place = self._known(intent.workspace)
        offer, wanted = await self._offer(place), dict(intent.files)
        now, there = digests(offer), (await self._with_files(place.folder, offer)).files
        changed = any(now.get(file) != digest for file, digest in wanted.items())
        if changed or not set(intent.attach) <= set(there):
            await self._look(place.id)
            raise NotKept("The folder's files have changed since they were shown; look at them again.")
        place = self._known(intent.workspace)  # something else may have been kept while the folder was read
        if not intent.accepted:
            await self._around.keep(refused(place, wanted))
        else:
            await self._around.keep(accepted(place, offer, wanted, intent.servers))
            if OFFER_FILE in wanted:
                await self._set_template(place, offer, intent.attach)
        await self._look(place.id)

    async def _set_template(self, place: Workspace, offer: FolderOffer, files: Sequence[str]) -> None:
        template = template_of(place.id)
        await update_chat(
            template, self._world, lambda kept: replace(kept, settings=offer.applied(kept.settings))
        )
        paths = tuple(f"{place.folder}/{name}" for name in files)
        if paths:
            wish = AttachFiles(template, paths, folder=place.folder)
            try:
                await self._around.shared(template, attach_files(wish, self._world))
            except WorkbenchError as problem:  # the rest of the offer is in use all the same
                self._states.emit(NoticeGiven(None, str(problem)))
        await self._around.reload(template)

    async def _with_files(self, folder: str, offer: FolderOffer) -> FolderOffer:
        """An offer with the files that its patterns mean; no link is followed to them."""
        if not any(map(is_pattern, offer.files)):
            return offer
        listed = await self._world.attachments.list_files(folder, MOST_LISTED)
        if listed is None:
            return with_files(offer, ())
        return with_files(offer, (one.path for one in listed.files), whole=not listed.more)

    async def _offer(self, place: Workspace) -> FolderOffer:
        if self._world.folder_offer is None or not place.folder:
            return FolderOffer()
        return await asyncio.to_thread(self._world.folder_offer, place.folder)

    # What is known.

    def _known(self, workspace: str) -> Workspace:
        found = self._world.workspaces.find(workspace)
        if found is None:
            raise NotKept(f"There is no workspace {workspace!r}.")
        return found

    async def _inside(self, chat: str) -> Workspace:
        opened = self._states.state.open.get(chat)
        kept = await self._world.store.chat(chat) if opened is None else opened.chat
        found = self._world.workspaces.of(kept)
        if found is None:
            raise NotKept("This chat is in no workspace, so it has no servers of tools.")
        return found

    def _servers(self, workspace: str, name: str) -> ToolServers:
        place = self._known(workspace)
        if all(one.name != name for one in place.servers):
            raise NotKept(f"There is no server {name!r} in {place.name!r}.")
        return self._rooms.servers(place)

    @property
    def _rooms(self) -> ToolRooms:
        if self._world.rooms is None:
            raise WorkbenchError("Servers of tools cannot be used here.")
        return self._world.rooms

    async def _secret(self, workspace: str, name: str) -> Secret | None:
        keys = self._world.keys
        return None if keys is None else await keys.find(f"{SECRETS}{workspace}/{name}")

    async def _keep_secret(self, workspace: str, name: str, secret: Secret | None) -> None:
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
