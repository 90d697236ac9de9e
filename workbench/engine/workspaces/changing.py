"""Changes of workspaces: each kept at once, then known to every chat that it reaches."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from workbench.domain.approval import ApprovalRule
from workbench.domain.errors import InvalidInput, NotKept, WorkbenchError
from workbench.domain.mcp.names import BETWEEN
from workbench.domain.record import Chat
from workbench.domain.workspace import Filed, Workspace, is_template, revised, template_of, without_served
from workbench.engine import workspace_intents
from workbench.engine.chats.changes import update_chat
from workbench.engine.chats.drafts import NewChats
from workbench.engine.events import NoticeGiven, ProgramShown, ReachSeen
from workbench.engine.intents import AllowScope
from workbench.engine.open_chat.chats import OpenChats
from workbench.engine.shown.reach import reach_of
from workbench.engine.store import StateStore
from workbench.engine.workspaces.keeping import KeptWorkspaces, archive_of
from workbench.engine.workspaces.serving import Serving
from workbench.engine.workspaces.suggesting import Suggesting
from workbench.engine.world import World

_LONGEST_NAME = 80


class ChangingWorkspaces:
    """Does what is wanted of workspaces."""

    def __init__(self, world: World, states: StateStore, open_chats: OpenChats, new: NewChats) -> None:
        self._world, self._states, self._open, self._new = world, states, open_chats, new
        self.kept = KeptWorkspaces(world, states, open_chats)
        self._serving = Serving(world, states, open_chats, self.kept)
        self._suggesting = Suggesting(world, states, self.kept)
        self._begun = False

    async def ready(self) -> None:
        """Know the workspaces, and have their servers as they are kept, the first time somebody needs that."""
        await self._world.workspaces.ready()
        if not self._begun:
            self._begun = True
            await self.kept.servers.begin()

    async def close(self) -> None:
        """End what runs for workspaces."""
        await self.kept.servers.close()

    async def begin(self) -> None:
        """Say which workspaces and prompts there are."""
        await self.ready()
        self.kept.tell()
        self._states.emit(ProgramShown({"prompts": self._world.workspaces.prompts}))

    async def do(self, intent: workspace_intents.WorkspaceIntent) -> None:
        """Do one thing and show it."""
        await self.ready()
        match intent:
            case _ if isinstance(intent, workspace_intents.ServerIntent):
                await self._serving.do(intent)
            case _ if isinstance(intent, workspace_intents.WorkspaceChange):
                await self._change(intent)
            case workspace_intents.FileChats():
                await self._file(intent)
            case workspace_intents.SavePrompt() | workspace_intents.DeletePrompt():
                await self._change_prompts(intent)
            case workspace_intents.ExportWorkspace(key, path):
                await self._export(self._known(key), path)
            case workspace_intents.LookAtReach(chats):
                await self._look_at_reach(chats)
            case workspace_intents.OfferFacts() | workspace_intents.SuggestFacts():
                self._suggesting.begin(intent)
            case _:
                assert_never(intent)

    async def _change(self, intent: workspace_intents.WorkspaceChange) -> None:
        match intent:
            case workspace_intents.StartWorkspace():
                await self._start(intent)
            case workspace_intents.SaveWorkspace(workspace):
                await self._save(workspace)
            case workspace_intents.ReviseWorkspace(before, after):
                current = self._world.workspaces.all.get(after.id, before)
                await self._save(revised(current, before, after))
            case workspace_intents.DeleteWorkspace(key):
                await self._save(replace(self._known(key), deleted_utc=self._world.utc.utc_now()))
            case workspace_intents.RestoreWorkspace(key):
                await self._save(replace(self._known(key), deleted_utc=None))
            case _:
                assert_never(intent)

    def keep_soon(self, chat: str, rule: ApprovalRule, scope: AllowScope) -> None:
        """What somebody decided about a tool is a rule from now on, before those that were there."""
        self._world.workspaces.decided(chat, rule)
        self._world.tasks.spawn(f"keep a rule of {chat}", self._keep_rule(chat, rule, scope))

    async def _keep_rule(self, chat: str, rule: ApprovalRule, scope: AllowScope) -> None:
        """Until it is kept it holds by itself; where it cannot be, as long as the program runs."""
        await self._write_rule(chat, rule, scope)
        self._world.workspaces.kept(chat, rule)

    async def _write_rule(self, chat: str, rule: ApprovalRule, scope: AllowScope) -> None:
        await self._world.workspaces.ready()
        place = self._world.workspaces.of(await self._world.store.chat(chat))
        if scope == "workspace" and place is not None:
            await self.kept.keep(replace(place, rules=(rule, *(one for one in place.rules if one != rule))))
            return

        def ruled(kept: Chat) -> Chat:
            rules = (rule, *(one for one in kept.filed.rules if one != rule))
            return replace(kept, filed=replace(kept.filed, rules=rules))

        await update_chat(chat, self._world, ruled)
        await self._open.reload(chat)

    def _known(self, key: str) -> Workspace:
        found = self._world.workspaces.all.get(key)
        if found is None:
            raise NotKept(f"There is no workspace {key!r}.")
        return found

    async def _start(self, intent: workspace_intents.StartWorkspace) -> None:
        made = replace(intent.workspace, made_utc=self._world.utc.utc_now())
        self._check(made)
        template = Chat(
            template_of(made.id), made.made_utc, made.name, intent.settings, filed=Filed(workspace=made.id)
        )
        await self._world.store.create_chat(template)
        await self.kept.keep(made)

    async def _save(self, workspace: Workspace) -> None:
        before = self._world.workspaces.all.get(workspace.id)
        if before is None or before.name != workspace.name or before.deleted_utc is not None:
            self._check(workspace)
        await self.kept.keep(workspace)
        if before is not None and before.name != workspace.name:
            name = workspace.name
            await update_chat(template_of(workspace.id), self._world, lambda kept: replace(kept, title=name))
            await self._open.reload(template_of(workspace.id))

    def _check(self, workspace: Workspace) -> None:
        """A name that can be seen, and that no other workspace has: the command line goes by it."""
        if not workspace.id or workspace.deleted_utc is not None:
            return
        name = workspace.name
        if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable() or name != name.strip():
            raise InvalidInput(
                "name", f"a workspace needs a name of one line, at most {_LONGEST_NAME} characters long"
            )
        other = self._world.workspaces.named(name)
        if other is not None and other.id != workspace.id:
            raise InvalidInput("name", f"there is a workspace called {other.name!r} already")

    async def _file(self, intent: workspace_intents.FileChats) -> None:
        for chat in intent.chats:
            await self._file_one(chat, intent)
        self._states.emit(ProgramShown({"chats": await self._world.store.chats()}))
        for chat in intent.chats:
            await self._open.reload(chat)

    async def _file_one(self, chat: str, intent: workspace_intents.FileChats) -> None:
        if is_template(chat):
            raise NotKept("This belongs to its workspace and stays there.")
        to = intent.workspace
        if to is not None and to and self._world.workspaces.find(to) is None:
            raise NotKept(f"There is no workspace {to!r}.")
        await self._new.write_down(chat)
        before = (await self._world.store.chat(chat)).filed
        moves = to is not None and to != before.workspace

        def filed(kept: Chat) -> Chat:
            now = self._filed(kept.filed, intent)
            if not moves:
                return replace(kept, filed=now)
            # Another workspace's server of the same name is another one: what was allowed there is not allowed here.
            own = tuple(rule for rule in now.rules if not any(BETWEEN in name for name in rule.tools))
            return replace(kept, settings=without_served(kept.settings), filed=replace(now, rules=own))

        await update_chat(chat, self._world, filed)
        if to is not None and to != before.workspace:
            async with self._world.locks.of(chat):
                if before.workspace:
                    await self.kept.store.leave(chat, before.workspace)
                if to:
                    await self.kept.store.join(chat, to)

    def _filed(self, filed: Filed, intent: workspace_intents.FileChats) -> Filed:
        archived = filed.archived_utc
        if intent.archived is not None:
            archived = (archived or self._world.utc.utc_now()) if intent.archived else None
        return replace(
            filed,
            workspace=filed.workspace if intent.workspace is None else intent.workspace,
            pinned=filed.pinned if intent.pinned is None else intent.pinned,
            archived_utc=archived,
            tags=filed.tags if intent.tags is None else tidy_tags(intent.tags),
            rules=filed.rules if intent.rules is None else intent.rules,
        )

    async def _change_prompts(
        self, intent: workspace_intents.SavePrompt | workspace_intents.DeletePrompt
    ) -> None:
        match intent:
            case workspace_intents.SavePrompt(prompt, before):
                name = " ".join(prompt.name.split())
                if not name or len(name) > _LONGEST_NAME or not name.isprintable():
                    raise InvalidInput("name", "a prompt needs a name of one line")
                if before and before != name:
                    await self.kept.store.delete_prompt(prompt.workspace, before)
                await self.kept.store.save_prompt(replace(prompt, name=name))
            case workspace_intents.DeletePrompt(workspace, name):
                await self.kept.store.delete_prompt(workspace, name)
        self._world.workspaces.prompts = await self.kept.store.prompts()
        self._states.emit(ProgramShown({"prompts": self._world.workspaces.prompts}))

    async def _export(self, workspace: Workspace, path: str) -> None:
        if self._world.exchange is None:
            raise WorkbenchError("There is no place to write files to here.")
        # Late: seldom wanted, and much to load.
        from workbench.engine.exchange.workspace_format import export_workspace

        archive = await archive_of(workspace, self._world.store, self.kept.store)
        document = await asyncio.to_thread(export_workspace, archive)
        files = (("workspace.workbench.json", document),)
        await self._world.exchange.write(path, files, alone=True, stopped=lambda: False)
        count = f"{len(archive.chats)} chat{'' if len(archive.chats) == 1 else 's'}"
        words = f"Exported {workspace.name!r} with {count}."
        self._states.emit(
            NoticeGiven(None, f"{words} The file is not encrypted: keep it where only you read it.")
        )

    async def _look_at_reach(self, chats: Sequence[str]) -> None:
        seen = {chat: await reach_of(chat, self._world) for chat in chats}
        self._states.emit(ReachSeen(seen))


def tidy_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Tags without what cannot be seen, each once, in their order."""
    words = (" ".join(tag.split()).lstrip("#")[:40] for tag in tags)
    return tuple(dict.fromkeys(word for word in words if word))
