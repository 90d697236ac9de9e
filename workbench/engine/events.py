"""Events: what happened, in the past tense; the engine emits them, the state and the front ends follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from workbench.domain.answer import Failure
from workbench.domain.answer_facts import AnswerFacts
from workbench.domain.caching import KeptWarm
from workbench.domain.files.attached import AttachProgress, LeftOut
from workbench.domain.folder_index import QuotedFile
from workbench.domain.folder_offer import FolderOffer
from workbench.domain.job import Job
from workbench.domain.mcp_question import McpQuestion
from workbench.domain.mcp_server import McpListing
from workbench.domain.message import ToolCall
from workbench.domain.model import ModelLearnt, ModelListing
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import Chat, Record
from workbench.domain.settings.app_preferences import Preferences, SettingsProblem
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.shown.attachment_view import (
    AttachmentRow,
    DiskState,
    FileFacts,
    FolderView,
    FollowedRow,
    Relevance,
    ShownPicture,
)
from workbench.domain.shown.comparison import Comparison, ExperimentView
from workbench.domain.shown.completion_view import CompletionView
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.shown.envelope_view import EnvelopeView, StepPrice
from workbench.domain.shown.influence_view import InfluenceView, KeptInfluence, WhyView
from workbench.domain.shown.parts_view import FileChanges, PartsView
from workbench.domain.shown.reach import ChatReach
from workbench.domain.shown.sessions_view import SessionsView, WatchView
from workbench.domain.shown.spend_view import SpendView
from workbench.domain.shown.summary_view import SummaryView
from workbench.domain.shown.turn_view import LayoutShares, TurnRow
from workbench.domain.side import SideQuestion
from workbench.domain.tool import ToolDefinition, ToolOutcome, ToolPreview, ToolProgress
from workbench.domain.watch.update import UpdateView
from workbench.domain.web_search import WebSearch
from workbench.domain.workspace import SavedPrompt, Workspace
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.state import (
    EditedQuestion,
    Fix,
    Found,
    Readiness,
    Stage,
    SuggestedFacts,
    Trial,
    WrittenTitle,
)


@dataclass(frozen=True, slots=True)
class ModelReadied:
    """A model's readiness changed: starting, ready, or failed."""

    name: str
    readiness: Readiness


@dataclass(frozen=True, slots=True)
class PreferencesChanged:
    """Preferences were changed; with `only_used`, only the list of recently used models was."""

    preferences: Preferences
    only_used: bool = False


@dataclass(frozen=True, slots=True)
class ServerMoved:
    """A workspace's tool server changed its state or its offerings; None if it was removed."""

    workspace: str
    server: str
    listing: McpListing | None


@dataclass(frozen=True, slots=True)
class FolderOffered:
    """What the folder of a workspace offers that nobody decided about yet; None where there is nothing.

    `problem` says why its file cannot be used.
    """

    workspace: str
    offer: FolderOffer | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ReachSeen:
    """The state of chats' caches, by chat."""

    reach: Mapping[str, ChatReach]


@dataclass(frozen=True, slots=True)
class JobMoved:
    """A job started, progressed or ended."""

    job: Job


@dataclass(frozen=True, slots=True)
class JobDismissed:
    """A finished job was removed from view."""

    job: str


class ChatFields(TypedDict, total=False):
    """Fields of `ChatState` that are simply replaced; described there."""

    prepared: Prepared
    view: EnvelopeView
    attachments: tuple[AttachmentRow, ...]
    fixes: tuple[Fix, ...]
    in_flight: EnvelopeView
    trial: Trial | None
    price: StepPrice | None
    steps: tuple[str, ...]
    turns: tuple[TurnRow, ...]
    versions: Mapping[str, tuple[str, ...]]
    opened: EnvelopeView | None
    influence: KeptInfluence | None
    facts: Mapping[str, AnswerFacts]
    compared: DiffView | None
    attaching: AttachProgress | None
    parts: PartsView | None
    quoted_file: QuotedFile | None
    why: WhyView | None
    completion: CompletionView | None
    shares: LayoutShares
    comparison: Comparison | None
    tool_tokens: Mapping[ToolDefinition, int]
    disk: Mapping[str, tuple[DiskState, str]]
    files: Mapping[str, FileFacts]
    changes: FileChanges | None
    followed: tuple[FollowedRow, ...]
    relevance: Relevance | None
    sides: tuple[SideQuestion, ...]
    warm: KeptWarm | None
    web: WebSearch | None


@dataclass(frozen=True, slots=True)
class ChatShown:
    """Fields of an open chat's state changed."""

    chat: str
    fields: ChatFields


