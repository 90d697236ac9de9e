"""What happened, in the past tense: the engine says it, the state and the front ends take note."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.domain.answer import Failure
from workbench.domain.attached import AttachProgress, LeftOut
from workbench.domain.message import ToolCall
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import Chat, Record
from workbench.domain.shown.attachment_view import AttachmentRow, DiskState, FileFacts, ShownPicture
from workbench.domain.shown.completion_view import CompletionView
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.shown.envelope_view import EnvelopeView
from workbench.domain.shown.file_changes import FileChanges
from workbench.domain.shown.folder_view import FollowedRow
from workbench.domain.shown.parts_view import PartsView
from workbench.domain.shown.price_tag import StepPrice
from workbench.domain.shown.relevance_view import Relevance
from workbench.domain.shown.shares_view import LayoutShares
from workbench.domain.shown.turn_view import TurnRow
from workbench.domain.shown.why_view import WhyView
from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.errand_events import ErrandEvent
from workbench.engine.state import EditedQuestion, Fix, Stage, Trial


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
    pictures: Mapping[str, ShownPicture] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatClosed:
    """A chat is no longer in view."""

    chat: str


@dataclass(frozen=True, slots=True)
class DraftEdited:
    """What is being written changed; `given_back`, by the engine and not by who writes it."""

    chat: str
    text: str
    given_back: bool = False


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """Other messages wait to be sent, each with its key; `held`, until a person says so."""

    chat: str
    queued: tuple[str, ...]
    keys: tuple[int, ...]
    held: bool = False


@dataclass(frozen=True, slots=True)
class EnvelopeBuilt:
    """The next request, as it would be sent or, with `sending`, as it is sent now."""

    chat: str
    prepared: Prepared
    sending: bool = False


@dataclass(frozen=True, slots=True)
class TurnAsked:
    """Somebody asked: there is a turn to be seen and stopped, though nothing of it is kept yet.

    Attributes:
        question: its id; empty where it is not known yet. text: its words, where the question is a new one.
        drafted: whether the words were the draft; replaces: the question that this is an edit of.
    """

    chat: str
    question: str
    text: str = ""
    drafted: bool = False
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class TurnWithdrawn:
    """A turn that was asked for could not begin; it is as if nobody had asked."""

    chat: str


@dataclass(frozen=True, slots=True)
class TurnProgressed:
    """What a turn is at before the model is asked."""

    chat: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class ChatNamed:
    """A chat has another title."""

    chat: str
    title: str


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
    """The provider's window is smaller than was thought: this request would fit it.

    Without `named` the provider did not say how large it is, and the request is only smaller than the one refused.
    """

    chat: str
    prepared: Prepared
    named: bool = True


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The one terminal event of a turn: how it ended is kept, or cannot be."""

    chat: str
    number: int
    outcome: TurnOutcome


@dataclass(frozen=True, slots=True)
class NoticeGiven:
    """Something a person should read; `chat` is None where it is about no chat.

    `left_out` is what was not attached, one by one.
    """

    chat: str | None
    text: str
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestShown:
    """The next request as it is drawn, with what is attached and, where it does not fit, ways to make it."""

    chat: str
    view: EnvelopeView
    attachments: tuple[AttachmentRow, ...]
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestSent:
    """The request that is being answered, as it is drawn."""

    chat: str
    view: EnvelopeView


@dataclass(frozen=True, slots=True)
class TrialShown:
    """The next request under settings that are tried out; None when that is over."""

    chat: str
    trial: Trial | None


@dataclass(frozen=True, slots=True)
class StepPriced:
    """What a step would cost that somebody is about to take; None when nobody is any more."""

    chat: str
    price: StepPrice | None


@dataclass(frozen=True, slots=True)
class TurnsListed:
    """The turns of the branch in view, and which messages have siblings."""

    chat: str
    turns: tuple[TurnRow, ...]
    versions: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TurnOpened:
    """A turn's request as it was sent; None when that is over."""

    chat: str
    view: EnvelopeView | None


@dataclass(frozen=True, slots=True)
class LookedAhead:
    """Somebody wants to see the next request while another one is being answered."""

    chat: str


@dataclass(frozen=True, slots=True)
class AttachMoved:
    """How far attaching is; None when it is over."""

    chat: str
    progress: AttachProgress | None


@dataclass(frozen=True, slots=True)
class PartsShown:
    """A file that is open to choose its parts; None when that is over."""

    chat: str
    parts: PartsView | None


@dataclass(frozen=True, slots=True)
class WhyShown:
    """Why something of the past is in the request; None when nobody looks any more."""

    chat: str
    why: WhyView | None


@dataclass(frozen=True, slots=True)
class CompletionShown:
    """What is offered for a name that is being typed; None when that is over."""

    chat: str
    completion: CompletionView | None


@dataclass(frozen=True, slots=True)
class EditShown:
    """A question that is being edited, with the request it would make; None when that is over."""

    chat: str
    question: str
    edit: EditedQuestion | None


@dataclass(frozen=True, slots=True)
class TurnsCompared:
    """Two requests side by side; None when that is over."""

    chat: str
    difference: DiffView | None


@dataclass(frozen=True, slots=True)
class LayoutsCompared:
    """What a cache served of a chat's turns, and what it would have in other layouts, as far as it is worked out."""

    chat: str
    shares: LayoutShares


@dataclass(frozen=True, slots=True)
class ToolsCounted:
    """What tools cost in every request of a chat."""

    chat: str
    tokens: Mapping[ToolDefinition, int]


@dataclass(frozen=True, slots=True)
class DiskChecked:
    """What became of attached files: state and time of change by key."""

    chat: str
    disk: Mapping[str, tuple[DiskState, str]]


@dataclass(frozen=True, slots=True)
class FilesKnown:
    """What is known of the files behind what is attached, by key."""

    chat: str
    files: Mapping[str, FileFacts]


@dataclass(frozen=True, slots=True)
class FileCompared:
    """How an attached file differs from the disk; None when nobody looks any more."""

    chat: str
    changes: FileChanges | None


@dataclass(frozen=True, slots=True)
class FoldersFollowed:
    """The folders that a chat follows, with what is new in each."""

    chat: str
    followed: tuple[FollowedRow, ...]


@dataclass(frozen=True, slots=True)
class RelevanceShown:
    """How well what is attached fits the question; None where none is being written."""

    chat: str
    relevance: Relevance | None


LookEvent = (
    RequestShown | RequestSent | TrialShown | StepPriced | TurnsListed | TurnOpened | LookedAhead | EditShown
    | PartsShown | CompletionShown | AttachMoved | TurnsCompared | LayoutsCompared | DiskChecked | FilesKnown
    | ToolsCounted | FileCompared | FoldersFollowed | WhyShown | RelevanceShown
)  # fmt: skip

TurnEvent = (
    EnvelopeBuilt | TurnAsked | TurnWithdrawn | TurnProgressed | TurnBegan | ModelProgressed | RetryScheduled
    | AnswerGrew | ThoughtGrew | ToolAsked | ToolRan | RebuildProposed | TurnEnded | NoticeGiven
)  # fmt: skip
Event = (
    TurnEvent | LookEvent | ErrandEvent | ChatsListed | ChatLoaded | ChatClosed | ChatNamed | DraftEdited | QueueChanged
)  # fmt: skip
