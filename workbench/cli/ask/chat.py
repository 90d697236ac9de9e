"""The chat that `workbench ask` works on: opened or started, with what is attached to it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace

from workbench.cli.ask.asking import Asking
from workbench.cli.ask.question import Question, attach_files, attach_found, check_attached, find_attachments
from workbench.cli.folders import index_folder
from workbench.cli.open_history import find_chat, has_store
from workbench.cli.services import Services
from workbench.cli.terminal import tell, visible_line
from workbench.cli.workspaces import find_workspace
from workbench.domain.errors import InvalidInput, StoreInUse, WorkbenchError
from workbench.domain.files.folder import FollowedFolder
from workbench.domain.mcp_server import BETWEEN
from workbench.domain.record import Chat
from workbench.domain.settings.context_settings import ContextSettings, retooled
from workbench.domain.settings.preset import apply_overrides, as_preset, with_persona
from workbench.domain.translation import tr
from workbench.domain.workspace import Filed, Workspace, template_of
from workbench.engine.attaching_intents import FollowFolder
from workbench.engine.intents import (
    AttachArtifact,
    AttachFiles,
    ChangeSettings,
    DeleteChat,
    OpenChat,
    StartChat,
)
from workbench.engine.stored_conversation import searched_folders
from workbench.engine.tuning_intents import AttachedChange, TuneAttached
from workbench.engine.workbench import Workbench
from workbench.engine.world import World
from workbench.ports.history import HistoryStore

# Presets of `workbench ask`: what a new chat starts from, and what is saved of a chat.


@dataclass(frozen=True, slots=True)
class PresetChoice:
    """The preset for a new chat, and whether an option or the settings file named it."""

    name: str
    where: str


def find_preset(asked: str | None, services: Services) -> PresetChoice | None:
    """Returns the preset named by `--preset`, or else by the settings file; None where there is none.

    An unknown one is refused before a store would be created for it.
    """
    wanted = (
        PresetChoice(services.new_chat_preset(), "persona")
        if asked is None
        else PresetChoice(asked, "--preset")
    )
    if not wanted.name:
        return None
    if not has_store(services):
        raise _unknown(wanted, ())
    return wanted


async def start_from(
    wanted: PresetChoice, store: HistoryStore, services: Services, tools: bool
) -> ContextSettings:
    """Returns the settings of a new chat made from a preset, with the tools that this call asks for."""
    presets = await store.presets()
    if wanted.name not in presets:
        raise _unknown(wanted, tuple(presets))
    plain, fresh = services.new_chat_settings(False), services.new_chat_settings(tools)
    tooling = fresh if tools else ContextSettings()
    preset = replace(presets[wanted.name], tools=tooling.tools, tool_guidelines=tooling.tool_guidelines)
    return with_persona(preset, plain.persona.default, fresh.persona.default)


async def keep_preset(name: str, chat: str, store: HistoryStore, services: Services, tools: bool) -> None:
    """Saves a chat's settings as a preset, replacing one of the same name."""
    kept = name in await store.presets()
    settings = (await store.chat(chat)).settings
    plain, fresh = services.new_chat_settings(False), services.new_chat_settings(tools)
    settings = as_preset(settings)
    await store.save_preset(name, with_persona(settings, fresh.persona.default, plain.persona.default))
    tell(
        tr(
            "workbench: the preset {name} {words}",
            name=visible_line(name),
            words=tr("was replaced") if kept else tr("is kept"),
        )
    )


def _unknown(wanted: PresetChoice, known: tuple[str, ...]) -> InvalidInput:
    names = ", ".join(map(visible_line, known)) or tr("none yet; `ask --save-preset NAME` keeps one")
    named = "" if wanted.where == "--preset" else tr(", which the settings file names")
    return InvalidInput(
        wanted.where,
        tr(
            "there is no preset {name!r}{named}; known: {names}",
            name=visible_line(wanted.name),
            named=named,
            names=names,
        ),
    )


# Waiting for another program that writes to the same history, for as long as somebody wants to.


_LOOK_S = 0.2