class ProgramFields(TypedDict, total=False):
    """Fields of `WorkbenchState` that are simply replaced; described there."""

    chats: tuple[Chat, ...]
    found: Found | None
    models: tuple[ModelListing, ...]
    learnt: Mapping[str, ModelLearnt]
    key_origins: tuple[str, ...]
    presets: Mapping[str, ContextSettings]
    sending_off: SettingsProblem | None
    workspaces: Mapping[str, Workspace]
    everywhere: Workspace
    prompts: tuple[SavedPrompt, ...]
    folder: FolderView | None
    title: WrittenTitle
    summary: SummaryView | None
    influence: InfluenceView | None
    experiment: ExperimentView | None
    suggestion: SuggestedFacts
    watch: WatchView
    sessions: SessionsView | None
    update: UpdateView | None
    spending: SpendView | None
    questions: tuple[McpQuestion, ...]


@dataclass(frozen=True, slots=True)
class ProgramShown:
    """Fields of the state that belong to no single chat changed."""

    fields: ProgramFields


@dataclass(frozen=True, slots=True)
class ChatLoaded:
    """A chat was loaded: opened, or changed by a turn, a branch, an attachment or a setting."""

    chat: Chat
    conversation: Conversation
    records: tuple[Record, ...]
    draft: str
    pictures: Mapping[str, ShownPicture] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatClosed:
    """A chat was closed."""

    chat: str


@dataclass(frozen=True, slots=True)
class DraftEdited:
    """The draft changed; with `given_back`, by the engine and not by the person.

    `prefill` is how the answer is to begin; None: as before.
    """

    chat: str
    text: str
    given_back: bool = False
    prefill: str | None = None


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The queue of messages changed, each with its key; `held` until a person sends it.

    `prefill` is how the answer to the first of them is to begin. `steps` are the keys of those that go into the turn in
    progress, after its present step.
    """

    chat: str
    queued: tuple[str, ...]
    keys: tuple[int, ...]
    held: bool = False
    prefill: str = ""
    steps: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EnvelopeBuilt:
    """A request of a turn was built and is now sent."""

    chat: str
    prepared: Prepared


@dataclass(frozen=True, slots=True)
class TurnAsked:
    """Somebody asked: there is a turn to be seen and stopped, though nothing of it is kept yet.

    Attributes:
        question: its id; empty where it is not known yet. text: its words, where the question is a new one.
        drafted: whether the words were the draft; replaces: the question that this is an edit of.
        side: whether it is a side question, which is no part of the chat.
    """

    chat: str
    question: str
    text: str = ""
    drafted: bool = False
    replaces: str = ""
    side: bool = False


@dataclass(frozen=True, slots=True)
class TurnWithdrawn:
    """A turn that was asked for could not start, and is undone."""

    chat: str


@dataclass(frozen=True, slots=True)
class TurnProgressed:
    """The stage of a turn before the model is asked."""

    chat: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class ChatNamed:
    """A chat's title changed."""

    chat: str
    title: str


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """The question and its request are stored, and the model is asked next; `begun` is an answer to continue."""

    chat: str
    number: int
    question: str
    begun: str = ""


@dataclass(frozen=True, slots=True)
class ModelProgressed:
    """Progress of the model before its first word."""

    chat: str
    what: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """An attempt failed before the first word and will be retried, at most `tries` times if that is known."""

    chat: str
    attempt: int
    wait_s: float
    failure: Failure
    tries: int = 0


@dataclass(frozen=True, slots=True)
class AnswerGrew:
    """More of the answer's text arrived."""

    chat: str
    text: str


@dataclass(frozen=True, slots=True)
class ThoughtGrew:
    """More of the model's thinking arrived."""

    chat: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolAsked:
    """A tool call needs a person's permission."""

    chat: str
    call: ToolCall
    preview: ToolPreview


@dataclass(frozen=True, slots=True)
class ToolProgressed:
    """A running tool call is further than before."""

    chat: str
    call: ToolCall
    progress: ToolProgress


@dataclass(frozen=True, slots=True)
class ToolRan:
    """A tool call has its result; refused calls too."""

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
    """The one terminal event of a turn: its outcome is stored, or could not be."""

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
class LookedAhead:
    """The next request is to be shown while another is being answered."""

    chat: str


@dataclass(frozen=True, slots=True)
class EditShown:
    """A question edited in place, with the request it would send; None when the edit is over."""

    chat: str
    question: str
    edit: EditedQuestion | None


ProgramEvent = (
    ProgramShown
    | ModelReadied
    | PreferencesChanged
    | ServerMoved
    | FolderOffered
    | ReachSeen
    | JobMoved
    | JobDismissed
)
LookEvent = ChatShown | LookedAhead | EditShown
TurnEvent = (
    EnvelopeBuilt | TurnAsked | TurnWithdrawn | TurnProgressed | TurnBegan | ModelProgressed | RetryScheduled
    | AnswerGrew | ThoughtGrew | ToolAsked | ToolProgressed | ToolRan | RebuildProposed | TurnEnded | NoticeGiven
)  # fmt: skip
Event = (
    TurnEvent | LookEvent | ProgramEvent | ChatLoaded | ChatClosed | ChatNamed | DraftEdited | QueueChanged
)  # fmt: skip
