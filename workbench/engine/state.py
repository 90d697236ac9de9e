"""Everything a front end shows, as one frozen value, replaced at every event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

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
from workbench.domain.record import Chat, Hit, Record
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
from workbench.domain.shown.envelope_view import EnvelopeView, PriceTag, RowKey, StepPrice
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
from workbench.domain.workspace import EVERYWHERE, SavedPrompt, Workspace
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.intents import ChatChange

FixKind = Literal["shorten", "unpin", "detach", "leave", "summarise", "larger_window", "other_model"]


@dataclass(frozen=True, slots=True)
class ToolCard:
    """A call as it is shown: waiting for a decision while `outcome` is None and a preview is there.

    `said` is what the model said before this call was done; after it, a text begins anew. `progress` is how far the
    call is, as its server says, while it runs.
    """

    call: ToolCall
    preview: ToolPreview | None = None
    outcome: ToolOutcome | None = None
    said: str = ""
    progress: ToolProgress | None = None

    @property
    def waits(self) -> bool:
        """Whether a person has to decide about it; it has been allowed where it runs."""
        return self.outcome is None and self.preview is not None and self.progress is None


Stage = Literal["", "starting", "commands", "counting"]
"""What a turn is at before the model is asked: its model starts, the question's commands run, tokens are counted."""


@dataclass(frozen=True, slots=True)
class RunningTurn:
    """A turn in progress, from the moment somebody asked.

    Attributes:
        number, question: which turn of its branch it is, and the id of its question; 0 and "" while nobody knows.
        asked: the words of a question that is not among the chat's messages yet; replaces: the one it is an edit of.
        more: of a very long answer, what is not yet in its text; it follows before it is a sixteenth of it.
        begun_chars: how much of the text was there before, where an answer is continued.
        stage: what goes on before the model is asked; progress, fraction: what it says itself before its first word.
        retry: why the last attempt failed, while another one is waited for.
        attempt: with it, which attempt comes next, and how many there are at most; 0 where nobody knows.
        side: whether it is a side question, which is no part of the chat.
    """

    number: int
    question: str
    asked: str = ""
    replaces: str = ""
    stage: Stage = ""
    text: str = ""
    more: str = ""
    begun_chars: int = 0
    thinking: str = ""
    progress: str = ""
    fraction: float | None = None
    retry: Failure | None = None
    attempt: tuple[int, int] = (0, 0)
    tools: tuple[ToolCard, ...] = ()
    side: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """The next request under settings on trial; nothing is changed by it.

    Attributes:
        lost_tokens: cached tokens that would have to be read again.
        extra_cost_usd: what the request would cost more, or less; None where no price is known.
        falls, returns: rows that would no longer be sent, or be sent again.
    """

    settings: ContextSettings
    view: EnvelopeView
    lost_tokens: int = 0
    extra_cost_usd: float | None = None
    falls: tuple[RowKey, ...] = ()
    returns: tuple[RowKey, ...] = ()


