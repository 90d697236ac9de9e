"""What one turn is to do, settled before it runs; and who watches it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

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
        """The chat it belongs to."""
        return self.conversation.id

    @property
    def number(self) -> int:
        """Which turn of its branch it is."""
        return self.conversation.turn + 1


@dataclass(frozen=True, slots=True)
class Sending:
    """One request of a turn: as it was built and is shown, and as the model gets it."""

    prepared: Prepared
    request: ModelRequest


async def _nothing() -> None:
    """Nobody cares."""


async def _no_rules() -> Ruling:
    return Ruling()


@dataclass(frozen=True, slots=True)
class Front:
    """Who watches a turn and is asked: a window, a command line, a test.

    Attributes:
        permit: called before the question is shown, so that an answer given at once is not missed; it is not called
            for what is allowed already.
        ruling: what is allowed, asked and forbidden here; read for every call, as it is kept then.
        draft_left: what is left of the draft that the question was, kept together with it.
        question_kept: waited for right after that.
        commands_known: what commands of the question gave back while it was written.
        foretold_tokens: how much of the request was said to be cached, before it was sent.
    """

    emit: Callable[[TurnEvent], None]
    permit: Callable[[ToolCall, ToolPreview], Awaitable[bool]]
    draft_left: Callable[[], str | None] = field(default=lambda: None)
    question_kept: Callable[[], Awaitable[None]] = field(default=_nothing)
    commands_known: Callable[[], Mapping[PlannedCall, ToolOutcome]] = field(default=dict)
    foretold_tokens: int | None = None
    ruling: Callable[[], Awaitable[Ruling]] = field(default=_no_rules)
