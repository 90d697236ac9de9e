"""Intents about workspaces: make and change them, file chats in them, and save prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.domain.mcp_question import Action
from workbench.domain.mcp_server import McpServer, McpTool
from workbench.domain.secrets import Secret
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ApprovalRule
from workbench.domain.workspace import SavedPrompt, Workspace


@dataclass(frozen=True, slots=True)
class StartWorkspace:
    """Create a workspace; `settings` apply to its new chats."""

    workspace: Workspace
    settings: ContextSettings


@dataclass(frozen=True, slots=True)
class SaveWorkspace:
    """Store a workspace; its chats' next requests follow. An empty id is what applies everywhere."""

    workspace: Workspace


@dataclass(frozen=True, slots=True)
class ReviseWorkspace:
    """Make one change of a workspace, leaving other changes alone; undone by the inverse change."""

    before: Workspace
    after: Workspace


@dataclass(frozen=True, slots=True)
class DeleteWorkspace:
    """Delete a workspace; its chats are then in none. It can be restored until it is purged."""

    workspace: str


@dataclass(frozen=True, slots=True)
class RestoreWorkspace:
    """Restore a deleted workspace, with its chats."""

    workspace: str


@dataclass(frozen=True, slots=True)
class FileChats:
    """Change how chats are filed: workspace, pin, archive, tags, rules; None leaves a field as it is.

    One that goes into a workspace gets the files that all have there, and leaves those of the one it was in. With
    `temporary` false, a temporary chat is stored from now on, whole; there is no way back.
    """

    chats: tuple[str, ...]
    workspace: str | None = None
    pinned: bool | None = None
    archived: bool | None = None
    tags: tuple[str, ...] | None = None
    rules: tuple[ApprovalRule, ...] | None = None
    temporary: Literal[False] | None = None


@dataclass(frozen=True, slots=True)
class SavePrompt:
    """Save a text under a name; `before` is its previous name."""

    prompt: SavedPrompt
    before: str = ""


@dataclass(frozen=True, slots=True)
class DeletePrompt:
    """Delete a saved text."""

    workspace: str
    name: str


@dataclass(frozen=True, slots=True)
class KeepServer:
    """Add or change a workspace's tool server; `before` is its previous name.

    `secrets` are values for the names that it needs, None to forget one; they are kept encrypted and shown nowhere.
    """

    workspace: str
    server: McpServer
    secrets: Mapping[str, Secret | None] = field(default_factory=dict, repr=False)
    before: str = ""


@dataclass(frozen=True, slots=True)
class RemoveServer:
    """Remove a tool server and its secrets from a workspace; what it did stays done."""

    workspace: str
    server: str


@dataclass(frozen=True, slots=True)
class StartServer:
    """Start a server, unless it runs, and list its offerings; with `again`, restart it."""

    workspace: str
    server: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class StopServer:
    """Stop a server; the next call of its tools starts it again."""

    workspace: str
    server: str


@dataclass(frozen=True, slots=True)
class SignIn:
    """Sign in to a server at an address, in the browser; then start it."""

    workspace: str
    server: str


@dataclass(frozen=True, slots=True)
class SignOut:
    """Forget a sign-in, have its server revoke it, and stop the server."""

    workspace: str
    server: str


@dataclass(frozen=True, slots=True)
class AnswerServer:
    """Answer a server's question, by its id; values of a form's fields where it is accepted."""

    question: str
    action: Action
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class ApproveTools:
    """Approve tools of a server as they were seen."""

    workspace: str
    server: str
    tools: tuple[McpTool, ...]


@dataclass(frozen=True, slots=True)
class AttachResource:
    """Attach a resource that a server of the chat's workspace offers."""

    chat: str
    server: str
    uri: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class WritePrompt:
    """Have a server fill in one of its prompts, and append it to the chat's draft."""

    chat: str
    server: str
    prompt: str
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LookAtFolder:
    """Check what the folder of a workspace offers, and whether it is what was accepted."""

    workspace: str


@dataclass(frozen=True, slots=True)
class AnswerOffer:
    """Accept or refuse what files of the folder offer; the answer holds until one of them changes.

    `files` are their paths in the folder, each with the digest that was looked at; where one is another by now nothing
    is used. `servers` are those of its servers whose command lines were allowed, one by one. `attach` are the files for
    every chat that were shown: these and no others are attached.
    """

    workspace: str
    files: tuple[tuple[str, str], ...]
    accepted: bool
    servers: tuple[str, ...] = ()
    attach: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OfferFacts:
    """Show what it would cost to have the chat's model suggest facts."""

    chat: str


@dataclass(frozen=True, slots=True)
class SuggestFacts:
    """Have the chat's model suggest facts; they enter requests only once accepted."""

    chat: str


ServerIntent = (
    KeepServer | RemoveServer | StartServer | StopServer | SignIn | SignOut | AnswerServer | ApproveTools
    | AttachResource | WritePrompt | LookAtFolder | AnswerOffer
)  # fmt: skip
"""What goes beyond the store: to servers of tools, and to the folder."""


@dataclass(frozen=True, slots=True)
class ExportWorkspace:
    """Write a workspace with its chats to a new file, which is not encrypted."""

    workspace: str
    path: str


@dataclass(frozen=True, slots=True)
class LookAtReach:
    """Show the state of chats' caches, open or not."""

    chats: tuple[str, ...]


WorkspaceChange = StartWorkspace | SaveWorkspace | ReviseWorkspace | DeleteWorkspace | RestoreWorkspace
"""What changes a workspace itself."""

WorkspaceIntent = (
    ServerIntent | WorkspaceChange | FileChats | SavePrompt | DeletePrompt | ExportWorkspace | LookAtReach
    | OfferFacts | SuggestFacts
)  # fmt: skip
