"""What the user wants, from anywhere in the window: one object that is passed to every widget with controls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

from workbench.domain.guide import GuidePage
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.variant import Variant
from workbench.engine.intents import Intent
from workbench.ui.offers import Offer
from workbench.ui.steps import Step

CommandId = Literal[
    "about", "answer-tool", "approval", "archive-chat", "ask-side", "attach-clipboard", "attach-files", "attach-folder",
    "attach-page", "attachments", "begin-answer", "chat-menu", "chats", "choose-parts", "compare", "composer",
    "connections", "copy-answer", "copy-curl", "copy-mend", "copy-write",
    "delete-chat", "diff", "edit-instructions", "explain", "export", "facts", "find", "find-next", "find-previous",
    "float-inspector", "follow-folder", "from-server", "go-on", "go-on-watched", "guide", "import", "influence",
    "inspector", "keep-chat", "keep-chats", "keep-warm", "layers", "left-column", "left-out", "lesson-read",
    "light-dark", "lock", "memory", "menu", "minimap", "model", "move-chat", "nearly-taken", "new-chat",
    "new-temporary-chat", "new-window", "new-workspace", "next-chat", "next-pane",
    "open-data-folder", "open-settings-file",
    "palette", "parameters", "payload", "pin-chat", "presets", "previous-chat", "prompts", "quit", "rebuild",
    "recovery", "redo", "refresh-stale", "regenerate", "remember", "rename-chat", "reset-layout", "sample",
    "save-prompt", "search", "search-web", "send-once", "send-over-cap",
    "spend", "settings", "shortcuts", "sort-chats", "steer-instead", "steer-step", "stop", "suggest-facts", "summarise",
    "swap-sides", "tag-chat", "tools", "tour", "turns", "undo", "warm", "watch",
    "watch-hold", "watch-pause", "watch-rule", "watch-sessions", "watch-switch", "workspace", "write-title", "zoom-in",
    "zoom-out", "zoom-usual",
]  # fmt: skip
"""Commands of the window by name: those of `ui/commands`, and a few that only buttons use."""

SettingsPage = Literal[
    "", "models", "chat", "context", "tools", "spending", "privacy", "appearance", "shortcuts", "about"
]
KeyChange = Literal["passphrase", "recovery", "keyring-on", "keyring-off"]


@dataclass(frozen=True, slots=True)
class OpenSettings:
    """Open the settings at a page; without one, at the page open last."""

    page: SettingsPage = ""


@dataclass(frozen=True, slots=True)
class OpenGuide:
    """Open the guide at a page; without one, at the page open last."""

    page: GuidePage = ""


@dataclass(frozen=True, slots=True)
class ShowChat:
    """Open another chat, in this window or in a window of its own."""

    chat: str
    new_window: bool = False


@dataclass(frozen=True, slots=True)
class ShowFound:
    """Open a search result with its words marked: a message, an attachment, or only its chat."""

    chat: str
    message: str = ""
    attachment: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForkFrom:
    """Start a new chat that branches off at a message."""

    chat: str
    message: str


@dataclass(frozen=True, slots=True)
class GoOnFrom:
    """Start an own chat that continues a watched request; without a number, the last one.

    With `removed`, what a compaction before it removed is attached.
    """

    chat: str
    number: int | None = None
    removed: bool = False


@dataclass(frozen=True, slots=True)
class ExportChat:
    """Export one chat to a file."""

    chat: str


@dataclass(frozen=True, slots=True)
class DeleteChats:
    """Delete chats, which can be restored together."""

    chats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShowWorkspace:
    """Open the page of a workspace."""

    workspace: str


@dataclass(frozen=True, slots=True)
class NewWorkspace:
    """Create a workspace, and move these chats into it."""

    chats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewChatIn:
    """Start a chat in a workspace."""

    workspace: str


@dataclass(frozen=True, slots=True)
class TagChats:
    """Edit the tags of chats."""

    chats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DropWorkspace:
    """Delete a workspace, which can be undone."""

    workspace: str


@dataclass(frozen=True, slots=True)
class SendWorkspaceOut:
    """Export a workspace with its chats to a file."""

    workspace: str


@dataclass(frozen=True, slots=True)
class BindFolder:
    """Change the folder of a workspace; without one, it is asked for."""

    workspace: str
    folder: str = ""


@dataclass(frozen=True, slots=True)
class ChangeKeys:
    """Change what unlocks the store."""

    change: KeyChange


@dataclass(frozen=True, slots=True)
class OpenLink:
    """Open a web page in the browser; its full address was shown before."""

    address: str


@dataclass(frozen=True, slots=True)
class ShowAttachment:
    """Preview an attachment as the model gets it."""

    key: str


@dataclass(frozen=True, slots=True)
class ShowSections:
    """Choose parts of an attached file; without a key, of the selected one."""

    key: str = ""


@dataclass(frozen=True, slots=True)
class OpenFoundFile:
    """Open a file of a followed folder with the desktop's program for it."""

    path: str


