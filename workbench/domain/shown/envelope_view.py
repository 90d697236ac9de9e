"""The view of a request: rows in wire order, each with its cost, its state and the reason for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from workbench.domain.caching import Verdict
from workbench.domain.envelope import RebuildReason, WireLayout
from workbench.domain.mcp_server import BETWEEN
from workbench.domain.model import WindowFrom
from workbench.domain.parameters import TAKES_ALL, ParameterRules, Unsent
from workbench.domain.recall import Found, FoundKind
from workbench.domain.request import WireForm
from workbench.domain.secrets import FoundSecret
from workbench.domain.segment import LayerName
from workbench.domain.shown.diff_view import DiffView
from workbench.domain.watch.request import Finding
from workbench.domain.watch.rules import RuleOutcome

RowState = Literal[
    "sent", "reference", "compacted", "trimmed", "dropped", "excluded", "stale", "locked", "unreadable", "estimated",
    "unseen", "recalled", "retrieved", "quoted",
]  # fmt: skip
CacheMark = Literal["hit", "part", "new", "none"]
"""Whether a cache is expected to serve a row: all of it, its beginning, nothing of it; or that is unknown."""

RequestMoment = Literal["next", "in_flight", "sent"]
"""Whether the request is still to be sent, is being answered, or was sent earlier and can only be read."""

ReasonCode = Literal[
    "", "unchanged", "changed", "always_first", "promoted", "grew", "boundary", "first_time", "rebuilt",
    "in_library", "attached_now", "over_budget", "over_window", "pinned", "draft", "left", "left_out",
    "changed_on_disk", "estimated", "newer_copy", "older_copy", "until_rebuild", "shortened", "kept_short", "tool_call",
    "tool_result", "repaired", "no_longer_attached", "cannot_see", "shortened_by_you", "preview",
    "in_every_chat", "recalled", "summary", "in_summary", "as_summary", "marked", "begun", "by_rule", "quoted",
    "ticked", "out_by_rule", "some_by_rule",
]  # fmt: skip


class RowKey(NamedTuple):
    """Identifies a row; the same key in bar, tree, payload and drop order."""

    layer: LayerName
    id: str


class Reason(NamedTuple):
    """Why a row is as it is, for a front end to word; `number` is a turn, a message or a priority."""

    code: ReasonCode = ""
    subject: str = ""
    number: int = 0


NO_REASON = Reason()


REFERENCES = RowKey("L3_TURN", "references:")
"""The key of the group of references to what stands in the library: the file itself has its row there."""

PartSource = Literal[
    "default", "workspace", "chat", "fact", "sentence", "sentences", "called", "unused", "facts"
]
"""Who says a part of the instructions; that it is something to remember; or a sentence, or all others together.

Of the tools of a watched request, those that were called in its conversation, and those that never were. A line with
facts of the answer."""


class RowPart(NamedTuple):
    """A part of a row: its text, and what it costs in its place.

    `number` is the line that a sentence begins in, or how many sentences there are; `influence` what they carried.
    `spans` are where the answer's facts stand in its text, in `layer`.
    """

    source: PartSource
    text: str
    tokens: int
    number: int = 0
    influence: float | None = None
    spans: tuple[tuple[int, int], ...] = ()
    layer: LayerName | None = None


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One row: a segment, or in the history all messages of a turn.

    Attributes:
        members: the ids that the row represents: segments, in the history messages.
        kind: the artifact's or message's kind, which picks the icon.
        name: what it is called: a path, a title; for turns empty, and `first_turn`, `last_turn` say which.
        tokens: what it costs in this request; for what is not sent, what it would cost (`counted` is False then).
        full_tokens: what it would cost whole, where it was shortened.
        priority: None where a row has none; `tunable` says whether priority and pin can be changed.
        cached_tokens: how many of its tokens a cache is expected to serve.
        secrets: what in it looks like a key or a password; lines and places are those of what was written.
        superseded: whether it is an older copy of something attached, or one of something that was detached.
        first_turn, last_turn: the turns it represents; among equally named pieces of a watched request, which it
            is, and of its tools how many.
        parts: what instructions and memory are made of; what frames them belongs to the row alone.
        found: of a quote, what it quotes and why; `first_turn` is the turn in which it was said, 0 where elsewhere.
        back: how many of its messages were cut and are quoted; never: how many the user never wants quoted.
        start: in a log, its offset in tokens; None by layers, where rows are in wire order.
    """

    key: RowKey
    members: tuple[str, ...]
    kind: str
    name: str
    tokens: int
    state: RowState
    digest: str = ""
    priority: int | None = None
    pinned: bool = False
    tunable: bool = False
    excludable: bool = False
    counted: bool = True
    cache: CacheMark = "none"
    cached_tokens: int = 0
    full_tokens: int | None = None
    reason: Reason = NO_REASON
    first_turn: int = 0
    last_turn: int = 0
    secrets: tuple[FoundSecret, ...] = ()
    superseded: bool = False
    parts: tuple[RowPart, ...] = ()
    found: Found | None = None
    back: int = 0
    never: int = 0
    start: int | None = None

    @property
    def group(self) -> RowKey | None:
        """The key of the group that it belongs to: quotes of its kind, references, or tools of its server."""
        if self.found is not None:
            return RowKey("L3_TURN", f"{self.kind}:{self.found.folder}")
        if self.state == "reference":
            return REFERENCES
        server, between, _ = self.name.partition(BETWEEN) if self.kind == "tool" else ("", "", "")
        return RowKey(self.key.layer, f"tools:{server}") if between else None


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Quoted rows of one kind, and how much room there is for quotes; the tools of one server; or references.

    Attributes:
        server: the prefix of its tools' names; or the followed folder that its quotes are from.
        tokens: of the rows; standing: of what earlier requests quoted and a log still holds, which counts, too.
        used_up: whether nothing more fits before the log is rebuilt.
    """

    kind: FoundKind | Literal["tools", "references"]
    count: int
    tokens: int
    room: int
    cached_tokens: int = 0
    standing: int = 0
    used_up: bool = False
    server: str = ""

    @property
    def key(self) -> RowKey:
        """The key that selects the group, as a row's key selects the row."""
        return RowKey("L1_SYSTEM" if self.kind == "tools" else "L3_TURN", f"{self.kind}:{self.server}")

    @property
    def left(self) -> int:
        """Tokens of its room that are still free."""
        return max(0, self.room - self.standing - self.tokens)


