"""The envelope: one request in layers, with its messages, counts, cuts and digests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import compress, count
from operator import attrgetter, not_
from typing import Literal

from workbench.domain.memo import made_once, make_all_once
from workbench.domain.message import Role
from workbench.domain.recall import FOUND_KINDS
from workbench.domain.segment import LayerName, Segment
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.text import digest_chain
from workbench.domain.translation import N_, tr

KEPT_SHORT = N_("kept short: the cache holds this part")
"""Of a shortened text that would have room whole."""
_DEFAULT_RESERVE = 16_000
HEADROOM = 0.75
LOG_HEADROOM = 0.5
"""A log that is rebuilt breaks the whole prefix: the further it goes down then, the longer it stays."""
_FILLED = 0.9


@dataclass(frozen=True, slots=True)
class Budget:
    """The token limits of one request; `threshold_tokens` is None where nothing is trimmed."""

    context_window_tokens: int
    reserved_output_tokens: int
    threshold_tokens: int | None
    trim_target_tokens: int

    @property
    def window_tokens(self) -> int:
        """The most tokens that the request itself may have."""
        return max(0, self.context_window_tokens - self.reserved_output_tokens)

    @property
    def limit_tokens(self) -> int:
        """The tokens above which something has to be cut."""
        return (
            self.window_tokens
            if self.threshold_tokens is None
            else min(self.threshold_tokens, self.window_tokens)
        )

    def tolerated_tokens(self, corrected: float) -> int:
        """The most tokens a request may have whose cuts were chosen before its counts were corrected by a factor.

        Corrected counts alone cause no cuts, as long as the request fits the window.
        """
        return max(self.limit_tokens, min(self.window_tokens, int(self.limit_tokens * corrected)))

    @property
    def fill_tokens(self) -> int:
        """The tokens that shortened texts fill a request to; the rest is left for the next questions."""
        if self.threshold_tokens is None:
            return self.window_tokens
        return min(_fraction_of(_FILLED, self.threshold_tokens), self.window_tokens)


def budget_for(
    settings: ContextSettings, catalogue_window_tokens: int, default_headroom: float = HEADROOM
) -> Budget:
    """The budget from settings and the model's window; fractions are exact and rounded down."""
    window = settings.context_window if settings.context_window is not None else catalogue_window_tokens
    reserve = settings.reserved_output_tokens
    reserved = min(_DEFAULT_RESERVE, window // 4) if reserve is None else reserve
    threshold = settings.history.threshold
    usable = max(0, window - reserved)
    limit = usable if threshold is None else _fraction_of(threshold, usable)
    headroom = settings.history.headroom
    return Budget(
        context_window_tokens=window,
        reserved_output_tokens=reserved,
        threshold_tokens=None if threshold is None else limit,
        trim_target_tokens=_fraction_of(default_headroom if headroom is None else headroom, limit),
    )


def _fraction_of(fraction: float, tokens: int) -> int:
    # Decimal of the shortest repr: 0.7 × 10 is 7, where binary floating point says 6.999….
    return int(Decimal(repr(fraction)) * tokens)


@dataclass(frozen=True, eq=False)
class WireMessage:
    """A message of the request, made of segments.

    Compared by identity, so that its counts can be cached cheaply. `merged`: several history messages became one; a
    merged group of tool results is sent as one `tool` message for each result.
    """

    id: str
    role: Role
    segments: tuple[Segment, ...]
    merged: bool = False

    @made_once
    def content(self) -> str:
        """The message's text, byte for byte."""
        return "".join(segment.lead + segment.text for segment in self.segments)

    @made_once
    def is_one_text(self) -> bool:
        """Whether it is a single text segment, as nearly every message is."""
        if len(self.segments) != 1 or self.role == "tool":
            return False
        only = self.segments[0]
        return bool(only.text) and not (only.lead or only.tool_calls or only.tool_call_id or only.images)

    @made_once
    def in_short(self) -> WireMessage:
        """The message with placeholders where its segments have some; cached, since every build trims long history."""
        segments = tuple(segment.in_short for segment in self.segments)
        same = all(short is whole for short, whole in zip(segments, self.segments, strict=True))
        return self if same else replace(self, segments=segments)

    @made_once
    def in_preview(self) -> tuple[Segment, ...]:
        """Its history segments that are sent as previews."""
        return tuple([one for one in self.segments if one.form == "compacted" and one.layer == "L4_STRIP"])

    @made_once
    def is_history_only(self) -> bool:
        """Whether it holds history and nothing else, as nearly every message of a long log does."""
        return all(one.layer == "L4_STRIP" and one.kind not in FOUND_KINDS for one in self.segments)

    @made_once
    def plain(self) -> bool:
        """Whether it is only text: no calls, no results, no pictures."""
        for segment in self.segments:
            if segment.tool_calls or segment.images:
                return False
        return self.role != "tool"


make_all_once(WireMessage("", "user", (Segment("", "L5_USER", "", "", ""),)))


def beyond_history(messages: Sequence[WireMessage]) -> list[tuple[int, WireMessage]]:
    """The messages that hold more than history, with their indices: a few among thousands."""
    more = compress(count(), map(not_, map(attrgetter("is_history_only"), messages)))
    return [(place, messages[place]) for place in more]


@dataclass(frozen=True)
class Layer:
    """One of the five layers, its segments and what each costs in this request."""

    name: LayerName
    segments: tuple[Segment, ...]
    tokens: tuple[int, ...]

    @made_once
    def total_tokens(self) -> int:
        return sum(self.tokens)

    @made_once
    def is_whole(self) -> bool:
        """Whether all of its segments are sent in full."""
        return all(segment.form == "full" for segment in self.segments)

    def without(self, segment: str) -> Layer:
        """The layer without a segment; the same object where it has none of that id."""
        rows = [row for row in zip(self.segments, self.tokens, strict=True) if row[0].id != segment]
        if len(rows) == len(self.segments):
            return self
        return Layer(self.name, tuple(one for one, _ in rows), tuple(tokens for _, tokens in rows))

    @made_once
    def digest(self) -> str:
        """Digest over the segments that are sent, in wire order."""
        return digest_chain([segment.digest for segment in self.segments if segment.sent])


@dataclass(frozen=True, slots=True)
class Pruned:
    """An artifact that was dropped, and why."""

    id: str
    tokens: int
    priority: int
    reason: str


@dataclass(frozen=True, slots=True)
class Compacted:
    """An artifact sent in part, and how the model can get the whole."""

    id: str
    from_tokens: int
    to_tokens: int
    recover_with: str


@dataclass(frozen=True, slots=True)
class Repair:
    """Something in history that no provider accepts, removed before sending."""

    id: str
    reason: str


PICTURE_LEFT_OUT = tr("its picture is left out: the model cannot see")
"""Why a message is sent without its pictures."""

SECRET_REPLACED = tr("a key or a password in it was replaced")
"""Why a text is sent differently than it was written."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The recorded cut of an attached text: of which content, and how many characters stay (0: dropped).

    Its priority and the room that other attachments left are recorded too, to notice later when it may have more.
    """

    id: str
    content_digest: str
    chars: int
    priority: int | None = None
    room_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TrimState:
    """The trim boundary: an index in the merged history, and the message found there.

    The message decides; the index is for history whose message was edited or deleted. `fitted` are
    the cuts of attached texts, which stay as they were sent until the request is over its threshold again. `basis` is
    a digest of the limits and the model that the boundary was found for, where exchanges leave as a whole.
    `counted` is the model whose estimates the cuts are based on, and the factor they were multiplied with then.
    `left` is the number of turns and tokens in the line about exchanges that left.
    """

    boundary: int = 0
    boundary_message: str | None = None
    fitted: tuple[Fitted, ...] = ()
    basis: str | None = None
    counted: tuple[str, float] | None = None
    left: tuple[int, int] = (0, 0)

    def corrected(self, model: str, ratio: float | None) -> float:
        """The factor by which the model's counts were corrected since the cuts were chosen."""
        if ratio is None or self.counted is None or self.counted[0] != model:
            return 1.0
        return ratio / self.counted[1]


@dataclass(frozen=True, slots=True)
class Cuts:
    """Everything that was removed from a request or shortened in it.

    `forced`: the request was over a limit, so the cuts depend on the length of every part. `held`: attached texts that
    would fit whole and stay cut only to keep the prefix cached.
    """

    pruned: tuple[Pruned, ...] = ()
    compacted: tuple[Compacted, ...] = ()
    repairs: tuple[Repair, ...] = ()
    trim: TrimState = field(default_factory=TrimState)
    trimmed_messages: tuple[str, ...] = ()
    forced: bool = False
    held: frozenset[str] = frozenset()


WireLayout = Literal["layered", "append_only"]
"""Where segments stand: by layer, or each where it was first sent, in a log that only grows."""

RebuildReason = Literal[
    "first", "asked", "cold", "model", "tools", "instructions", "settings", "history_edited", "excluded",
    "over_threshold", "over_budget", "secret",
]  # fmt: skip
"""Why a log was rebuilt."""


@dataclass(frozen=True)
class Envelope:
    """One request: what the inspector shows is, byte for byte, what is sent.

    `rebuilt` is why a log was rebuilt with this request; None where it extends the previous one.
    """

    conversation: str
    turn: int
    model: str
    budget: Budget
    layers: tuple[Layer, ...]
    messages: tuple[WireMessage, ...]
    total_tokens: int
    exact: bool
    cuts: Cuts
    layout: WireLayout = "layered"
    rebuilt: RebuildReason | None = None

    @made_once
    def beside(self) -> list[tuple[int, WireMessage]]:
        """The messages that hold more than history, with their indices."""
        return beyond_history(self.messages)

    @property
    def over_by_tokens(self) -> int:
        """How many tokens the request is over the window's limit; 0 when it fits."""
        return max(0, self.total_tokens - self.budget.window_tokens)

    @property
    def sized(self) -> bool:
        """Whether its contents depend on the length of every part: it was cut, or its log rebuilt for its size."""
        return self.cuts.forced or self.rebuilt in ("over_threshold", "over_budget")

    @property
    def fits(self) -> bool:
        return self.over_by_tokens == 0

    def layer(self, name: LayerName) -> Layer:
        return next(layer for layer in self.layers if layer.name == name)

    @made_once
    def combined_digest(self) -> str:
        """Digest of the cacheable prefix: System and Library, in wire order."""
        return digest_chain([self.layer("L1_SYSTEM").digest, self.layer("L2_PREVIOUS").digest])
