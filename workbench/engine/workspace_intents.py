"""What a person wants of workspaces: to make, change and file chats in them, and to keep texts under names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.domain.mcp_server import McpServer, McpTool
from workbench.domain.secrets import Secret
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.tool import ApprovalRule
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
class ReviseWorkspace:
    """Make one change of a workspace, and leave what else happened to it; taken back by the other way round."""

    before: Workspace
    after: Workspace


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
    rules: tuple[ApprovalRule, ...] | None = None


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
class KeepServer:
    """Add a server of tools to a workspace, or change one; `before` is the name it had.

    `secrets` are values for the names that it needs, None to forget one; they are kept encrypted and shown nowhere.
    """

    workspace: str
    server: McpServer
    secrets: Mapping[str, Secret | None] = field(default_factory=dict, repr=False)
    before: str = ""


@dataclass(frozen=True, slots=True)
class RemoveServer:
    """Take a server off a workspace; what it did stays done, and its secrets are forgotten."""

    workspace: str
    server: str


@dataclass(frozen=True, slots=True)
class StartServer:
    """Start a server, unless it runs, and look what it has; with `again`, end it before."""

    workspace: str
    server: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class StopServer:
    """End a server; the next call of its tools starts it again."""

    workspace: str
    server: str


@dataclass(frozen=True, slots=True)
class ApproveTools:
    """Somebody looked at tools of a server; as they were then, they may be used."""

    workspace: str
    server: str
    tools: tuple[McpTool, ...]


@dataclass(frozen=True, slots=True)
class AttachResource:
    """Attach what a server of the chat's workspace gives to read."""

    chat: str
    server: str
    uri: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class WritePrompt:
    """Have a server write one of its prompts; it becomes the end of what is being written in the chat."""

    chat: str
    server: str
    prompt: str
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LookAtFolder:
    """Look what the folder of a workspace offers, and whether it is what was accepted."""

    workspace: str


@dataclass(frozen=True, slots=True)
class AnswerOffer:
    """Use what files of the folder offer as they are now, or do not; either holds until one of them changes.

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
    """Say what it would cost to have the chat's model suggest facts to remember."""

    chat: str


@dataclass(frozen=True, slots=True)
class SuggestFacts:
    """Have the chat's model suggest facts; they are in no request before somebody accepts them."""

    chat: str


ServerIntent = (
    KeepServer | RemoveServer | StartServer | StopServer | ApproveTools | AttachResource | WritePrompt
    | LookAtFolder | AnswerOffer
)  # fmt: skip
"""What goes beyond the store: to servers of tools, and to the folder."""


@dataclass(frozen=True, slots=True)
class ExportWorkspace:
    """Write a workspace with its chats to a new file, which is not encrypted."""

    workspace: str
    path: str


@dataclass(frozen=True, slots=True)
class LookAtReach:
    """Say how the caches of chats stand, in view or not."""

    chats: tuple[str, ...]


WorkspaceChange = StartWorkspace | SaveWorkspace | ReviseWorkspace | DeleteWorkspace | RestoreWorkspace
"""What changes a workspace itself."""

WorkspaceIntent = (
    ServerIntent | WorkspaceChange | FileChats | SavePrompt | DeletePrompt | ExportWorkspace | LookAtReach
    | OfferFacts | SuggestFacts
)  # fmt: skip
