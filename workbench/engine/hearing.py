"""A request beside a chat's turns, and its answer: not stored as a turn."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from workbench.domain.answer import CallMade, Finished, FinishReason, TextGrew, UsageReported
from workbench.domain.request import ModelRequest
from workbench.domain.usage import Usage
from workbench.ports.clock import Clock
from workbench.ports.models import ChatModel


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer, its usage, its times to the first word and to the end, and why it ended.

    `tools`: those that it called, by name; nobody ran them.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    first_ms: float | None = None
    total_ms: float = 0.0
    finish: FinishReason | None = None
    tools: tuple[str, ...] = ()


async def hear(
    model: ChatModel, request: ModelRequest, clock: Clock, told: Callable[[str], None] = lambda text: None
) -> Heard:
    """Ask a model that is ready; raises `ModelFailed` if it does not answer. `told` gets the text so far."""
    began, first_ms = clock.monotonic_ms(), None
    text, usage, tools = "", Usage(), dict[str, None]()
    finish: FinishReason | None = None
    async with aclosing(model.stream(request)) as parts:
        async for part in parts:
            if isinstance(part, TextGrew):
                first_ms = clock.monotonic_ms() - began if first_ms is None else first_ms
                text += part.text
                told(text)
            elif isinstance(part, CallMade):
                tools[part.call.name] = None
            usage = part.usage if isinstance(part, UsageReported) else usage
            finish = part.reason if isinstance(part, Finished) else finish
    return Heard(text, usage, first_ms, clock.monotonic_ms() - began, finish, tuple(tools))
