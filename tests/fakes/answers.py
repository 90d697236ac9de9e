"""Asking a model in a test: requests, and an answer as the engine would keep it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal

from workbench.domain.answer import (
    AnswerPart,
    CallMade,
    Failure,
    Finished,
    ModelFailed,
    Retrying,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.request import ModelRequest, RequestMessage, Timeouts

# Long: nothing that is not about time may fail on a busy machine.
PATIENT = Timeouts(connect_s=20, first_token_s=20, idle_s=20)


def question(text: str = "Why?", timeouts: Timeouts = PATIENT, window_tokens: int = 4096) -> ModelRequest:
    """A request with one question."""
    messages = (RequestMessage("q", "user", text),)
    return ModelRequest("fake", "chat-1", messages, window_tokens, timeouts=timeouts)


@dataclass
class Kept:
    """What is left of an answer when it has ended in whichever way."""

    state: Literal["complete", "interrupted", "failed"] = "complete"
    text: str = ""
    failure: Failure | None = None
    error: ModelFailed | None = None
    parts: list[AnswerPart] = field(default_factory=list)

    @property
    def kind(self) -> str | None:
        """The failure's name."""
        return None if self.failure is None else self.failure.kind

    @property
    def thinking(self) -> str:
        """All thoughts."""
        return "".join(part.text for part in self.parts if isinstance(part, ThinkingGrew))

    @property
    def calls(self) -> list[CallMade]:
        """All calls."""
        return [part for part in self.parts if isinstance(part, CallMade)]

    @property
    def usage(self) -> list[UsageReported]:
        """All reports of usage."""
        return [part for part in self.parts if isinstance(part, UsageReported)]

    @property
    def retries(self) -> list[Retrying]:
        """All announced retries."""
        return [part for part in self.parts if isinstance(part, Retrying)]


async def keep(stream: AsyncGenerator[AnswerPart, None]) -> Kept:
    """Read to the end, by the engine's rule: text arrived → interrupted, none → failed."""
    kept = Kept()
    async with aclosing(stream) as parts:
        try:
            async for part in parts:
                kept.parts.append(part)
                kept.text += part.text if isinstance(part, TextGrew) else ""
        except ModelFailed as failed:
            kept.failure, kept.error = failed.failure, failed
            kept.state = "interrupted" if kept.text else "failed"
            return kept
    assert isinstance(kept.parts[-1], Finished)
    return kept
