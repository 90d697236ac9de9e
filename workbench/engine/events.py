"""What happened, in the past tense: the engine says it, the state and the front ends take note."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.answer import Failure
from workbench.domain.message import ToolCall
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import Chat, Record
from workbench.domain.tool import ToolOutcome, ToolPreview
from workbench.engine.conversation import Conversation
from workbench.engine.prepare import Prepared


@dataclass(frozen=True, slots=True)
class ChatsListed:
    """Which chats there are, the most recently used first."""

    chats: tuple[Chat, ...]


@dataclass(frozen=True, slots=True)
class ChatLoaded:
    """A chat as it stands: opened, or changed by a turn, another branch, an attachment or a setting."""

    chat: Chat
    conversation: Conversation
    records: tuple[Record, ...]
    draft: str


@dataclass(frozen=True, slots=True)
class ChatClosed:
    """A chat is no longer in view."""

    chat: str


@dataclass(frozen=True, slots=True)
class DraftEdited:
    """What is being written changed."""

    chat: str
    text: str


@dataclass(frozen=True, slots=True)
class EnvelopeBuilt:
    """The next request, as it would be sent or, with `sending`, as it is sent now."""

    chat: str
    prepared: Prepared
    sending: bool = False


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """The question and its request are kept; the model is asked next. `begun` is an answer it is to go on with."""

    chat: str
    number: int
    question: str
    begun: str = ""


@dataclass(frozen=True, slots=True)
class ModelProgressed:
    """What the model is busy with before its first word."""

    chat: str
    what: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """An attempt failed before the first word; another one follows."""

    chat: str
    attempt: int
    wait_s: float
    failure: Failure


@dataclass(frozen=True, slots=True)
class AnswerGrew:
    """More of the answer arrived."""

    chat: str
    text: str


@dataclass(frozen=True, slots=True)
class ThoughtGrew:
    """More of what the model thinks arrived."""

    chat: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolAsked:
    """The model wants something done that changes the world; a person decides."""

    chat: str
    call: ToolCall
    preview: ToolPreview


@dataclass(frozen=True, slots=True)
class ToolRan:
    """A call has its result; refused ones too."""

    chat: str
    call: ToolCall
    outcome: ToolOutcome


@dataclass(frozen=True, slots=True)
class RebuildProposed:
    """The provider's window is smaller than was thought: this request would fit it."""

    chat: str
    prepared: Prepared


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The one terminal event of a turn: how it ended is kept, or cannot be."""

    chat: str
    number: int
    outcome: TurnOutcome


@dataclass(frozen=True, slots=True)
class NoticeGiven:
    """Something a person should read; `chat` is None where it is about no chat."""

    chat: str | None
    text: str


TurnEvent = (
    EnvelopeBuilt
    | TurnBegan
    | ModelProgressed
    | RetryScheduled
    | AnswerGrew
    | ThoughtGrew
    | ToolAsked
    | ToolRan
    | RebuildProposed
    | TurnEnded
    | NoticeGiven
)
Event = TurnEvent | ChatsListed | ChatLoaded | ChatClosed | DraftEdited
