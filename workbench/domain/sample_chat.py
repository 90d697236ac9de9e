"""The sample chat as data: its turns with their attachments, and a question that is not sent yet."""

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
    """A chat with past turns; `draft` and `attached` are its next question.

    `budget_tokens` limits its requests; None for the model's own limit.
    """

    title: str
    turns: tuple[SampleTurn, ...]
    draft: str = ""
    attached: tuple[Artifact, ...] = ()
    budget_tokens: int | None = None
