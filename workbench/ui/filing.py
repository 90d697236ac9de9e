"""Undoable steps about workspaces and about where chats are filed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from workbench.domain.record import Chat
from workbench.domain.workspace import Fact, SavedPrompt, Workspace, template_of, without_served
from workbench.engine.intents import ChangeSettings
from workbench.engine.state import ChatState, WorkbenchState
from workbench.engine.tuning_intents import DetachShared, PutBackAttached
from workbench.engine.workspace_intents import (
    DeletePrompt,
    DeleteWorkspace,
    FileChats,
    RestoreWorkspace,
    SavePrompt,
)
from workbench.ui.steps import Step, StepIntent, revise_workspace
from workbench.ui.translation import tr
from workbench.ui.widgets.plain import shown

CHATS = "application/x-workbench-chats"
"""MIME type of chats dragged from the list: their ids, one per line."""


def file_chats(chats: Iterable[Chat], wanted: FileChats, in_view: str, state: WorkbenchState) -> Step | None:
    """File chats in another way; `in_view` is the chat in which it can be undone. None if nothing would change.

    For an open chat that is moved, undo also restores its tools and attachments. What other chats have is not known
    here: undo gives them what the workspace they return to has.
    """
    asked = frozenset(wanted.chats)
    touched = [chat for chat in chats if chat.id in asked]
    changed = [chat for chat in touched if _would_change(chat, wanted)]
    if not changed:
        return None
    do = replace(wanted, chats=tuple(chat.id for chat in changed))
    undo: tuple[StepIntent, ...] = _undo_filing(changed, wanted)
    for chat in changed:
        one = state.open.get(chat.id)
        if one is not None and wanted.workspace not in (None, chat.filed.workspace):
            undo = _undo_move(one, undo)
    return Step(in_view, _title(do, changed, state.workspaces), (do,), undo)


def tag_chats(chats: Sequence[Chat], tags: Sequence[str], in_view: str) -> Step | None:
    """Replace the tags that all these chats have in common; tags that only some of them have are kept."""
    common = common_tags(chats)
    do: list[FileChats] = []
    changed: list[Chat] = []
    for chat in chats:
        own = [tag for tag in chat.filed.tags if tag not in common]
        wanted = tuple(dict.fromkeys((*tags, *own)))
        if wanted != chat.filed.tags:
            do.append(FileChats((chat.id,), tags=wanted))
            changed.append(chat)
    undo = tuple(FileChats((chat.id,), tags=chat.filed.tags) for chat in changed)
    return Step(in_view, tr("Tags of {what}").format(what=_names(changed)), tuple(do), undo) if do else None


def common_tags(chats: Sequence[Chat]) -> tuple[str, ...]:
    """The tags that all of these chats have."""
    if not chats:
        return ()
    shared = frozenset(chats[0].filed.tags).intersection(*(chat.filed.tags for chat in chats[1:]))
    return tuple(tag for tag in chats[0].filed.tags if tag in shared)


def save_workspace(before: Workspace, after: Workspace, title: str) -> Step | None:
    """Change a workspace, as a step of its page."""
    return revise_workspace(template_of(before.id), before, after, title)


def rename_workspace(workspace: Workspace, name: str, in_view: str = "") -> Step | None:
    """Rename a workspace."""
    title = tr("Rename {what}").format(what=shown(workspace.name, 60))
    step = save_workspace(workspace, replace(workspace, name=" ".join(name.split())), title)
    return replace(step, chat=in_view) if step is not None and in_view else step


def delete_workspace(workspace: Workspace, in_view: str) -> Step:
    """Delete a workspace; its chats are in none afterwards."""
    title = tr("Delete the workspace {what}").format(what=shown(workspace.name, 60))
    return Step(in_view, title, (DeleteWorkspace(workspace.id),), (RestoreWorkspace(workspace.id),))


def with_fact(workspace: Workspace, fact: Fact) -> Step | None:
    """Add a fact to a workspace's memory, or change one; accepting a suggestion is such a change."""
    known = [one.id for one in workspace.facts]
    facts = tuple(fact if one.id == fact.id else one for one in workspace.facts)
    facts = facts if fact.id in known else (*facts, fact)
    title = tr("Change a fact") if fact.id in known else tr("Add a fact")
    return save_workspace(workspace, replace(workspace, facts=facts), title)


