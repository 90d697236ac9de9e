"""What a person wants of workspaces: to make, change and file chats in them, and to keep texts under names."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.preferences import ContextSettings
from workbench.domain.workspace import SavedPrompt, Workspace


@dataclass(frozen=True, slots=True)
class StartWorkspace:
    """Make a workspace; `settings` are how its new chats are set."""

    workspace: Workspace
    settings: ContextSettings


@dataclass(frozen=True, slots=True)
class SaveWorkspace:
    """Keep a workspace as it is now; its chats' next requests follow. An empty id is what holds everywhere."""

    workspace: Workspace


@dataclass(frozen=True, slots=True)
class DeleteWorkspace:
    """Put a workspace away; its chats are then in none. It can be brought back until it is purged."""

    workspace: str


@dataclass(frozen=True, slots=True)
class RestoreWorkspace:
    """Bring a deleted workspace back, with the chats that were in it."""

    workspace: str


@dataclass(frozen=True, slots=True)
class FileChats:
    """Say where chats are found; None leaves that as it is.

    One that goes into a workspace gets the files that all have there, and leaves those of the one it was in.
    """

    chats: tuple[str, ...]
    workspace: str | None = None
    pinned: bool | None = None
    archived: bool | None = None
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class SavePrompt:
    """Keep a text under a name; `before` is the name it had."""

    prompt: SavedPrompt
    before: str = ""


@dataclass(frozen=True, slots=True)
class DeletePrompt:
    """Forget the text under a name."""

    workspace: str
    name: str


@dataclass(frozen=True, slots=True)
class ExportWorkspace:
    """Write a workspace with its chats to a new file, which is not encrypted."""

    workspace: str
    path: str


@dataclass(frozen=True, slots=True)
class LookAtReach:
    """Say how the caches of chats stand, in view or not."""

    chats: tuple[str, ...]


WorkspaceIntent = (
    StartWorkspace
    | SaveWorkspace
    | DeleteWorkspace
    | RestoreWorkspace
    | FileChats
    | SavePrompt
    | DeletePrompt
    | ExportWorkspace
    | LookAtReach
)
