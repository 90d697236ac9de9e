"""What a person wants, from wherever in the window: one object that is handed to every part that can be pressed."""

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
    "about", "answer-tool", "approval", "archive-chat", "attach-clipboard", "attach-files", "attach-folder",
    "attach-page", "attachments", "chat-menu", "chats", "choose-parts", "compare", "composer", "connections",
    "copy-answer", "copy-curl",
    "delete-chat", "diff", "edit-instructions", "explain", "export", "find", "find-next", "find-previous",
    "float-inspector", "from-server", "go-on", "go-on-watched", "guide", "import", "influence", "inspector",
    "keep-chats", "layers", "left-column", "left-out", "lesson-read", "light-dark",
    "lock", "memory", "menu", "model", "move-chat", "new-chat", "new-workspace", "next-chat", "next-pane",
    "open-data-folder", "open-settings-file",
    "palette", "parameters", "payload", "pin-chat", "presets", "previous-chat", "prompts", "quit", "rebuild",
    "recovery", "redo", "refresh-stale", "regenerate", "remember", "rename-chat", "reset-layout", "sample",
    "save-prompt", "search", "send-once", "settings", "shortcuts", "sort-chats", "stop", "suggest-facts", "summarise",
    "swap-sides", "tag-chat", "tools", "tour", "turns", "undo", "warm", "watch",
    "watch-pause", "watch-sessions", "watch-switch", "workspace", "write-title", "zoom-in",
    "zoom-out", "zoom-usual",
]  # fmt: skip
"""Commands of the window, by name: those of `ui/commands`, and a few that only a button means."""

SettingsPage = Literal[
    "", "models", "chat", "context", "tools", "privacy", "appearance", "shortcuts", "about"
]
KeyChange = Literal["passphrase", "recovery", "keyring-on", "keyring-off"]


@dataclass(frozen=True, slots=True)
class OpenSettings:
    """The settings, at a page; the one that was open last where none is named."""

    page: SettingsPage = ""


@dataclass(frozen=True, slots=True)
class OpenGuide:
    """The guide, at a page; the one that was open last where none is named."""

    page: GuidePage = ""


@dataclass(frozen=True, slots=True)
class ShowChat:
    """Another chat in view."""

    chat: str


@dataclass(frozen=True, slots=True)
class ShowFound:
    """Something that a search found, with its words marked: a message, an attachment, or only its chat."""

    chat: str
    message: str = ""
    attachment: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForkFrom:
    """A chat of its own from a message on."""

    chat: str
    message: str


@dataclass(frozen=True, slots=True)
class GoOnFrom:
    """A chat of our own from a watched request, the last one where none is named.

    With `removed`, what a compaction before it took out is attached.
    """

    chat: str
    number: int | None = None
    removed: bool = False


@dataclass(frozen=True, slots=True)
class ExportChat:
    """One chat to a file."""

    chat: str


@dataclass(frozen=True, slots=True)
class DeleteChats:
    """Chats put away together, to be brought back together."""

    chats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShowWorkspace:
    """The page of a workspace."""

    workspace: str


@dataclass(frozen=True, slots=True)
class NewWorkspace:
    """A new workspace, and chats that go into it."""

    chats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewChatIn:
    """A new chat in a workspace."""

    workspace: str


@dataclass(frozen=True, slots=True)
class TagChats:
    """Words under which chats are found."""

    chats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DropWorkspace:
    """A workspace put away, to be brought back."""

    workspace: str


@dataclass(frozen=True, slots=True)
class SendWorkspaceOut:
    """A workspace with its chats to a file."""

    workspace: str


@dataclass(frozen=True, slots=True)
class BindFolder:
    """Another folder for a workspace; chosen in a dialog where none is named."""

    workspace: str
    folder: str = ""


@dataclass(frozen=True, slots=True)
class ChangeKeys:
    """Something about what opens the store."""

    change: KeyChange


@dataclass(frozen=True, slots=True)
class OpenLink:
    """A page in the browser, whose whole address was shown before."""

    address: str


@dataclass(frozen=True, slots=True)
class ShowAttachment:
    """An attachment as the model gets it."""

    key: str


@dataclass(frozen=True, slots=True)
class ShowSections:
    """An attached file to choose its parts; the one that is chosen in the list where none is named."""

    key: str = ""


@dataclass(frozen=True, slots=True)
class DeclareModel:
    """Say what a model can do; the one of the chat in view where none is named."""

    model: str = ""


@dataclass(frozen=True, slots=True)
class LookAtOffer:
    """What the folder of a workspace offers, before any of it is used."""

    workspace: str


@dataclass(frozen=True, slots=True)
class ServerAct:
    """Something about a server of the workspace in view: "add", "import", "edit", "allow", "look" and the like."""

    act: str
    server: str = ""


@dataclass(frozen=True, slots=True)
class AddFolder:
    """A folder to choose files in; where `only` names some of its files, those are chosen already."""

    path: str
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EditMemory:
    """What is remembered, to be read and changed; for a workspace, or where the chat in view is."""

    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class Remember:
    """Something that was said, to be remembered: all of a message, or what is selected in it."""

    text: str
    chat: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """A turn, or the request in view, beside itself under other settings; `variant` is one more of those."""

    turn: int | None = None
    variant: Variant | None = None


@dataclass(frozen=True, slots=True)
class KeepPreset:
    """Settings to be kept under a name, which is asked for."""

    settings: ContextSettings
    name: str = ""


@dataclass(frozen=True, slots=True)
class KeepPrompt:
    """A text to be kept under a name; all prompts where there is none."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Summarise:
    """A summary in the place of earlier turns, up to one of them, or of something attached."""

    last_turn: int = 0
    artifact: str = ""


@dataclass(frozen=True, slots=True)
class MeasureAnswer:
    """What carried an answer, by any of its messages; of the turn that is looked at where none is named."""

    message: str = ""


Command = CommandId | OpenSettings | OpenGuide | ChangeKeys | DeclareModel
Placing = ShowWorkspace | NewWorkspace | NewChatIn | TagChats | DropWorkspace | SendWorkspaceOut | BindFolder
Wish = (
    Command | ShowChat | ShowFound | ForkFrom | ExportChat | DeleteChats | OpenLink | ShowAttachment | ShowSections
    | AddFolder | LookAtOffer | ServerAct | EditMemory | Remember | KeepPrompt | Summarise | KeepPreset
    | CompareRequest | MeasureAnswer | Placing | GoOnFrom
)  # fmt: skip


class Wishes(QObject):
    """Hands on what is wanted; whoever is above listens once, and nobody in between relays.

    Signals:
        intent: something for the engine. step: a tuning step, for the undo stack. wish: something for the window.
        offered: a control that says what it would do, so that its price can be shown; None when nobody looks any more.
    """

    intent = Signal(object)
    step = Signal(object)
    wish = Signal(object)
    offered = Signal(object)

    def send(self, intent: Intent) -> None:
        self.intent.emit(intent)

    def do(self, step: Step | None) -> None:
        """Tune the next request; where there is nothing to change, nothing is done."""
        if step is not None:
            self.step.emit(step)

    def run(self, wish: Wish) -> None:
        self.wish.emit(wish)

    def offer(self, offer: Offer | None) -> None:
        """Have the price of a step shown beside its control; None has it shown no longer."""
        self.offered.emit(offer)