def without_fact(workspace: Workspace, fact: str) -> Step | None:
    """Remove a fact from a workspace's memory."""
    facts = tuple(one for one in workspace.facts if one.id != fact)
    return save_workspace(workspace, replace(workspace, facts=facts), tr("Remove a fact"))


def save_prompt(prompt: SavedPrompt, before: SavedPrompt | None) -> Step:
    """Save a prompt, as a new one or in place of `before`."""
    of = template_of(prompt.workspace)
    if before is None:
        gone = DeletePrompt(prompt.workspace, prompt.name)
        return Step(of, tr("Add a prompt"), (SavePrompt(prompt),), (gone,))
    back = SavePrompt(before, prompt.name)
    return Step(of, tr("Change a prompt"), (SavePrompt(prompt, before.name),), (back,))


def delete_prompt(prompt: SavedPrompt) -> Step:
    """Delete a prompt."""
    gone = DeletePrompt(prompt.workspace, prompt.name)
    return Step(template_of(prompt.workspace), tr("Delete a prompt"), (gone,), (SavePrompt(prompt),))


def _would_change(chat: Chat, wanted: FileChats) -> bool:
    filed = chat.filed
    return (
        wanted.workspace not in (None, filed.workspace)
        or wanted.pinned not in (None, filed.pinned)
        or wanted.archived not in (None, filed.archived_utc is not None)
        or wanted.tags not in (None, filed.tags)
    )


def _undo_filing(changed: Sequence[Chat], wanted: FileChats) -> tuple[FileChats, ...]:
    """The intents that undo it; chats that were filed alike share one."""
    before: dict[FileChats, list[str]] = {}
    for chat in changed:
        filed = chat.filed
        old = FileChats(
            (),
            workspace=None if wanted.workspace is None else filed.workspace,
            pinned=None if wanted.pinned is None else filed.pinned,
            archived=None if wanted.archived is None else filed.archived_utc is not None,
            tags=None if wanted.tags is None else filed.tags,
        )
        before.setdefault(old, []).append(chat.id)
    return tuple(replace(old, chats=tuple(ids)) for old, ids in before.items())


def _undo_move(chat: ChatState, filing: tuple[StepIntent, ...]) -> tuple[StepIntent, ...]:
    """The intents that undo a move of an open chat, with its attachments and tools as they were."""
    key, place, settings = chat.chat.id, chat.chat.filed.workspace, chat.chat.settings
    held = tuple(one.key for one in chat.conversation.attached)
    back = (PutBackAttached(key, chat.conversation.attached, held, only_gone=True),) if held else ()
    more = (DetachShared(key, place, frozenset(held)),) if place else ()
    moved = without_served(settings)
    tools = (ChangeSettings(key, settings, moved),) if moved != settings else ()
    # Put back before, the chat's own copies stay when the workspace brings its files; after, those it took along.
    return (*back, *filing, *back, *more, *tools)


def _title(step: FileChats, chats: Sequence[Chat], places: Mapping[str, Workspace]) -> str:
    what = _names(chats)
    if step.workspace is not None:
        place = places.get(step.workspace)
        if place is None:
            return tr("Move {what} out of its workspace").format(what=what)
        return tr("Move {what} to {place}").format(what=what, place=shown(place.name, 60))
    if step.archived is not None:
        words = tr("Archive {what}") if step.archived else tr("Unarchive {what}")
        return words.format(what=what)
    if step.pinned is not None:
        return (tr("Pin {what}") if step.pinned else tr("Unpin {what}")).format(what=what)
    return tr("Tags of {what}").format(what=what)


def _names(chats: Sequence[Chat]) -> str:
    if len(chats) != 1:
        return tr("{n} chats").format(n=len(chats))
    return tr("“{title}”").format(title=shown(chats[0].title, 60) or tr("New chat"))