@dataclass(frozen=True, slots=True)
class DeclareModel:
    """Declare what a model can do; without a name, the current chat's model."""

    model: str = ""


@dataclass(frozen=True, slots=True)
class LookAtOffer:
    """Review what the folder of a workspace suggests, before any of it is used."""

    workspace: str


@dataclass(frozen=True, slots=True)
class ServerAct:
    """Do something about an MCP server of the current workspace, such as "add", "import", "edit", "allow" or "look"."""

    act: str
    server: str = ""


@dataclass(frozen=True, slots=True)
class AddFolder:
    """Choose files of a folder to attach; `only` are those already selected."""

    path: str
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EditMemory:
    """View and edit the memory of a workspace; without one, that of the current chat."""

    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class Remember:
    """Remember a message, or the selected part of one."""

    text: str
    chat: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Compare a turn or the current request with other settings; `variant` is added to the comparison."""

    turn: int | None = None
    variant: Variant | None = None


@dataclass(frozen=True, slots=True)
class KeepPreset:
    """Save settings as a preset, under a name that is asked for."""

    settings: ContextSettings
    name: str = ""


@dataclass(frozen=True, slots=True)
class KeepPrompt:
    """Save a text as a prompt; without one, show all prompts."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Summarise:
    """Replace the turns up to one of them, or an attachment, by a summary."""

    last_turn: int = 0
    artifact: str = ""


@dataclass(frozen=True, slots=True)
class MeasureAnswer:
    """Measure what influenced the answer that a message belongs to; without one, that of the turn being inspected."""

    message: str = ""


@dataclass(frozen=True, slots=True)
class ShowSide:
    """Show a side question of the chat in view, by its id."""

    side: str


Command = CommandId | OpenSettings | OpenGuide | ChangeKeys | DeclareModel
Placing = ShowWorkspace | NewWorkspace | NewChatIn | TagChats | DropWorkspace | SendWorkspaceOut | BindFolder
Wish = (
    Command | ShowChat | ShowFound | ForkFrom | ExportChat | DeleteChats | OpenLink | ShowAttachment | ShowSections
    | AddFolder | LookAtOffer | ServerAct | EditMemory | Remember | KeepPrompt | Summarise | KeepPreset
    | CompareRequest | MeasureAnswer | Placing | GoOnFrom | ShowSide | OpenFoundFile
)  # fmt: skip


class Wishes(QObject):
    """Emits what the user wants; the window listens once, and no widget in between has to relay it.

    Signals:
        intent: an intent for the engine. step: a tuning step for the undo stack. wish: a wish to the window.
        offered: the offer of a hovered or focused control, to show its price; None when that ends.
    """

    intent = Signal(object)
    step = Signal(object)
    wish = Signal(object)
    offered = Signal(object)

    def send(self, intent: Intent) -> None:
        self.intent.emit(intent)

    def do(self, step: Step | None) -> None:
        """Do a tuning step; nothing if it is None."""
        if step is not None:
            self.step.emit(step)

    def run(self, wish: Wish) -> None:
        self.wish.emit(wish)

    def offer(self, offer: Offer | None) -> None:
        """Show the price of a step beside its control; None hides it."""
        self.offered.emit(offer)