@dataclass(frozen=True, slots=True)
class EditedQuestion:
    """A message edited in place, and the request it would make; None while that is being built.

    An answer, or a tool's result, has the price of its version; it is a question that has none.
    """

    question: str
    text: str
    view: EnvelopeView | None = None
    tag: PriceTag | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """A way to make an oversized request fit; the front end words it.

    Attributes:
        subject: what it is about: an attachment's name, a model's.
        number: how many turns stay, how many tokens of an attachment, or what the request may take then.
        total_tokens: of the request with it; over_tokens: by how much it does not fit even so.
        do, undo: the changes that are it, and that take it back.
    """

    kind: FixKind
    subject: str
    total_tokens: int
    fits: bool
    saved_tokens: int = 0
    number: int = 0
    priority: int | None = None
    cost_usd: float | None = None
    over_tokens: int = 0
    do: tuple[ChatChange, ...] = ()
    undo: tuple[ChatChange, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatState:
    """One open chat.

    Attributes:
        prepared: the next request, as it would be sent.
        running: the turn in progress.
        ended: how the last turn of this session ended; ended_question: the question it was about.
        proposal: a request that fits the provider's real window.
        view: the next request as it is drawn; in_flight: the one being answered.
        trial: the next request under settings that are being tried out.
        price: what the step would cost that somebody is about to take.
        fixes: ways to make the next request fit; none where it does.
        turns: those of the branch in view; versions: the siblings of messages that have any, in order.
        opened: a turn's request as it was sent; compared: two requests side by side.
        influence: what is known of the opened turn's answer, where it can be measured what carried it.
        draft_number: how often the engine has changed the draft by itself.
        prefill: how the answer to the draft is to begin; empty where that is left to the model.
        queued: messages that are sent when this answer is complete; held: they wait for a person instead.
        queued_keys: which each of them is, whatever becomes of the others.
        queued_prefill: how the answer to the first of them is to begin.
        queued_steps: which of them go into the turn in progress, after its present step.
        facts: what was found of answers in the requests they were made from, by the message that holds an answer.
        edits: questions that are being edited in place, the one that was changed last at the end.
        ahead: whether the next request is wanted though one is being answered.
        disk: what became of attached files since.
        quoted_file: the file of a quote that is being read.
        parts: a file that is open to choose its parts; attaching: how far attaching is that takes a while.
        completion: what is offered for the name that is being typed.
        files: what is known of the files behind what is attached, by key; changes: one held against the disk.
        pictures: those that are attached, as they are sent, by key.
        shares: what a cache served of the turns, and would have in other layouts; None until somebody asked.
        comparison: a request under other settings; None until somebody asked.
        followed: folders whose new files are offered.
        tool_tokens: what tools cost in every request, also those that are off, once somebody asked.
        why: why something of the past is in the request that is shown, where somebody looks.
        relevance: how well what is attached fits what is being written; None where nothing is.
        steps: what takes steps of tuning back that were taken before it was opened.
        sides: side questions that were asked here, the newest first.
        warm: what keeping its cache warm costs, where that is offered or done.
        web: the search of the web that is shown; None where none is.
    """

    chat: Chat
    conversation: Conversation
    records: tuple[Record, ...] = ()
    draft: str = ""
    draft_number: int = 0
    prefill: str = ""
    queued: tuple[str, ...] = ()
    queued_keys: tuple[int, ...] = ()
    queued_prefill: str = ""
    queued_steps: tuple[int, ...] = ()
    held: bool = False
    prepared: Prepared | None = None
    running: RunningTurn | None = None
    ended: TurnOutcome | None = None
    ended_question: str = ""
    proposal: Prepared | None = None
    view: EnvelopeView | None = None
    in_flight: EnvelopeView | None = None
    trial: Trial | None = None
    price: StepPrice | None = None
    fixes: tuple[Fix, ...] = ()
    attachments: tuple[AttachmentRow, ...] = ()
    turns: tuple[TurnRow, ...] = ()
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    opened: EnvelopeView | None = None
    influence: KeptInfluence | None = None
    facts: Mapping[str, AnswerFacts] = field(default_factory=dict)
    edits: Mapping[str, EditedQuestion] = field(default_factory=dict)
    ahead: bool = False
    compared: DiffView | None = None
    disk: Mapping[str, tuple[DiskState, str]] = field(default_factory=dict)
    parts: PartsView | None = None
    quoted_file: QuotedFile | None = None
    completion: CompletionView | None = None
    attaching: AttachProgress | None = None
    files: Mapping[str, FileFacts] = field(default_factory=dict)
    changes: FileChanges | None = None
    pictures: Mapping[str, ShownPicture] = field(default_factory=dict)
    shares: LayoutShares | None = None
    comparison: Comparison | None = None
    followed: tuple[FollowedRow, ...] = ()
    tool_tokens: Mapping[ToolDefinition, int] = field(default_factory=dict)
    why: WhyView | None = None
    relevance: Relevance | None = None
    steps: tuple[str, ...] = ()
    sides: tuple[SideQuestion, ...] = ()
    warm: KeptWarm | None = None
    web: WebSearch | None = None

    @property
    def proposed_tokens(self) -> int | None:
        """Tokens of the proposed request that fits the provider's real window; None if none is proposed."""
        return None if self.proposal is None else self.proposal.built.envelope.total_tokens

    @property
    def left_out_before(self) -> frozenset[str]:
        """Keys that were left out of the last request sent, of which its sender was told."""
        last = self.conversation.previous
        return frozenset() if last is None else frozenset(one.id for one in last.envelope.cuts.pruned)

    @property
    def shares_before(self) -> Mapping[str, float]:
        """Smallest share sent of each file in this chat, where it was less than all of it."""
        found: dict[str, float] = {}
        for turn in self.turns:
            for key, sent, whole in turn.shortened:
                found[key] = min(found.get(key, 1.0), sent / max(1, whole))
        return found

    @property
    def editing(self) -> EditedQuestion | None:
        """The question being edited, the last of several."""
        return next((one for one in reversed(tuple(self.edits.values())) if one.tag is None), None)

    @property
    def versioned(self) -> EditedQuestion | None:
        """The answer or tool's result being edited, the last of several."""
        return next((one for one in reversed(tuple(self.edits.values())) if one.tag is not None), None)

    @property
    def next_words(self) -> str:
        """Text of the next question: the queue, then the draft; a held queue comes last."""
        return self.queued[0] if self._queue_is_next else self.draft

    @property
    def next_prefill(self) -> str:
        """How the answer to the next question is to begin."""
        return self.queued_prefill if self._queue_is_next else self.prefill

    @property
    def _queue_is_next(self) -> bool:
        return bool(self.queued) and not (self.held and self.draft)

    @property
    def newest(self) -> EnvelopeView | None:
        """The request being answered, until the next one is typed, tried out or tuned; then the next one."""
        waiting = not self.next_words and self.trial is None and not self.ahead
        return self.in_flight if self.in_flight is not None and waiting else self.view

    @property
    def shown(self) -> EnvelopeView | None:
        """The request in view, for every page and command: an opened turn, an edit, or the newest."""
        if self.opened is not None:
            return self.opened
        if self.editing is not None and self.editing.view is not None:
            return self.editing.view
        return self.newest


@dataclass(frozen=True, slots=True)
class Notice:
    """A message to the person, numbered so that equal texts are two notices; `left_out` lists what it is about."""

    number: int
    chat: str | None
    text: str
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """Hits of a search; `searching` until it is done."""

    query: str
    hits: tuple[Hit, ...] = ()
    searching: bool = False


@dataclass(frozen=True, slots=True)
class Readiness:
    """A model's progress towards answering; `problem` says why it cannot."""

    ready: bool
    what: str = ""
    fraction: float | None = None
    problem: str = ""
    took_ms: float | None = None


@dataclass(frozen=True, slots=True)
class WrittenTitle:
    """A title that a model is to write, has written, or could not write.

    `tokens` and `cost_usd` are what asking costs; no cost where no price is known. `problem` says why there is none.
    """

    chat: str
    stage: Literal["offered", "writing", "written", "failed"]
    model: str = ""
    tokens: int = 0
    cost_usd: float | None = None
    text: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SuggestedFacts:
    """Facts that a model is to suggest, has suggested, or could not.

    `tokens` and `cost_usd` are what asking costs; no cost where no price is known. `found` is how many are new.
    """

    chat: str
    stage: Literal["offered", "asking", "done", "failed"]
    model: str = ""
    tokens: int = 0
    cost_usd: float | None = None
    found: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class WorkbenchState:
    """The state of the whole program.

    Attributes:
        models: what can be chosen; None until somebody asked.
        learnt: what turns have taught about their models, by name.
        readiness: of models that were asked to get ready, by name.
        key_origins: for which servers there are keys.
        jobs: exports and imports, the newest last.
        away: turns in progress of chats that are not in view, as they will be seen when they are.
        notices: the newest few.
        folder: the one that is looked through before something of it is attached.
        workspaces: by id, in the order of their names. everywhere: what holds for every chat.
        prompts: the texts that are kept under a name.
        sending_off: what is wrong with the settings file, so that nothing is sent until it is corrected.
        servers: of tools, by workspace and name, as far as they were asked for anything.
        offers: what folders of workspaces offer and nobody decided about, or what is wrong with it; by workspace.
        reach: how the caches of chats stand that were asked about, by chat.
        title: the one that was last asked of a model. suggestion: the facts that were.
        summary: the one that is looked at before it is applied.
        influence: the measurement that was asked for last; experiment: the questions over variants.
        watch: whether other programs are watched from here. sessions: those they left on this computer, once asked.
        update: two watched conversations side by side, as they were last compared.
        spending: what was spent, as long as that is looked at.
        questions: what servers of tools ask the person, the oldest first.
    """

    chats: tuple[Chat, ...] = ()
    open: Mapping[str, ChatState] = field(default_factory=dict)
    away: Mapping[str, RunningTurn] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    notices_given: int = 0
    found: Found | None = None
    models: tuple[ModelListing, ...] | None = None
    learnt: Mapping[str, ModelLearnt] = field(default_factory=dict)
    readiness: Mapping[str, Readiness] = field(default_factory=dict)
    preferences: Preferences = field(default_factory=Preferences)
    sending_off: SettingsProblem | None = None
    key_origins: tuple[str, ...] = ()
    presets: Mapping[str, ContextSettings] = field(default_factory=dict)
    jobs: tuple[Job, ...] = ()
    folder: FolderView | None = None
    workspaces: Mapping[str, Workspace] = field(default_factory=dict)
    everywhere: Workspace = field(default_factory=lambda: Workspace(EVERYWHERE))
    prompts: tuple[SavedPrompt, ...] = ()
    servers: Mapping[tuple[str, str], McpListing] = field(default_factory=dict)
    offers: Mapping[str, tuple[FolderOffer | None, str]] = field(default_factory=dict)
    title: WrittenTitle | None = None
    reach: Mapping[str, ChatReach] = field(default_factory=dict)
    suggestion: SuggestedFacts | None = None
    summary: SummaryView | None = None
    influence: InfluenceView | None = None
    experiment: ExperimentView | None = None
    watch: WatchView = field(default_factory=WatchView)
    sessions: SessionsView | None = None
    update: UpdateView | None = None
    spending: SpendView | None = None
    questions: tuple[McpQuestion, ...] = ()