class Patience:
    """The time that a call may still wait for other programs; the first wait is announced."""

    def __init__(self, wait_s: float, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._left_s, self._sleep = wait_s, sleep
        self._told = False

    async def open(self, services: Services) -> HistoryStore:
        """Opens the history for writing, also while a window or another call has it open."""
        while True:
            try:
                return await services.history().open(writable=True, beside=True)
            except StoreInUse as problem:
                if not await self._wait_once("another program is changing the history"):
                    raise problem from None

    async def until_quiet(self, chat: Chat, store: HistoryStore) -> None:
        """Waits until no other program is asking in the chat."""
        while True:
            lines = await store.turn_lines(chat.id, newest=1)
            if not lines or lines[0].state != "running":
                return
            if not await self._wait_once(f"another program is asking in {visible_line(chat.id)}"):
                raise StoreInUse(
                    tr("the chat {id}", id=visible_line(chat.id)),
                    tr("Wait for its answer, or give --wait more seconds."),
                )

    async def _wait_once(self, what: str) -> bool:
        if self._left_s <= 0:
            return False
        if not self._told:
            tell(tr("workbench: {what}; waiting up to {left_s:g} s", what=what, left_s=self._left_s))
            self._told = True
        await self._sleep(min(_LOOK_S, self._left_s))
        self._left_s -= _LOOK_S
        return True


async def ask(question: Question, services: Services, asking: Asking) -> int:
    """Asks all questions in one chat; returns the exit code."""
    with ExitStack() as after:
        return await _ask(question, services, asking, after)


async def _ask(question: Question, services: Services, asking: Asking, after: ExitStack) -> int:
    # What is wrong is said before the store is opened: none is made for settings that cannot be used.
    services.check_sending()
    services.check_catalogue()
    settings = _settings(question, services.new_chat_settings(question.tools))
    _check_name(settings.model, services)
    preset = None if question.chat is not None else find_preset(question.preset, services)
    _check_places(question, services)
    patience = Patience(question.wait_s)
    store = await (_open_copy(services, after) if question.dry else patience.open(services))
    try:
        kept = None if question.chat is None else await _find_existing_chat(question.chat, store, patience)
        inside = await _workspace(question, kept, store, services)
        made_like = kept or await _template(question, inside, store)
        if made_like is not None:
            settings = _settings(question, _with_tools(made_like.settings, services, question.tools))
        elif preset is not None:
            settings = _settings(question, await start_from(preset, store, services, question.tools))
        _check_name(settings.model, services)
        wishes = question.wishes if inside is None else replace(question.wishes, workspace=None)
        world = services.world(store, replace(wishes, model=settings.model))
        # Nobody looks at the next request here: files are looked at when one is made.
        world.limits.disk_look_s = None
    except BaseException:
        await store.close()
        raise
    workbench = Workbench(world)
    try:
        # A chat is not made for a file that cannot be attached, nor for more of them than anybody wants.
        await check_attached(question.attach, settings, world, sure=asking.allow)
        chat = services.new_id() if kept is None else kept.id
        new = StartChat(chat, settings, filed=_filed(inside, question))
        try:
            await _open_chat(chat, kept, new, workbench)
            await _attach(question, chat, workbench, world, asking)
            if question.save_preset is not None:
                await keep_preset(question.save_preset, chat, store, services, question.tools)
            return await asking.all(question.texts, chat, workbench)
        finally:
            if kept is None and not question.temporary:
                await _remove_empty_chat(chat, workbench, store)
    finally:
        await workbench.close()


def _filed(inside: Workspace | None, question: Question) -> Filed:
    return Filed("" if inside is None else inside.id, temporary=question.temporary)


def _check_places(question: Question, services: Services) -> None:
    """Refuses an unknown workspace or chat before a store would be created for it."""
    if question.wishes.workspace is not None and not has_store(services):
        _check_folder(question.wishes.workspace)
    if question.chat is not None:
        services.keys().status()


async def _open_copy(services: Services, after: ExitStack) -> HistoryStore:
    """Returns a copy of the history for a dry run, or an empty one where there is none."""
    if has_store(services):
        return await services.history().copied()
    return await after.enter_context(services.scratch()).open()


async def _find_existing_chat(name: str, store: HistoryStore, patience: Patience) -> Chat:
    """Returns the chat to continue, once no other program is asking in it."""
    chat = await find_chat(store, name)
    await patience.until_quiet(chat, store)
    return chat


def _check_name(model: str, services: Services) -> None:
    """Refuses a model name that cannot be used; starts and asks nothing."""
    services.models().open(model)


async def _remove_empty_chat(chat: str, workbench: Workbench, store: HistoryStore) -> None:
    """Deletes a new chat in which nothing was asked in the end (a failure, or Ctrl-C), with the copies of its files.

    The person was told that nothing was kept.
    """
    # What went wrong before is what is told, not that the store would not take this either.
    with suppress(WorkbenchError):
        there = any(one.id == chat for one in await store.chats())
        if there and not await store.path(chat):
            await workbench.dispatch(DeleteChat(chat))
            await store.remove_chats((chat,))


async def _template(question: Question, inside: Workspace | None, store: HistoryStore) -> Chat | None:
    """Returns the workspace's template for a new chat, unless a preset was named."""
    if inside is None or question.preset is not None:
        return None
    return await store.chat(template_of(inside.id))


async def _workspace(
    question: Question, kept: Chat | None, store: HistoryStore, services: Services
) -> Workspace | None:
    """Returns the workspace that `--workspace` names; None where it names a folder or is not given."""
    name = question.wishes.workspace
    if name is None:
        return None
    found = await find_workspace(name, services.workspaces(store))
    if found is not None and question.temporary:
        raise InvalidInput("--workspace", tr("a temporary chat is in no workspace; name its folder instead"))
    if found is not None and kept is not None and kept.filed.workspace != found.id:
        raise InvalidInput(
            "--workspace", tr("the chat is not in {name!r}; leave it out", name=visible_line(found.name))
        )
    if found is None:
        _check_folder(name)
    return found


def _check_folder(name: str) -> None:
    if not os.path.isdir(name):
        raise InvalidInput(
            "--workspace", tr("{name!r} is neither a workspace nor a folder", name=visible_line(name))
        )


async def _open_chat(chat: str, kept: Chat | None, new: StartChat, workbench: Workbench) -> None:
    """Opens the chat to continue with its new settings, or creates a new one."""
    if kept is None:
        await workbench.dispatch(new)
        return
    if new.settings != kept.settings:
        # Before it is opened: its old model is not asked anything by a call that names another.
        await workbench.dispatch(ChangeSettings(kept.id, new.settings))
    await workbench.dispatch(OpenChat(kept.id))


def _settings(question: Question, base: ContextSettings) -> ContextSettings:
    return apply_overrides(base, question.overrides)


def _with_tools(kept: ContextSettings, services: Services, wanted: bool) -> ContextSettings:
    """Returns the chat's settings with the tools that this call asks for; tools of servers stay, as does the rest."""
    fresh = services.new_chat_settings(wanted)
    bare = fresh if wanted else replace(fresh, tools=(), tool_guidelines="")
    served = tuple(tool for tool in kept.tools if BETWEEN in tool.name) if wanted else ()
    bare = replace(bare, tools=(*bare.tools, *served))
    return retooled(kept, bare, services.new_chat_settings(not wanted))


async def _follow(question: Question, chat: str, workbench: Workbench, world: World) -> None:
    """Follows folders in the chat, once their indexes are up to date."""
    for path in question.follow:
        await index_folder(path, world)
        await workbench.dispatch(FollowFolder(chat, FollowedFolder(path, searched=True)))
    if question.chat is not None and not question.follow:
        for path in await searched_folders(world.store, chat):
            await index_folder(path, world)


async def _attach(question: Question, chat: str, workbench: Workbench, world: World, asking: Asking) -> None:
    await _follow(question, chat, workbench, world)
    if question.search:
        asking.search = await attach_found(question.search, question.take, chat, workbench)
    if question.attach:
        wish = AttachFiles(
            chat,
            question.attach,
            whole=not asking.allow_drop,
            passwords=question.passwords,
            pictures=question.pictures,
        )
        await attach_files(wish, workbench)
    for path, priority in question.priorities.items():
        for artifact in find_attachments(path, chat, workbench, "priority"):
            changed = replace(artifact, priority=priority, essential=priority == 0)
            await workbench.dispatch(AttachArtifact(chat, changed))
    for path, tokens in question.lengths.items():
        found = find_attachments(path, chat, workbench, "length")
        whole = not tokens  # then also not by relevance any more, nor short because a cache holds it so
        outline = False if whole else None
        changes = (
            AttachedChange(one.key, most_tokens=tokens, by_relevance=outline, whole=whole) for one in found
        )
        await workbench.dispatch(TuneAttached(chat, tuple(changes)))
    for path in question.fitting:
        found = find_attachments(path, chat, workbench, "length")
        changes = (AttachedChange(one.key, by_relevance=True) for one in found)
        await workbench.dispatch(TuneAttached(chat, tuple(changes)))
