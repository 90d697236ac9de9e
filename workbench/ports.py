"""The seams: what the core and the engine ask of the world, each as a small protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Protocol, Self

from workbench.domain.attachment import Artifact
from workbench.domain.envelope import WireMessage
from workbench.domain.keys import KeyStatus
from workbench.domain.message import Entry
from workbench.domain.model_card import ModelCard
from workbench.domain.preferences import ContextSettings
from workbench.domain.record import (
    Chat,
    ChatArchive,
    Hit,
    Record,
    Salvaged,
    Snapshot,
    TurnRecord,
    Verification,
)
from workbench.domain.secret import Secret
from workbench.domain.tool import ToolDefinition
from workbench.domain.turn import Tuning


class Tokenizer(Protocol):
    """Counts the tokens of plain text, as one family of models does."""

    @property
    def name(self) -> str:
        """The encoding's name."""

    def count(self, text: str) -> int:
        """How many tokens the text is."""

    def common_prefix(self, left: str, right: str) -> int:
        """How many tokens both texts start with."""


class TokenCounter(Protocol):
    """Prices a request.

    Costs are raw and add up; `total` turns their sum into tokens, which for seed 004's estimate adds its safety
    margin once, over all messages.
    """

    @property
    def exact(self) -> bool:
        """Whether plain messages are counted as the provider counts them, framing included."""

    @property
    def reply_cost(self) -> int:
        """What opening the answer costs at the end of every request."""

    @property
    def additive(self) -> bool:
        """Whether raw costs are tokens already, so that `total` changes nothing."""

    def costs(self, message: WireMessage) -> tuple[int, ...]:
        """The raw cost of each segment of a message, its framing shared among them."""

    def tool_tokens(self, tool: ToolDefinition) -> int:
        """What announcing a tool costs, in tokens."""

    def total(self, raw: int) -> int:
        """Tokens for a sum of raw costs; monotonic."""

    def common_cost(self, left: WireMessage, right: WireMessage) -> int:
        """The raw cost of what two differing messages have in common at their start."""


class ModelCatalogue(Protocol):
    """What is known about models."""

    def find(self, name: str) -> ModelCard:
        """The model's card; an unknown name gets a cautious one."""


class Clock(Protocol):
    """Time for measuring how long something took."""

    def monotonic_ms(self) -> float:
        """Milliseconds since some fixed moment."""


class UtcClock(Protocol):
    """The time of day, for what is written down and for what the model is told."""

    def utc_now(self) -> str:
        """The moment as `2026-01-01T12:00:00Z`."""


class ContextProvider(Protocol):
    """Brings earlier context for a question: the newest messages, or what a search finds."""

    async def context(self, question: str, number: int) -> Sequence[Entry]:
        """At most `number` entries, in the order they should be read."""


class PromptSource(Protocol):
    """Where the system text comes from."""

    async def system_prompt(self) -> str:
        """The text in effect; empty where there is none."""


class Redactor(Protocol):
    """Takes out of a text what must not leave the machine."""

    def redact(self, text: str) -> str:
        """The text as it may be sent; the same text gives the same result."""


