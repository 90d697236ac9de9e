"""Events of a model's streaming answer, and its failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from workbench.domain.caching import ProviderSays
from workbench.domain.message import ToolCall
from workbench.domain.probability import LikelyToken
from workbench.domain.usage import Usage

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "refusal", "other"]

FailureKind = Literal[
    "auth", "rate", "server", "context", "request", "network", "tls", "timeout", "protocol", "too_big", "empty",
    "unavailable", "store", "internal", "cap",
]  # fmt: skip
FAILURE_KINDS: tuple[FailureKind, ...] = get_args(FailureKind)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an answer did not arrive, or not completely.

    Attributes:
        message: what happened and what to do, for the user; never a key, and little of the provider's own words.
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
    """More text of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class TokenLikely:
    """A token of the text as its server reported it; comes with the text, or a little later."""

    token: LikelyToken


@dataclass(frozen=True, slots=True)
class ThinkingGrew:
    """More of the model's thinking; the signature comes with the last part of a thought."""

    text: str
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class CallMade:
    """A complete tool call."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class UsageReported:
    """The provider's token usage; a later report replaces an earlier one."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class Progressed:
    """Progress before the first token, in words for the user; `fraction` where it is known."""

    what: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The provider accepted the request; the digest is that of the bytes that were sent."""

    digest: str


@dataclass(frozen=True, slots=True)
class AnswerNamed:
    """The provider's id of this answer, and its own account of how the request compares with the previous one."""

    id: str
    says: ProviderSays | None = None


@dataclass(frozen=True, slots=True)
class Retrying:
    """The attempt failed before the first token; the next one starts after a wait.

    `tries` is the most attempts; 0 where that is unknown.
    """

    attempt: int
    wait_s: float
    failure: Failure
    tries: int = 0


@dataclass(frozen=True, slots=True)
class MarksRemoved:
    """Template marks that had leaked into the end of the answer, and were removed from its text."""

    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of an answer; `reason` is the provider's, None where it gave none."""

    reason: FinishReason | None


AnswerPart = (
    TextGrew
    | TokenLikely
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
