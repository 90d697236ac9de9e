"""A watched request as it is understood: its pieces, its answer, and what became of the prefix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal

from workbench.domain.caching.forecast import CacheForecast, Verdict
from workbench.domain.message import Image, Role
from workbench.domain.models.model import CacheLifetime
from workbench.domain.segment import LayerName
from workbench.domain.usage import Cost, Usage
from workbench.domain.watch.exchange import WatchedFormat

PieceKind = Literal[
    "tool", "system", "question", "reminder", "answer", "thought", "call", "result", "picture"
]
Relation = Literal["first", "identical", "extended", "changed"]
Cause = Literal["model", "tools", "system", "history", "mark", "parameters", "expired"]
FindingKind = Literal[
    "prefix_lost", "unused_tools", "stale_result", "same_file", "timestamp", "idle_mark", "window_full", "cold_resume",
    "compacted",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class WatchedPiece:
    """A part of a request, in the order in which the model reads it.

    Attributes:
        path: where it stands in the body ("system[2].text").
        text: of a tool its definition as JSON, of a call its arguments, of a picture nothing.
        role: who says it; a tool's definition is the system's.
        message: the number of its message in the body's list; -1 where it stands outside of it.
        name: a tool's name, a file's, or what the piece is about; empty where it has none.
        call: the id that ties a call and its result.
        mark: for how long the cache mark that ends here asks to be held; empty where there is none.
        digest: of what the model reads here, without path, mark and layer.
    """

    path: str
    layer: LayerName
    kind: PieceKind
    text: str
    role: Role = "user"
    message: int = -1
    name: str = ""
    tokens: int = 0
    call: str = ""
    mark: CacheLifetime | Literal[""] = ""
    image: Image | None = None
    digest: str = ""


_TOKENS = attrgetter("tokens")


def tokens_of(pieces: Iterable[WatchedPiece]) -> int:
    """What pieces cost together; a long request has thousands of them, and is summed up often."""
    return sum(map(_TOKENS, pieces))


@dataclass(frozen=True, slots=True)
class WatchedRequest:
    """What was read of a request's body.

    Attributes:
        parameters: all that is not pieces, by name, as JSON.
        exact: whether the server itself counted the request, so that the pieces sum to its count.
        previous: the answer it goes on from, where the provider keeps what was said before.
        odd: what was not as the protocol has it and is kept as text, each in a sentence.
    """

    format: WatchedFormat
    model: str
    pieces: tuple[WatchedPiece, ...]
    parameters: tuple[tuple[str, str], ...] = ()
    exact: bool = False
    previous: str = ""
    odd: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        return tokens_of(self.pieces)


@dataclass(frozen=True, slots=True)
class WatchedAnswer:
    """What was read of an answer: its pieces in order, and what the provider reported.

    Attributes:
        id: what the provider calls it. finish_reason: in the provider's own word.
        error: what the server said in place of an answer; cut: whether the stream broke off before its end.
        unkept_bytes: how large an answer was of which only the beginning is here; 0 where all of it is.
    """

    pieces: tuple[WatchedPiece, ...] = ()
    usage: Usage = field(default_factory=Usage)
    finish_reason: str = ""
    error: str = ""
    id: str = ""
    cut: bool = False
    unkept_bytes: int = 0


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first place at which a request is not as the one before; texts are cut to what differs."""

    path: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class AgainstBefore:
    """A request beside the one before it in its conversation.

    Attributes:
        lost_tokens: what of the request before stands behind the first difference, so that no cache can serve it.
        words: the causes as sentences, one each.
        removed: what a compaction took out of the conversation, as text that can be attached again.
    """

    relation: Relation
    first_difference: FirstDifference | None = None
    causes: tuple[Cause, ...] = ()
    lost_tokens: int = 0
    words: tuple[str, ...] = ()
    removed: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something worth knowing about a request, with its evidence.

    Attributes:
        tokens: how many it is about; usd: what it costs; None where no price is known.
        words: what is so; advice: what to do about it.
        path: the piece that shows it; empty where it is the whole request.
    """

    kind: FindingKind
    tokens: int
    words: str
    advice: str
    usd: float | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class WatchedTurn:
    """All that is known of one request: who sent it, what it held, what the cache did, what it cost.

    Attributes:
        parent: the conversation of which this one is a sub-agent's; None where it is nobody's. call: which of its calls
            began this one, where that is known.
        client: as it names itself ("claude-cli/2.1.197").
        session: what the client calls its session; empty where it does not say.
        log_usd: what the same turns would have cost so far, had nothing before the newest turn changed.
        log_step_usd: the part of that which is this turn's.
    """

    n: int
    conversation: str
    client: str
    started_at: float
    request_bytes: int
    request: WatchedRequest
    answer: WatchedAnswer
    against: AgainstBefore
    parent: str | None = None
    session: str = ""
    status: int | None = None
    first_byte_ms: float | None = None
    total_ms: float | None = None
    forecast: CacheForecast | None = None
    verdict: Verdict | None = None
    cost: Cost | None = None
    log_usd: float | None = None
    findings: tuple[Finding, ...] = ()
    call: str = ""
    log_step_usd: float | None = None
