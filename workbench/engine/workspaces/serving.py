"""Servers of tools and the folder of a workspace: started, looked at and used as somebody decides."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from workbench.domain.errors import InvalidInput, NotKept, WorkbenchError
from workbench.domain.files.attached import CannotAttach
from workbench.domain.folder_offer import FolderOffer, is_pattern, with_files
from workbench.domain.mcp.secrets import owned_secret, secrets_in
from workbench.domain.mcp.server import (
    McpContent,
    McpServer,
    McpTool,
    approve,
    check_server,
    resource_artifact,
    with_own_names,
)
from workbench.domain.record import Chat
from workbench.domain.workspace import Workspace, template_of
from workbench.engine import workspace_intents
from workbench.engine.chats.attaching import attach_files, attach_note
from workbench.engine.chats.changes import update_chat
from workbench.engine.events import FolderOffered, NoticeGiven, ServerMoved
from workbench.engine.intents import AttachFiles
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.store import StateStore
from workbench.engine.workspaces.keeping import KeptWorkspaces
from workbench.engine.workspaces.offers import OFFER_FILE, accepted, digests, refused, undecided
from workbench.engine.world import World

MOST_LISTED = 5000


class Serving:
    """Does what is wanted of servers and of the folder of a workspace."""

    def __init__(self, world: World, states: StateStore, open_chats: OpenChats, kept: KeptWorkspaces) -> None:
        self._world, self._states, self._open, self._kept = world, states, open_chats, kept
        self._servers = kept.servers
        self._one_by_one = asyncio.Lock()

    async def do(self, intent: workspace_intents.ServerIntent) -> None:
        match intent:
            case workspace_intents.KeepServer() | workspace_intents.RemoveServer():
                # Each begins with what the one before it has kept.
                async with self._one_by_one:
                    await self._change(intent)
            case workspace_intents.StartServer(workspace, name, again):
                servers = self._servers.of(workspace, name)
                if again:
                    await servers.stop(name)
                self._world.tasks.spawn(f"start {name}", self._start(workspace, name))
            case workspace_intents.StopServer(workspace, name):
                await self._servers.of(workspace, name).stop(name)
            case workspace_intents.ApproveTools():
                async with self._one_by_one:
                    await self._approve(intent)
            case workspace_intents.AttachResource():
                await self._attach(intent)
            case workspace_intents.WritePrompt():
                await self._write(intent)
            case workspace_intents.LookAtFolder(workspace):
                await self._look(workspace)
            case workspace_intents.AnswerOffer():
                await self._answer(intent)
            case _:
                assert_never(intent)

    # Servers.

    async def _change(self, intent: workspace_intents.KeepServer | workspace_intents.RemoveServer) -> None:
        place = self._servers.known(intent.workspace)
        if isinstance(intent, workspace_intents.RemoveServer):
            gone = next((one for one in place.servers if one.name == intent.server), None)
            for name in () if gone is None else secrets_in(gone):
                await self._servers.keep_secret(place.id, owned_secret(intent.server, name), None)
            place = self._servers.known(intent.workspace)
            left = tuple(one for one in place.servers if one.name != intent.server)
            await self._kept.keep(replace(place, servers=left))
            self._states.emit(ServerMoved(place.id, intent.server, None))
            return
        server, before = with_own_names(intent.server), intent.before or intent.server.name
        check_server(server)
        others = [one for one in place.servers if one.name != before]
        if any(one.name.lower() == server.name.lower() for one in others):
            raise InvalidInput("name", f"there is a server called {server.name!r} already")
        await self._keep_secrets(intent, next((one for one in place.servers if one.name == before), None))
        # Read again: something else may have been kept while the secrets were.
        place = self._servers.known(intent.workspace)
        others = [one for one in place.servers if one.name != before]
        there = [one.name for one in place.servers]
        at = there.index(before) if before in there else len(others)
        await self._kept.keep(replace(place, servers=(*others[:at], server, *others[at:])))
        if before != server.name:
            self._states.emit(ServerMoved(place.id, before, None))

    async def _keep_secrets(self, intent: workspace_intents.KeepServer, before: McpServer | None) -> None:
        """Keep what was given; what a server had under its old name it has under the new one."""
        key, server = intent.workspace, intent.server
        if before is not None and before.name != server.name:
            for name in secrets_in(before):
                held = await self._servers.secret(key, owned_secret(before.name, name))
                if held is not None:
                    await self._servers.keep_secret(key, owned_secret(server.name, name), held)
                    await self._servers.keep_secret(key, owned_secret(before.name, name), None)
        for name, secret in intent.secrets.items():
            await self._servers.keep_secret(key, owned_secret(server.name, name), secret)

    async def _start(self, workspace: str, name: str) -> None:
        try:
            self._servers.moved(workspace, await self._servers.of(workspace, name).start(name))
        except WorkbenchError as problem:
            self._states.emit(NoticeGiven(None, str(problem)))

    async def _approve(self, intent: workspace_intents.ApproveTools) -> None:
        workspace, name = intent.workspace, intent.server
        place = self._servers.known(workspace)
        listing = self._servers.of(workspace, name).listing(name)
        seen = [tool for tool in listing.tools if tool in intent.tools]
        if len(seen) < len(intent.tools):
            raise NotKept(f"{name} says something else by now than was looked at. Look at its tools again.")
        known = {tool.name for one in place.servers if one.name == name for tool in one.approved}
        servers = tuple(approve(one, seen) if one.name == name else one for one in place.servers)
        await self._kept.keep(replace(place, servers=servers))
        await self._give_new_chats(workspace, [tool for tool in seen if tool.name not in known])
        self._servers.moved(workspace, listing)

    async def _give_new_chats(self, workspace: str, tools: Sequence[McpTool]) -> None:
        """What somebody looked at for the first time is there in new chats; the others keep the tools they have."""
        template = template_of(workspace)

        def with_tools(kept: Chat) -> Chat:
            held = {tool.name for tool in kept.settings.tools}
            new = tuple(tool.definition for tool in tools if tool.called not in held)
            return replace(kept, settings=replace(kept.settings, tools=(*kept.settings.tools, *new)))

        if tools:
            await update_chat(template, self._world, with_tools)
            await self._open.reload(template)

    async def _attach(self, intent: workspace_intents.AttachResource) -> None:
        place = await self._inside(intent.chat)
        contents = await self._servers.of(place.id, intent.server).read(intent.server, intent.uri)
        for content in contents:
            artifact = resource_artifact(intent.server, await self._as_text(content), intent.title)
            await attach_note(intent.chat, artifact, self._world)
        await self._open.reload(intent.chat)

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

    async def _write(self, intent: workspace_intents.WritePrompt) -> None:
        place = await self._inside(intent.chat)
        servers = self._servers.of(place.id, intent.server)
        self._open.add_words(
            intent.chat, await servers.prompt(intent.server, intent.prompt, intent.arguments)
        )

    # The folder.

    async def _look(self, workspace: str) -> None:
        place = self._servers.known(workspace)
        try:
            offer = undecided(await self._offer(place), place)
        except InvalidInput as problem:
            self._states.emit(FolderOffered(workspace, None, str(problem)))
            return
        shown = None if offer is None else await self._with_files(place.folder, offer)
        self._states.emit(FolderOffered(workspace, shown))

    async def _answer(self, intent: workspace_intents.AnswerOffer) -> None:
        place = self._servers.known(intent.workspace)
        offer, wanted = await self._offer(place), dict(intent.files)
        now, there = digests(offer), (await self._with_files(place.folder, offer)).files
        changed = any(now.get(file) != digest for file, digest in wanted.items())
        if changed or not set(intent.attach) <= set(there):
            await self._look(place.id)
            raise NotKept("The folder's files have changed since they were shown; look at them again.")
        place = self._servers.known(
            intent.workspace
        )  # something else may have been kept while the folder was read
        if not intent.accepted:
            await self._kept.keep(refused(place, wanted))
        else:
            await self._kept.keep(accepted(place, offer, wanted, intent.servers))
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
                await self._kept.spread(template, attach_files(wish, self._world))
            except WorkbenchError as problem:  # the rest of the offer is in use all the same
                self._states.emit(NoticeGiven(None, str(problem)))
        await self._open.reload(template)

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

    async def _inside(self, chat: str) -> Workspace:
        opened = self._states.state.open.get(chat)
        kept = await self._world.store.chat(chat) if opened is None else opened.chat
        found = self._world.workspaces.of(kept)
        if found is None:
            raise NotKept("This chat is in no workspace, so it has no servers of tools.")
        return found
