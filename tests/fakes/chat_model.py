"""Models in tests: answers written down beforehand, given part by part; nothing leaves the process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

from workbench.domain.answer import Accepted, AnswerPart, CallMade, Failure, Finished, ModelFailed, TextGrew
from workbench.domain.errors import InvalidInput
from workbench.domain.message import ToolCall
from workbench.domain.model import ModelCard, ModelListing, ServerLook
from workbench.domain.request import HIDDEN, ModelRequest, WireBody
from workbench.domain.text import digest_text
from workbench.domain.usage import Price
from workbench.ports.models import ChatModel, PromptMeter


class Forever:
    """A place in an answer where nothing more comes until someone stops it."""


Step = AnswerPart | Failure | Exception | Forever | float
"""A part, the way it fails, what a broken library raises, an endless wait, or a wait in seconds."""


def words(text: str) -> list[Step]:
    """A whole answer, word by word."""
    pieces = [TextGrew(f"{word} ") for word in text.split(" ")[:-1]]
    return [*pieces, TextGrew(text.rpartition(" ")[2]), Finished("stop")]


def calls(*names_and_arguments: tuple[str, str]) -> list[Step]:
    """An answer that is nothing but calls."""
    made = [CallMade(ToolCall(f"c{i}", n, a)) for i, (n, a) in enumerate(names_and_arguments, 1)]
    return [*made, Finished("tool_calls")]


@dataclass
class FakeModel:
    """Gives one answer after the other; the last one again when there are no more → ChatModel.

    Attributes:
        requests: what it was asked, in order.
        cancelled: how many answers were ended from outside.
        unready: why it cannot start, if it cannot.
        counts: its own counter, if it has one.
        card_s, closing_s: how long it takes to say what it is, and to let go of a stopped answer.
    """

    answers: Sequence[Sequence[Step]]
    requests: list[ModelRequest] = field(default_factory=list)
    cancelled: int = 0
    closed: bool = False
    unready: Failure | None = None
    refine: Callable[[ModelCard], ModelCard] = lambda card: card
    counts: PromptMeter | None = None
    card_s: float = 0.0
    closing_s: float = 0.0

    async def card(self, known: ModelCard) -> ModelCard:
        """What the catalogue says, changed as the test wants."""
        await asyncio.sleep(self.card_s)
        return self.refine(known)

    def wire(self, request: ModelRequest) -> WireBody:
        """The request as most servers would get it; it goes nowhere."""
        rows = [{"role": message.role, "content": message.text} for message in request.messages]
        body = {"model": request.model, "messages": rows, **request.parameters}
        stretches = tuple((("messages", place, "content"),) for place in range(len(rows)))
        headers = (("authorization", f"Bearer {HIDDEN}"),)
        return WireBody(body, "https://fake.example/v1", headers, stretches, digest_text(json.dumps(body)))

    async def meter(self) -> PromptMeter | None:
        """Its own counter; it counts nothing itself unless a test says so."""
        return self.counts

    async def ready(self, progress: Callable[[str, float | None], None]) -> None:
        """There at once, unless a test says otherwise."""
        if self.unready is not None:
            raise ModelFailed(self.unready)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[AnswerPart, None]:
        """The next answer."""
        number = min(len(self.requests), len(self.answers) - 1)
        self.requests.append(request)
        try:
            yield Accepted(self.wire(request).digest)
            for step in self.answers[number]:
                await asyncio.sleep(step if isinstance(step, float) else 0)
                if isinstance(step, Forever):
                    await asyncio.Event().wait()
                elif isinstance(step, Failure):
                    raise ModelFailed(step)
                elif isinstance(step, Exception):
                    raise step
                elif not isinstance(step, float):
                    yield step
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            if self.closing_s:
                await asyncio.sleep(self.closing_s)
            raise

    async def close(self) -> None:
        """Nothing is open."""
        self.closed = True


@dataclass
class FakeModels:
    """One model under every name, or those given by name → Models."""

    model: ChatModel
    others: dict[str, ChatModel] = field(default_factory=dict)
    closed: bool = False

    def open(self, name: str) -> ChatModel:
        """The model of that name."""
        if name == "nonsense:":
            raise InvalidInput("model", "this names no model")
        return self.others.get(name, self.model)

    async def available(self) -> tuple[ModelListing, ...]:
        """Nothing is listed."""
        return ()

    async def look(self, *, hosted: bool) -> tuple[ServerLook, ...]:
        """Only the built-in model is there."""
        return (ServerLook("builtin", True, "the built-in model is there"),)

    async def close(self) -> None:
        """Remembered, so that a test can ask."""
        self.closed = True


class NoPrices:
    """Nothing has a price → PriceList."""

    def price(self, card: ModelCard) -> Price | None:
        """None is known."""
        return None
