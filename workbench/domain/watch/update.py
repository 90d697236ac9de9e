"""What is different between two watched conversations that did the same task with two versions of a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

ChangeKind = Literal[
    "model", "tools", "system", "reminders", "parameters", "breaks", "requests", "messages", "answers"
]
CHANGE_KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference, with what it adds.

    Attributes:
        tokens: added per request, negative where it saves; of a break those that are re-read, of answers all of them.
        usd: added over all requests; None where no price is known.
        path: the piece that shows it; empty where it is the whole conversation.
    """

    kind: ChangeKind
    words: str
    tokens: int = 0
    usd: float | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """The figures of one watched conversation.

    Attributes:
        tokens: of all requests; request: of the largest one; tools, system: of the first one.
        breaks: how often the prefix broke; lost: the tokens that were lost by it.
    """

    chat: str
    title: str
    client: str
    model: str
    requests: int
    tokens: int
    request: int
    tools: int
    system: int
    breaks: int
    lost: int
    answered: int
    usd: float | None = None


LIMITED = ("tokens", "request", "tools", "system", "requests", "breaks", "lost", "answered", "usd")
"""The figures of a run that can be limited."""


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """Two runs side by side, and what changed, the dearest first."""

    before: WatchedRun
    after: WatchedRun
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class UpdateView:
    """Two watched chats as a window compares them: the report, or why there is none."""

    before: str
    after: str
    report: UpdateReport | None = None
    problem: str = ""
