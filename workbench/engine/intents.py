"""Intents: what a person wants, in the imperative; a front end sends one, the engine does it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.domain.files.attachment import Artifact, ArtifactKind
from workbench.domain.message import Image
from workbench.domain.secrets import Secret
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.three_way_merge import with_change
from workbench.domain.workspace import Filed, Workspace
from workbench.engine.attaching_intents import (
    CompareFile,
    Complete,
    FolderIntent,
    FreezeArtifacts,
    PartsChange,
    SearchWeb,
    ShowParts,
    StopAttaching,
)
from workbench.engine.program_intents import ProgramIntent, SpendingIntent, WatchIntent
from workbench.engine.tuning_intents import (
    AboutPriorities,
    CountTools,
    DetachShared,
    KeepSteps,
    PutBackAttached,
    TakeAnswer,
    TuneAttached,
    TuneLog,
    TuneMessages,
    TuneSummaries,
    TuningLook,
)
from workbench.engine.workspace_intents import WorkspaceIntent


@dataclass(frozen=True, slots=True)
class ListChats:
    """List the chats."""


@dataclass(frozen=True, slots=True)
class StartChat:
    """Make a chat and open it; `chat` is its id, chosen by whoever asks.

    One that is `unwritten` is kept with the first thing that is in it: a draft, an attachment, a question, a title.
    One that is `as_there` is set as new chats of its workspace are, where that has anything to say.
    """

    chat: str
    settings: ContextSettings
    title: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    unwritten: bool = False
    filed: Filed = field(default_factory=Filed)
    as_there: bool = False


@dataclass(frozen=True, slots=True)
class OpenChat:
    """Open a chat and show it."""

    chat: str


@dataclass(frozen=True, slots=True)
class CloseChat:
    """Close a chat; a running turn goes on."""

    chat: str


@dataclass(frozen=True, slots=True)
class RenameChat:
    """Change a chat's title."""

    chat: str
    title: str


@dataclass(frozen=True, slots=True)
class DeleteChat:
    """Delete a chat; it can be restored until it is purged."""

    chat: str


@dataclass(frozen=True, slots=True)
class RestoreChat:
    """Restore a deleted chat."""

    chat: str


@dataclass(frozen=True, slots=True)
class EditDraft:
    """Change what is being written; the next request follows.

    `seen` is the number of the draft it was typed over; where the engine has given words back since, they stay.
    `prefill` is how the answer is to begin; None leaves that as it is.
    """

    chat: str
    text: str
    seen: int | None = field(default=None, compare=False)
    prefill: str | None = None


@dataclass(frozen=True, slots=True)
class SendMessage:
    """Ask a question; without `commands`, an @read in it is only a word.

    `drafted` says that its words were the draft: they are no longer, and come back should the question not be kept.
    `left_out` are the attachments that were shown to stay out, `shortened` those of which a part was; where more would,
    nothing is sent. None asks for no such promise. `once` are other settings for this one turn; the chat's own stay as
    they are. A `dry` one ends with its request, which is not sent. `prefill` is how the answer begins; a model that
    does not go on with that is not asked. One on the `side` is no part of the chat.
    """

    chat: str
    text: str
    images: tuple[Image, ...] = ()
    now: str | None = None
    commands: bool = True
    drafted: bool = False
    left_out: frozenset[str] | None = None
    shortened: frozenset[str] | None = None
    once: ContextSettings | None = None
    dry: bool = False
    prefill: str = ""
    side: bool = False


@dataclass(frozen=True, slots=True)
class MakeSideTurn:
    """Put a side question and its answer into the chat, as its newest turn."""

    chat: str
    side: str


SteerWay = Literal["answer", "step", "instead"]
"""When what is written during an answer is sent: after it, after its present step, or in its place."""


@dataclass(frozen=True, slots=True)
class QueueMessage:
    """Send this text once the present answer is complete, after what is queued already; it leaves the draft.

    With another `way` it is steered so at once.
    """

    chat: str
    text: str
    prefill: str = ""
    way: SteerWay = "answer"


@dataclass(frozen=True, slots=True)
class SteerQueued:
    """Send a queued message after the present step, in place of the answer, or after it as usual.

    After the step means: after the results of the tools that run, in the next round of the same turn. Where there is
    none, it is sent after the answer. In its place: the answer is stopped, and what arrived is kept.
    """

    chat: str
    key: int
    way: SteerWay


@dataclass(frozen=True, slots=True)
class TakeQueued:
    """Remove a message from the queue; with `back`, it becomes the draft again. One already sent is not touched."""

    chat: str
    key: int
    back: bool = False


@dataclass(frozen=True, slots=True)
class SendQueued:
    """Send the held queue, its first message now."""

    chat: str


QueueIntent = QueueMessage | TakeQueued | SendQueued | SteerQueued


@dataclass(frozen=True, slots=True)
class StopTurn:
    """Stop the answer; what has arrived is kept."""

    chat: str


@dataclass(frozen=True, slots=True)
class KeepWarm:
    """Keep what a provider's cache holds of a chat, or stop that; without a chat, stop it for all."""

    chat: str
    on: bool = True


@dataclass(frozen=True, slots=True)
class RegenerateAnswer:
    """Answer a question again, as a sibling of the answers it has."""

    chat: str
    question: str


@dataclass(frozen=True, slots=True)
class EditQuestion:
    """Ask an edited question, on a new branch beside the old one."""

    chat: str
    question: str
    text: str


@dataclass(frozen=True, slots=True)
class ContinueAnswer:
    """Continue an incomplete answer; with `begun`, any answer from this text on, as another version of it."""

    chat: str
    answer: str
    begun: str = ""


@dataclass(frozen=True, slots=True)
class ShowBranch:
    """Show the branch that a message is on."""

    chat: str
    message: str