@dataclass(frozen=True, slots=True)
class NearlyTaken:
    """A section of a followed folder that fits the question next, with its rank and what quoting it costs.

    `left` is what is left of the share that may be quoted.
    """

    found: Found
    rank: int
    tokens: int
    left: int


@dataclass(frozen=True)
class LayerRow:
    """A layer and its rows; `tokens` is the sum of the rows that count, `groups` are rows that belong together.

    Properties needed at every keystroke are cached: an unchanged layer is the same object.
    """

    name: LayerName
    tokens: int
    rows: tuple[SegmentRow, ...]
    digest: str = ""
    cached_tokens: int = 0
    reason: Reason = NO_REASON
    groups: tuple[RowGroup, ...] = ()

    @cached_property
    def by_key(self) -> Mapping[RowKey, SegmentRow]:
        """Each row by its key; the first where two have the same key."""
        return {row.key: row for row in reversed(self.rows)}

    @cached_property
    def quotes(self) -> tuple[SegmentRow, ...]:
        """The rows of messages and sections quoted for the question."""
        return tuple(row for row in self.rows if row.found is not None)

    @cached_property
    def pinned(self) -> tuple[SegmentRow, ...]:
        """The pinned rows, which are never dropped."""
        return tuple(row for row in self.rows if row.pinned)

    @cached_property
    def telling(self) -> tuple[SegmentRow, ...]:
        """The rows of summaries, and of single messages that were left out."""
        return tuple(
            row
            for row in self.rows
            if row.kind == "summary" or (row.state == "excluded" and len(row.members) == 1)
        )

    @cached_property
    def estimated(self) -> tuple[SegmentRow, ...]:
        """The rows whose tokens are not counted exactly yet."""
        return tuple(row for row in self.rows if row.state == "estimated")


@dataclass(frozen=True, slots=True)
class DropCard:
    """An artifact that may be dropped, in drop order.

    `out`: it is dropped already; `back_with_tokens` is how many more free tokens would bring it back.
    """

    key: RowKey
    name: str
    tokens: int
    priority: int
    out: bool = False
    back_with_tokens: int = 0


@dataclass(frozen=True, slots=True)
class DropOrder:
    """What would be dropped, in order, and how much never is."""

    cards: tuple[DropCard, ...] = ()
    pinned: int = 0
    pinned_tokens: int = 0


