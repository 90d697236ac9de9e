"""Everything a front end shows, as one frozen value; a new one for every event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.domain.answer import Failure
from workbench.domain.message import ToolCall
from workbench.domain.outcome import TurnOutcome
from workbench.domain.record import Chat, Record
from workbench.domain.tool import ToolOutcome, ToolPreview
from workbench.engine.conversation import Conversation
from workbench.engine.prepare import Prepared


@dataclass(frozen=True, slots=True)
class ToolCard:
    """A call as it is shown: waiting for a decision while `outcome` is None and a preview is there.

    `said` is what the model said before this call was done; after it, a text begins anew.
    """

    call: ToolCall
    preview: ToolPreview | None = None
    outcome: ToolOutcome | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class RunningTurn:
    """A turn in progress.

    Attributes:
        progress, fraction: what is going on before the first word.
        retry: why the last attempt failed, while another one is waited for.
    """

    number: int
    question: str
    text: str = ""
    thinking: str = ""
    progress: str = ""
    fraction: float | None = None
    retry: Failure | None = None
    tools: tuple[ToolCard, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatState:
    """One open chat.

    Attributes:
        prepared: the next request, as it would be sent.
        running: the turn in progress.
        ended: how the last turn of this session ended.
        proposal: a request that fits the provider's real window.
    """

    chat: Chat
    conversation: Conversation
    records: tuple[Record, ...] = ()
    draft: str = ""
    prepared: Prepared | None = None
    running: RunningTurn | None = None
    ended: TurnOutcome | None = None
    proposal: Prepared | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to read, numbered so that the same words twice are two notices."""

    number: int
    chat: str | None
    text: str


@dataclass(frozen=True, slots=True)
class WorkbenchState:
    """The whole program, as it is shown.

    Attributes:
        away: turns in progress of chats that are not in view, as they will be seen when they are.
        notices: the newest few.
    """

    chats: tuple[Chat, ...] = ()
    open: Mapping[str, ChatState] = field(default_factory=dict)
    away: Mapping[str, RunningTurn] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    notices_given: int = 0