@dataclass(frozen=True, slots=True)
class AttachFiles:
    """Attach files by their paths; their content is kept as it is now.

    `priority` is for new ones; no link in `folder`, which they were chosen in, is followed. `whole` wants all or
    nothing; else what cannot be read is left out and named. Each of `passwords` is tried on what is locked, and none is
    kept. With `pictures`, pages without text are attached as pictures.
    """

    chat: str
    paths: tuple[str, ...]
    priority: int | None = None
    folder: str = ""
    whole: bool = False
    passwords: tuple[Secret, ...] = ()
    pictures: bool = False


@dataclass(frozen=True, slots=True)
class AttachArtifact:
    """Attach text that is not a file, or change the priority and pin of an attachment."""

    chat: str
    artifact: Artifact


@dataclass(frozen=True, slots=True)
class AttachText:
    """Attach text that was pasted or dropped; `title` is what it is shown as."""

    chat: str
    text: str
    title: str = ""
    kind: ArtifactKind = "clipboard"


@dataclass(frozen=True, slots=True)
class AttachPicture:
    """Attach a picture that was pasted: the bytes of a PNG, JPEG, GIF or WebP."""

    chat: str
    content: bytes = field(repr=False)
    title: str = ""


@dataclass(frozen=True, slots=True)
class RefreshArtifacts:
    """Load the new versions of attached files."""

    chat: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DetachArtifacts:
    """Detach attachments; the library keeps what was sent."""

    chat: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """Change a chat's request settings; with `before`, only the fields that differ from it."""

    chat: str
    settings: ContextSettings
    before: ContextSettings | None = None

    def of(self, held: ContextSettings) -> ContextSettings:
        """The settings after the change; fields changed by others meanwhile stay."""
        return self.settings if self.before is None else with_change(held, self.before, self.settings)


AllowScope = Literal["once", "chat", "workspace"]


@dataclass(frozen=True, slots=True)
class AnswerToolRequest:
    """Allow or refuse what the model wants done; with `always`, that tool is not asked about again in this chat.

    `scope` says for how much more that holds; without it, `always` does.
    """

    chat: str
    call: str
    allowed: bool
    always: bool = False
    scope: AllowScope | None = None

    @property
    def lasts(self) -> AllowScope:
        """Scope of the decision: this call, the chat, or all chats of its workspace."""
        return self.scope or ("chat" if self.always else "once")


@dataclass(frozen=True, slots=True)
class UndoToolCall:
    """Undo what a tool did; `message` is the tool's result."""

    chat: str
    message: str


@dataclass(frozen=True, slots=True)
class AcceptRebuild:
    """Ask again with the smaller request that was proposed after the provider's window was exceeded."""

    chat: str


@dataclass(frozen=True, slots=True)
class TrySettings:
    """Show the next request under other settings or in another workspace; None for both ends the trial."""

    chat: str
    settings: ContextSettings | None
    workspace: Workspace | None = None


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """Show a turn's request as it was sent; None ends that."""

    chat: str
    number: int | None


@dataclass(frozen=True, slots=True)
class CheckFacts:
    """Hold the answer to a question against the request that it was made from; `reply` is its first message."""

    chat: str
    question: str
    reply: str | None


@dataclass(frozen=True, slots=True)
class LookAhead:
    """Show the next request, even while one is being answered."""

    chat: str


@dataclass(frozen=True, slots=True)
class EditInPlace:
    """Edit a question, an answer or a tool's result in place, and show the request that makes; None ends the edit."""

    chat: str
    question: str
    text: str | None


@dataclass(frozen=True, slots=True)
class CompareTurns:
    """Show how two requests differ, by turn number, None for the next one; None for both ends the comparison."""

    chat: str
    before: int | None
    after: int | None = None


@dataclass(frozen=True, slots=True)
class CompareLayouts:
    """Show what a cache would have served of a chat's turns in other layouts, computed from stored turns."""

    chat: str


TurnIntent = SendMessage | RegenerateAnswer | EditQuestion | ContinueAnswer | AcceptRebuild
Attaching = (
    AttachFiles | AttachArtifact | AttachText | AttachPicture | TuneAttached | PutBackAttached | DetachShared
    | RefreshArtifacts | FreezeArtifacts | DetachArtifacts | PartsChange
)  # fmt: skip
ChatChange = (
    Attaching | ChangeSettings | TuneMessages | TuneSummaries | TuneLog | ShowBranch | TakeAnswer | RenameChat
    | DeleteChat | RestoreChat | UndoToolCall | MakeSideTurn
)  # fmt: skip
ChatIntent = EditDraft | KeepSteps | ChatChange
Priceable = ChatChange | EditQuestion | WorkspaceIntent
"""What a control may do that moves the next request."""


@dataclass(frozen=True, slots=True)
class PriceStep:
    """Say what a step would cost before it is taken: the very intents that would take it; none ends that.

    `key` is what the front end calls it, and comes back with the price.
    """

    chat: str
    key: str = ""
    step: tuple[Priceable, ...] = ()


ChatsIntent = ListChats | StartChat | OpenChat | CloseChat
"""Which chats there are and are in view."""

Look = (
    CountTools | ShowParts | CompareFile | Complete | PriceStep | TrySettings
    | OpenTurn | CheckFacts | LookAhead | EditInPlace | CompareTurns | CompareLayouts | TuningLook | AboutPriorities
)  # fmt: skip
"""What changes only what is shown of a chat."""

Intent = (
    TurnIntent | ChatIntent | QueueIntent | Look | ProgramIntent | WatchIntent | FolderIntent | WorkspaceIntent
    | ChatsIntent | StopTurn | KeepWarm | StopAttaching | SearchWeb | AnswerToolRequest | SpendingIntent
)  # fmt: skip
