"""A workspace with everything in it, as it is exported."""

from __future__ import annotations

from workbench.domain.record import WorkspaceArchive
from workbench.domain.workspace import Workspace, template_of
from workbench.ports.history import HistoryStore
from workbench.ports.workspaces import WorkspaceStore


async def archive_of(workspace: Workspace, store: HistoryStore, places: WorkspaceStore) -> WorkspaceArchive:
    """The workspace, its files and settings, its prompts, and its chats as they are."""
    inside = [chat.id for chat in await store.chats() if chat.filed.workspace == workspace.id]
    return WorkspaceArchive(
        workspace,
        await store.archive(template_of(workspace.id)),
        tuple(one for one in await places.prompts() if one.workspace == workspace.id),
        tuple([await store.archive(one) for one in sorted(inside)]),
    )