@dataclass(frozen=True, slots=True)
class EnvelopeView:
    """One request, ready to be drawn.

    Attributes:
        layers: in wire order.
        limit_tokens: what the request may cost; `reserve_tokens` is kept for the answer beside it.
        window_assumed: whether that limit is a guess, because the model's window is unknown.
        window_from: whether it is what the model's Modelfile says, or a default, which can both be changed.
        largest_window_tokens: what the model could take, where its window is a default.
        reported: whether an estimate was replaced by what the provider counted.
        spread: how far an estimated count may be off, as a share, learnt from reports; None where unknown.
        counted_at_send: whether its server counts it exactly, but only when it is sent.
        cached_tokens: what a cache is expected to serve; None where that is unknown.
        served_tokens: what its provider reported that a cache served, once it was sent; verdict: on the forecast.
        cached_exact: whether the server itself was asked about that, and has no other users.
        cost_usd: what the request is expected to cost; None where no price is known; 0 where the model runs here.
        warm_until_utc: until when a cache holds the previous request, at least; None where that is unknown.
        asked_utc: when the request before was sent, where a cache's lifetime counts from it.
        cold: whether no cache holds it any more, so that changing the request costs nothing more.
        later_usd: what it would cost with all of it cached, as later turns find it.
        layout: by layers or as a log; rebuilt: why a log is rebuilt with it, None where it is extended.
        trimmed: the messages that are sent shortened, in order: answers and tool results, never a question;
            trimmed_tokens: what is left of them.
        digest: of what it is made of: equal requests have one; `wire` has that of the bytes, which costs writing them.
        takes: which parameters its model takes; unsent: those that are set and stay out for that reason.
        continues: whether its model goes on with the beginning of an answer.
        values: what the variables in instructions and prompts become in it.
        breaks: how many changes since the last request break what they have in common.
        wire: the request as its provider gets it, made when someone looks.
        diff: how it differs from the last one sent, made when someone looks; None where there is no other.
        watched: whether another program sent it; findings: what is worth knowing of it then, the largest first.
        rules: what became of each rule of its program; came: the request before rules changed it, where they did;
            as_came: it is that one. was_sent: False where the watch refused it, and no server got it.
    """

    turn: int
    model: str
    layers: tuple[LayerRow, ...]
    total_tokens: int
    limit_tokens: int
    reserve_tokens: int
    threshold_tokens: int | None = None
    exact: bool = True
    reported: bool = False
    spread: float | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    later_usd: float | None = None
    layout: WireLayout = "layered"
    rebuilt: RebuildReason | None = None
    trimmed: tuple[str, ...] = ()
    trimmed_tokens: int = 0
    local: bool = False
    digest: str = ""
    standing: RequestMoment = "next"
    sent_utc: str = ""
    breaks: int = 0
    window_assumed: bool = False
    window_from: WindowFrom = ""
    largest_window_tokens: int | None = None
    warm_until_utc: str | None = None
    cold: bool = False
    asked_utc: str | None = None
    counted_at_send: bool = False
    cached_exact: bool = False
    served_tokens: int | None = None
    verdict: Verdict | None = None
    takes: ParameterRules = TAKES_ALL
    unsent: tuple[Unsent, ...] = ()
    continues: bool = True
    values: Mapping[str, str] = field(default_factory=dict, compare=False)
    drop_order: DropOrder = field(default_factory=DropOrder)
    watched: bool = False
    findings: tuple[Finding, ...] = ()
    rules: tuple[RuleOutcome, ...] = ()
    came: EnvelopeView | None = None
    as_came: bool = False
    was_sent: bool = True
    nearly: tuple[NearlyTaken, ...] = ()
    wire: Callable[[], WireForm | None] = field(default=lambda: None, compare=False, repr=False)
    diff: Callable[[], DiffView | None] = field(default=lambda: None, compare=False, repr=False)

    @property
    def over_tokens(self) -> int:
        """How many tokens it is over its limit; 0 where it fits."""
        return max(0, self.total_tokens - self.limit_tokens)

    @property
    def free_tokens(self) -> int:
        """Tokens that could still be added."""
        return max(0, self.limit_tokens - self.total_tokens)

    @property
    def cached_share(self) -> float:
        """The share of it that a cache is expected to serve, 0 to 1."""
        return (self.cached_tokens or 0) / self.total_tokens if self.total_tokens else 0.0

    @property
    def quotes(self) -> tuple[SegmentRow, ...]:
        """The rows of messages and sections quoted for the question, in wire order."""
        return tuple(row for layer in self.layers for row in layer.quotes)

    def group(self, kind: FoundKind) -> RowGroup | None:
        return next((one for layer in self.layers for one in layer.groups if one.kind == kind), None)

    def row(self, key: RowKey) -> SegmentRow | None:
        found = (layer.by_key.get(key) for layer in self.layers)
        return next((row for row in found if row is not None), None)


# What a step would cost at the cache, said before it is taken: the request as it stands against the one after it.


@dataclass(frozen=True, slots=True)
class PriceTag:
    """The price of one step.

    Attributes:
        tokens_delta: how many tokens the next request has more with it; fewer where that is negative.
        reread_tokens: what a cache would have served and is re-read; None where that is unknown.
        cached_tokens: what it serves of the current request; None where that is unknown.
        now_usd: what the next request costs more; None where no price is known.
        after_usd: what every later turn costs more, with everything before it cached.
        local: whether the model runs on this computer, where nothing costs money.
        warm_s: for how many more seconds the cache stays warm; None where that is unknown.
        cold: whether the cache has expired, so that everything is re-read anyway.
        fits: whether the request with it may be sent.
    """

    tokens_delta: int = 0
    reread_tokens: int | None = None
    cached_tokens: int | None = None
    now_usd: float | None = None
    after_usd: float | None = None
    local: bool = False
    warm_s: float | None = None
    cold: bool = False
    fits: bool = True

    @property
    def free(self) -> bool:
        """Whether nothing is cached, so that the step has nothing re-read."""
        return self.cached_tokens == 0


@dataclass(frozen=True, slots=True)
class StepPrice:
    """The price of the step that the user is about to take; `key` is the front end's name for it."""

    key: str
    tag: PriceTag