class HistoryStore(Protocol):
    """Everything that is kept. What a call returned from is on the disk, whole, or was refused with a reason.

    Ids of messages are unique within their chat. Order is by sequence, never by clock.
    """

    async def create_chat(self, chat: Chat) -> None:
        """Keep a new chat."""

    async def chats(self) -> tuple[Chat, ...]:
        """All chats that are not deleted, the most recently used first."""

    async def chat(self, chat: str) -> Chat:
        """One chat; deleted ones too."""

    async def save_chat(self, chat: Chat) -> None:
        """Change a chat's title, settings, parameters or branch in view, or its deletion."""

    async def append(self, records: Sequence[Record]) -> None:
        """Add messages, all or none; the last one becomes its chat's leaf."""

    async def update(self, record: Record) -> None:
        """Let an unfinished answer grow or end; anything that is finished is refused."""

    async def path(self, chat: str, leaf: str | None = None) -> tuple[Record, ...]:
        """The branch from its first message to the leaf, without what is deleted."""

    async def tail(self, chat: str, number: int, leaf: str | None = None) -> tuple[Record, ...]:
        """The last messages of a branch; only they are read."""

    async def siblings(self, chat: str, message: str) -> tuple[Record, ...]:
        """The versions of a message: all children of its parent, in order."""

    async def delete_message(self, chat: str, message: str, when_utc: str) -> None:
        """Hide a message; its text stays until it is purged."""

    async def purge(self) -> int:
        """Remove for good what is deleted, and text that nothing needs any more; how many rows went."""

    async def begin_turn(self, turn: TurnRecord, question: Record | None) -> None:
        """Keep a question and the request made for it, in one step."""

    async def finish_turn(self, turn: TurnRecord, replies: Sequence[Record]) -> None:
        """Keep how a turn ended and what was answered, in one step."""

    async def turn(self, chat: str, question: str) -> TurnRecord | None:
        """The turn that a question opened; None for imported messages that never had a request."""

    async def last_turn(self, chat: str, leaf: str | None = None) -> TurnRecord | None:
        """The newest turn on a branch; the chat's own where no leaf is given."""

    async def turns(self, chat: str) -> tuple[TurnRecord, ...]:
        """All turns of a chat, in the order they were begun."""

    async def keep_snapshot(self, snapshot: Snapshot) -> None:
        """Keep an attachment as it is now."""

    async def snapshots(self, chat: str) -> tuple[Snapshot, ...]:
        """A chat's attachments as they were taken, oldest first."""

    async def save_attached(self, chat: str, artifacts: Sequence[Artifact]) -> None:
        """Keep what is attached right now."""

    async def attached(self, chat: str) -> tuple[Artifact, ...]:
        """What is attached right now, in the order it was attached."""

    async def save_tuning(self, chat: str, tuning: Tuning) -> None:
        """Keep what the user decided about single messages."""

    async def tuning(self, chat: str) -> Tuning:
        """What the user decided about single messages."""

    async def save_draft(self, chat: str, text: str) -> None:
        """Keep what is being written."""

    async def draft(self, chat: str) -> str:
        """What was being written; empty where nothing was."""

    async def save_preset(self, name: str, settings: ContextSettings | None) -> None:
        """Keep settings under a name; None removes it."""

    async def presets(self) -> Mapping[str, ContextSettings]:
        """The settings kept under a name."""

    async def counts(self, encoding: str) -> Mapping[bytes, int]:
        """Token counts by content digest."""

    async def save_counts(self, encoding: str, counts: Mapping[bytes, int]) -> None:
        """Keep token counts; known ones stay."""

    async def search(self, query: str, newest_first: bool = False, limit: int = 50) -> tuple[Hit, ...]:
        """Messages, titles and attachment names with these words; any text is a valid query."""

    async def archive(self, chat: str) -> ChatArchive:
        """Everything about one chat."""

    async def adopt(self, archive: ChatArchive) -> None:
        """Keep a whole chat from elsewhere, all or nothing."""

    async def verify(self) -> Verification:
        """Check every page, reference and count."""

    async def close(self) -> None:
        """Finish what was begun and let the files go."""


class SecretPrompt(Protocol):
    """Somebody who can be asked for a secret: at a terminal, or in a window."""

    def ask(self, prompt: str) -> Secret:
        """What the person types, unseen."""

    def ask_new(self) -> Secret:
        """A new passphrase, typed twice alike."""


class KeyKeeper(Protocol):
    """The keys of a data folder."""

    def status(self) -> KeyStatus:
        """What can be said without a secret."""

    def change_passphrase(self, choose: Callable[[], Secret]) -> None:
        """Unlock, then put the chosen passphrase in the place of the old one."""

    def new_recovery_code(self) -> Secret:
        """Make a new recovery code; the old one opens nothing from now on."""

    def use_keyring(self, wanted: bool) -> None:
        """Let the system's keyring open the store, or no longer."""

    def rotate(self) -> KeyStatus:
        """Put the store under a new key."""


class HistoryAccess(Protocol):
    """The history of a data folder: opened by whoever has its key, copied and put back as a whole."""

    async def open(self, *, writable: bool) -> HistoryStore:
        """The history, ready to use: one writer at a time, any number of readers."""

    async def backup(self, target: str) -> None:
        """Copy everything into an empty folder, while the history may be in use."""

    async def restore(self, source: str) -> str:
        """Put a backup in place of the history; returns where the old one went."""

    def older_copies(self) -> tuple[str, ...]:
        """Where earlier states of the history still are: kept before a restore, a salvage or a new version."""

    async def salvage(self) -> Salvaged:
        """Replace a damaged history by what can be read of it; the damaged one is kept."""


class Scratch(Protocol):
    """A history of one's own that is gone afterwards."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def open(self) -> HistoryStore:
        """The history as it was closed last; empty at first."""


class SealedFiles(Protocol):
    """The encryption of another program's files, each sealed for itself (seed 003)."""

    def seal(self, plain: bytes) -> bytes:
        """The envelope that holds these bytes."""

    def open(self, envelope: bytes) -> bytes:
        """The bytes in an envelope; `CannotOpen` where the key is another one or the file is damaged."""
