"""A parsed watched request: its pieces, its answer, and what became of the prefix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Annotated, Literal

from workbench.domain.caching import CacheForecast, Verdict
from workbench.domain.memo import made_once
from workbench.domain.message import Image, Role
from workbench.domain.model import CacheLifetime
from workbench.domain.reading.constraints import Between
from workbench.domain.segment import LayerName
from workbench.domain.usage import Cost, Usage
from workbench.domain.watch.exchange import OWN_WORDS, WatchedFormat
from workbench.domain.watch.rules import RuleOutcome

PieceKind = Literal[
    "tool", "system", "question", "reminder", "answer", "thought", "call", "result", "picture"
]
Relation = Literal["first", "identical", "extended", "changed"]
Cause = Literal["model", "tools", "system", "history", "mark", "parameters", "expired"]
FindingKind = Literal[
    "prefix_lost", "unused_tools", "stale_result", "same_file", "timestamp", "idle_mark", "window_full", "cold_resume",
    "compacted", "saved",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class WatchedPiece:
    """A part of a request, in the order in which the model reads it.

    Attributes:
        path: its path in the body ("system[2].text").
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
    """The sum of pieces' tokens; made for speed, since long requests have thousands and are summed often."""
    return sum(map(_TOKENS, pieces))


@dataclass(frozen=True)
class WatchedRequest:
    """The parsed body of a watched request.

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

    # Asked for by every finding, of requests with thousands of pieces.

    @made_once
    def tokens(self) -> int:
        return tokens_of(self.pieces)

    @made_once
    def tools(self) -> list[WatchedPiece]:
        return [one for one in self.pieces if one.kind == "tool"]

    @made_once
    def results(self) -> list[WatchedPiece]:
        return [one for one in self.pieces if one.kind == "result"]


@dataclass(frozen=True, slots=True)
class WatchedAnswer:
    """A parsed answer: its pieces in order, and what the provider reported.

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
    """The first place where a request differs from the previous one; texts are cut to what differs."""

    path: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class AgainstBefore:
    """A request compared with the previous one of its conversation.

    Attributes:
        lost_tokens: tokens of the previous request after the first difference, which no cache can serve.
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
class Mend:
    """A line by which the program itself mends a finding, and the tokens it should save."""

    program: str
    line: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """Something worth knowing about a request, with its evidence.

    Attributes:
        tokens: how many it is about; usd: what it costs; None where no price is known.
        words: what is so; advice: what to do about it.
        path: the piece that shows it; empty where it is the whole request.
        mends: lines for the program itself, the one that saves most first.
    """

    kind: FindingKind
    tokens: int
    words: str
    advice: str
    usd: float | None = None
    path: str = ""
    mends: tuple[Mend, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchedTurn:
    """Everything known of one watched request: its sender, contents, cache result and cost.

    Attributes:
        parent: the conversation whose sub-agent this one is; None where it has none. call: which of its calls
            began this one, where that is known.
        client: as it names itself ("claude-cli/2.1.197").
        session: what the client calls its session; empty where it does not say.
        log_usd: what the same turns would have cost so far, had nothing before the newest turn changed.
        log_step_usd: the part of that which is this turn's.
        rules: what became of each rule, if there are any. sent_bytes: the body's length after them.
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
    rules: tuple[RuleOutcome, ...] = ()
    sent_bytes: int | None = None

    @property
    def was_sent(self) -> bool:
        """Whether it went on to its server: not where nobody was there, or the watch itself refused it."""
        return not self.answer.error.startswith(OWN_WORDS)


# What is kept of watching: the mark of a watched chat, and the body of a request as it passed through.


@dataclass(frozen=True, slots=True)
class Watched:
    """Marks a chat as another program's, which is read-only.

    Attributes:
        client: as the program names itself ("claude-cli/2.1.197").
        address: where it was watched; empty where it was read from a file.
        parent: the chat whose sub-agent this one is; empty where it has none. call: its call that began this.
        requests: how many of them are kept.
        imported_utc: when it was read from a file, whenever that was written; empty where it was watched.
        kept_utc: when the user chose to keep it although it was old. binned_utc: when the limits put it into the bin;
            it counts while the chat is deleted since that very moment.
    """

    client: str = ""
    address: str = ""
    parent: str = ""
    requests: int = 0
    call: str = ""
    imported_utc: str = ""
    kept_utc: str = ""
    binned_utc: str = ""

    def since(self, used_utc: str) -> str:
        """The time from which the limits count: when it was last used, imported or chosen to be kept."""
        return max(used_utc, self.imported_utc, self.kept_utc)


@dataclass(frozen=True, slots=True)
class WatchedSize:
    """A watched conversation for the retention limits: its last use and approximate size.

    Attributes:
        bytes: a text that several conversations share counts for the newest of them alone.
        running: one of its requests has no answer yet. binned_utc: since when it is in the bin; empty where it is not.
    """

    chat: str
    used_utc: str
    bytes: int = 0
    running: bool = False
    binned_utc: str = ""


@dataclass(frozen=True, slots=True)
class WatchLimits:
    """How many days, and in how much space, watched conversations are kept before they go to the bin.

    `to`: the address that a window's watch passes all requests on to; empty for the vendors' own.
    """

    days: Annotated[int, Between(1, 3650)] = 30
    megabytes: Annotated[int, Between(1, 100_000)] = 500
    to: str = ""


@dataclass(frozen=True, slots=True)
class Passed:
    """The stored rest of a watched request's body: everything except the texts that its segments hold.

    Attributes:
        lines: what stands between the texts of the body, in short pieces, with a mark in the place of each text.
        texts: long strings of the body that no segment holds.
        path: where it was sent, with its query, from which keys were taken; headers: what of them is kept.
        names: of the segments, in wire order; marked: which of them end with a cache mark.
        called: the tools that were called in this conversation so far.
        came_lines, came_texts: the body as it came, in the same form, where rules changed it; empty where they did not.
    """

    lines: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    path: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()
    marked: tuple[int, ...] = ()
    called: tuple[str, ...] = ()
    came_lines: tuple[str, ...] = ()
    came_texts: tuple[str, ...] = ()
