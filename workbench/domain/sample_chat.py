"""The sample chat as data: what was asked and answered with what attached, and a question that waits to be sent."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.files.attachment import Artifact


@dataclass(frozen=True, slots=True)
class SampleTurn:
    """One question with its answer; `attached` is everything that was attached then."""

    question: str
    answer: str
    attached: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True)
class SampleChat:
    """A chat with turns behind it; `draft` and `attached` are its next question.

    `budget_tokens` is what its requests may have; None: what the model takes.
    """

    title: str
    turns: tuple[SampleTurn, ...]
    draft: str = ""
    attached: tuple[Artifact, ...] = ()
    budget_tokens: int | None = None
