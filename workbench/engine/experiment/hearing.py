"""A request that is asked beside a chat, and what was heard: no turn of it is kept."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field

from workbench.domain.answer import TextGrew, UsageReported
from workbench.domain.request import ModelRequest
from workbench.domain.usage import Usage
from workbench.engine.world import World


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer, what it took, and how long: until the first word, and to the end."""

    text: str
    usage: Usage = field(default_factory=Usage)
    first_ms: float | None = None
    total_ms: float = 0.0


async def hear(model_name: str, request: ModelRequest, world: World) -> Heard:
    """Ask a model; `ModelFailed` says why it did not answer."""
    clock = world.builder.clock
    model = world.models.open(model_name)
    await model.ready(lambda what, part: None)
    began, first_ms = clock.monotonic_ms(), None
    text, usage = "", Usage()
    async with aclosing(model.stream(request)) as parts:
        async for part in parts:
            if isinstance(part, TextGrew):
                first_ms = clock.monotonic_ms() - began if first_ms is None else first_ms
                text += part.text
            usage = part.usage if isinstance(part, UsageReported) else usage
    return Heard(text, usage, first_ms, clock.monotonic_ms() - began)
