"""One turn, read from top to bottom: gather what it starts from, build the request, compare, check, report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from workbench.context.assemble import Assembly, assemble
from workbench.context.chunk_renderers import RendererRegistry
from workbench.context.compare import compare
from workbench.context.invariants import violations
from workbench.context.memory import BuildMemory
from workbench.context.redact import redacted
from workbench.context.report import turn_report
from workbench.context.wire import Json
from workbench.domain.change import Built, PrefixChange
from workbench.domain.chunk import Chunk
from workbench.domain.message import Message
from workbench.domain.preferences import ContextSettings
from workbench.domain.turn import TurnInputs
from workbench.engine.conversation import Conversation
from workbench.engine.counters import Counters
from workbench.engine.laps import Laps
from workbench.ports import Clock, ModelCatalogue, Redactor


@dataclass(frozen=True, slots=True)
class Builder:
    """What building a request needs of the world."""

    catalogue: ModelCatalogue
    counters: Counters
    clock: Clock
    renderers: RendererRegistry
    memory: BuildMemory = field(default_factory=BuildMemory)
    redactor: Redactor | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """What one turn asks for, on top of the conversation it belongs to.

    `tool_results` are those of tools that ran for this very question, before the model is asked.
    """

    settings: ContextSettings
    question: Message | None = None
    now: str | None = None
    tool_results: tuple[Chunk, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """A request ready to be shown or sent; the report about it is written when someone looks.

    `sendable` are the inputs as they were built from: the turn's own, or their redacted form.
    """

    built: Built
    change: PrefixChange
    sendable: TurnInputs
    build_ms: Mapping[str, float]

    @cached_property
    def report(self) -> Json:
        """One turn of a report, the invariants checked."""
        findings = violations(Built(self.sendable, self.built.envelope))
        return turn_report(self.built, self.change, findings, self.build_ms)


def prepare_turn(conversation: Conversation, ask: Ask, builder: Builder) -> Prepared:
    """Build the next request of a conversation; nothing is sent and nothing is changed."""
    card = builder.catalogue.find(ask.settings.model)
    inputs = TurnInputs(
        conversation=conversation.id,
        turn=conversation.turn + 1,
        settings=ask.settings,
        model=card,
        history=conversation.history,
        attached=conversation.attached,
        library=conversation.library,
        question=ask.question,
        now=ask.now,
        tool_results=ask.tool_results,
        trim=conversation.trim,
        tuning=conversation.tuning,
    )
    # What is kept is what was said; only what is sent goes through redaction.
    sendable = inputs if builder.redactor is None else redacted(inputs, builder.redactor.redact)
    counter = builder.counters.counter(ask.settings.counter, card)
    laps = Laps(builder.clock)
    assembly = Assembly(counter, builder.renderers, builder.memory, laps.lap)
    built = Built(inputs, assemble(sendable, assembly))
    return Prepared(built, compare(conversation.previous, built, counter), sendable, laps.milliseconds)
