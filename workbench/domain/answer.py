"""What comes back from a model while it answers, and how it can fail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from workbench.domain.caching import ProviderSays
from workbench.domain.message import ToolCall
from workbench.domain.usage import Usage

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "refusal", "other"]

FailureKind = Literal[
    "auth", "rate", "server", "context", "request", "network", "tls", "timeout", "protocol", "too_big", "empty",
    "unavailable", "store", "internal",
]  # fmt: skip
FAILURE_KINDS: tuple[FailureKind, ...] = get_args(FailureKind)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an answer did not come, or not to its end.

    Attributes:
        message: what happened and what to do, for a person; never a key, and of a provider's own words only a little.
        retry_after_s: how long the provider asked to be left alone.
        keyless: for "auth": no key was given, so none was refused; None where one was.
        limit_tokens, asked_tokens: for "context": the window the provider has, and what it counted, where it said so.
    """

    kind: FailureKind
    message: str
    retry_after_s: float | None = None
    limit_tokens: int | None = None
    asked_tokens: int | None = None
    keyless: bool | None = None


class ModelFailed(Exception):
    """Raised by a model in the middle of its stream, or instead of one."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class TextGrew:
    """More of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingGrew:
    """More of what the model thinks before it answers; the signature comes with a thought's last part."""

    text: str
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class CallMade:
    """A whole call of a tool."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class UsageReported:
    """What the provider counted; a later report replaces an earlier one."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Progressed:
    """What is going on before the first token, in words for a person; `fraction` where it can be told."""

    what: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The provider took the request and begins to answer; the digest is that of the very bytes it was sent."""

    digest: str


@dataclass(frozen=True, slots=True)
class AnswerNamed:
    """What the provider calls this answer, by which the next request can be compared with its own, and what it says of
    this request beside the one before."""

    id: str
    says: ProviderSays | None = None


@dataclass(frozen=True, slots=True)
class Retrying:
    """The attempt failed before the first token; the next one starts after a wait.

    `tries` is how many attempts there are at most; 0 where nobody says.
    """

    attempt: int
    wait_s: float
    failure: Failure
    tries: int = 0


@dataclass(frozen=True, slots=True)
class MarksRemoved:
    """Marks of the model's own template that had leaked into the end of its answer, and are not in its text."""

    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of an answer, as the provider said it; `reason` is None where it ended without giving one."""

    reason: FinishReason | None


AnswerPart = (
    TextGrew
    | ThinkingGrew
    | CallMade
    | UsageReported
    | Progressed
    | Accepted
    | AnswerNamed
    | Retrying
    | MarksRemoved
    | Finished
)
