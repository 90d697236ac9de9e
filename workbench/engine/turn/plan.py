"""What one turn is to do, settled before it runs; and who watches it."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from workbench.context.text.at_commands import PlannedCall
from workbench.domain.approval import Ruling
from workbench.domain.chunk import Chunk
from workbench.domain.message import Message, ToolCall
from workbench.domain.recall import Found
from workbench.domain.request import ModelRequest, Picture
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.tool import ToolOutcome, ToolPreview
from workbench.engine.assembly.prepare import Prepared
from workbench.engine.conversation import Conversation
from workbench.engine.events import TurnEvent


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """One turn: a question to a conversation that stands before it.

    Attributes:
        kept: whether the question is in the store already, because it is answered again or its answer continued.
        rounds: what was said after the question and is sent with it: calls and results of an answer to be continued.
        begun: the answer that the model is to go on with.
        answers: the message that the answer will stand after; the question itself where none is given.
        left_out: the attachments that may stay out of the request; None where nobody was promised anything.
        tool_results: what the question's own commands gave back (@read, @search, @ls), if `commands` lets them run.
        found: what of the past fits the question, the best first.
        workspace: the id of the one whose tools it has; empty for those of the program.
        cold: whether the request was shown as one that no cache knows any more; None where nobody saw it before.
    """

    conversation: Conversation
    settings: ContextSettings
    question: Message
    now: str | None = None
    kept: bool = False
    rounds: tuple[Message, ...] = ()
    begun: Message | None = None
    answers: str | None = None
    tool_results: tuple[Chunk, ...] = ()
    commands: bool = True
    left_out: frozenset[str] | None = None
    cold: bool | None = None
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    found: tuple[Found, ...] = ()
    workspace: str = ""

    @property
    def chat(self) -> str:
        return self.conversation.id

    @property
    def number(self) -> int:
        return self.conversation.turn + 1


@dataclass(frozen=True, slots=True)
class Sending:
    """One request of a turn: as it was built and is shown, and as the model gets it."""

    prepared: Prepared
    request: ModelRequest


class Front(Protocol):
    """Who watches a turn and is asked: a window, a command line, a test."""

    @property
    def commands(self) -> Mapping[PlannedCall, ToolOutcome]:
        """What commands of the question gave back while it was written."""

    @property
    def foretold_tokens(self) -> int | None:
        """How much of the request was said to be cached, before it was sent."""

    def emit(self, event: TurnEvent) -> None:
        """Something happened."""

    def permit(self, call: ToolCall, preview: ToolPreview) -> Awaitable[bool]:
        """Whether a tool may do that; not asked for what is allowed already.

        Called before the question is shown, so that an answer given at once is not missed.
        """

    async def ruling(self) -> Ruling:
        """What is allowed, asked and forbidden here; read for every call, as it is kept then."""

    def draft_left(self) -> str | None:
        """What is left of the draft that the question was, kept together with it."""

    async def question_kept(self) -> None:
        """Waited for right after the question is kept."""
