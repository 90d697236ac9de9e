"""The loaded workspaces, which complete a chat's own settings before a request is built."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import PurePath

from workbench.domain.files.attachment import Artifact
from workbench.domain.record import Chat
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ApprovalRule, Ruling
from workbench.domain.workspace import (
    EVERYWHERE,
    SavedPrompt,
    Surroundings,
    Workspace,
    is_template,
    moment_values,
    workspace_of_template,
)
from workbench.ports.clock import UtcClock
from workbench.ports.workspaces import WorkspaceStore


class Workspaces:
    """The workspaces, read once and changed through here; none without a store.

    Attributes:
        store: where they are kept. all: by id, deleted ones too. prompts: the texts under a name.
    """

    def __init__(self, store: WorkspaceStore | None = None, utc: UtcClock | None = None) -> None:
        self.store, self._utc = store, utc
        self.all: Mapping[str, Workspace] = {}
        self.prompts: tuple[SavedPrompt, ...] = ()
        self._read = store is None
        self._reading = asyncio.Lock()
        # By chat: rules that are not kept yet hold for turns of closed chats too.
        self._decided: dict[str, tuple[ApprovalRule, ...]] = {}
        self._unusable: dict[str, frozenset[str]] = {}

    async def ready(self) -> None:
        """Load the workspaces, once."""
        if self._read or self.store is None:
            return
        async with self._reading:
            if not self._read:
                self.all = {one.id: one for one in await self.store.workspaces()}
                self.prompts = await self.store.prompts()
                self._read = True

    def note(self, workspace: Workspace) -> None:
        others = [one for one in self.all.values() if one.id != workspace.id]
        found = sorted((*others, workspace), key=lambda one: (one.name.casefold(), one.id))
        self.all = {one.id: one for one in found}

    def find(self, workspace: str) -> Workspace | None:
        """A workspace by id, unless it is deleted."""
        found = self.all.get(workspace) if workspace != EVERYWHERE else None
        return None if found is None or found.deleted_utc is not None else found

    def named(self, name: str) -> Workspace | None:
        """The workspace of that name, else the only one whose name matches when case is ignored."""
        kept = [one for one in self.all.values() if one.id != EVERYWHERE and one.deleted_utc is None]
        exact = [one for one in kept if one.name == name]
        alike = [one for one in kept if one.name.casefold() == name.casefold()]
        found = exact or alike
        return found[0] if len(found) == 1 else None

    @property
    def folders(self) -> tuple[str, ...]:
        return tuple(one.folder for one in self.all.values() if one.folder and one.deleted_utc is None)

    @property
    def everywhere(self) -> Workspace:
        return self.all.get(EVERYWHERE, Workspace(EVERYWHERE))

    def of(self, chat: Chat) -> Workspace | None:
        """The workspace that a chat is in, or is the template of."""
        return self.find(_inside(chat)) if self.all else None

    def ruling(self, chat: Chat) -> Ruling:
        """Approval rules for tools in a chat: its own, its workspace's, and those for all."""
        own = (*self._decided.get(chat.id, ()), *chat.filed.rules)
        place = self.of(chat)
        stricter = (rule for rule in own if rule.decision != "allow")
        rules = (*stricter, *(() if place is None else place.rules), *self.everywhere.rules)
        return Ruling(rules, tuple(rule for rule in own if rule.decision == "allow"))

    def decided(self, chat: str, rule: ApprovalRule) -> None:
        """Apply a rule in a chat at once, before it is stored: the next call of this turn follows it."""
        self._decided[chat] = (rule, *(one for one in self._decided.get(chat, ()) if one != rule))

    def kept(self, chat: str, rule: ApprovalRule) -> None:
        """A decided rule is stored with the chat or its workspace, and applies from there."""
        waiting = tuple(one for one in self._decided.pop(chat, ()) if one != rule)
        if waiting:
            self._decided[chat] = waiting

    def changed_tools(self, workspace: str, names: frozenset[str]) -> bool:
        """Record tools that differ from what was approved; returns whether that is news."""
        news = self._unusable.get(workspace, frozenset()) != names
        self._unusable[workspace] = names
        return news

    def surroundings(
        self, chat: Chat, attached: Iterable[Artifact] = (), tried: Workspace | None = None
    ) -> Surroundings:
        """What completes a chat's settings; a `tried` workspace replaces the one of its id."""
        everywhere, inside = self.everywhere, self.of(chat)
        if tried is not None and tried.id == EVERYWHERE:
            everywhere = tried
        elif tried is not None and inside is not None and tried.id == inside.id:
            inside = tried
        unusable = frozenset() if inside is None else self._unusable.get(inside.id, frozenset())
        gone = inside is None and bool(chat.filed.workspace)
        return Surroundings(everywhere, inside, self._values(chat, inside, attached), unusable, gone)

    def effective(
        self, chat: Chat, settings: ContextSettings, attached: Iterable[Artifact] = ()
    ) -> ContextSettings:
        """The settings a request is built with; `settings` are the chat's own, or others for one turn."""
        # The model that a variable names is the one that is asked, also where it is another for one turn.
        return self.surroundings(replace(chat, settings=settings), attached).around(settings)

    def _values(
        self, chat: Chat, inside: Workspace | None, attached: Iterable[Artifact]
    ) -> Mapping[str, str]:
        values = {
            "workspace": "" if inside is None else inside.name,
            "folder": "" if inside is None else PurePath(inside.folder).name,
            "model": chat.settings.model,
            "files": ", ".join(artifact.name_for_model or artifact.key for artifact in attached),
        }
        return values if self._utc is None else values | moment_values(_local(self._utc.utc_now()))


def _inside(chat: Chat) -> str:
    return workspace_of_template(chat.id) if is_template(chat.id) else chat.filed.workspace


def _local(utc: str) -> datetime:
    """The time in the local time zone."""
    return datetime.fromisoformat(utc).astimezone()
