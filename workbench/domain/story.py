"""A chat as a story: what was asked and answered with what attached, and a question that waits to be sent."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.attachment import Artifact


@dataclass(frozen=True, slots=True)
class StoryTurn:
    """One question with its answer; `attached` is everything that was attached then."""

    question: str
    answer: str
    attached: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True)
class Story:
    """A chat with turns behind it; `draft` and `attached` are its next question."""

    title: str
    turns: tuple[StoryTurn, ...]
    draft: str = ""
    attached: tuple[Artifact, ...] = ()
