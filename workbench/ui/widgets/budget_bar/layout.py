"""Computes where each piece of a budget bar is, as a pure function of the bar and its width."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from typing import Literal, NamedTuple

from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import RowKey
from workbench.ui.widgets.budget_bar.segments import BarModel, BarSegment, bar_of

__all__ = [
    "BarLayout",
    "BarModel",
    "BarSegment",
    "Block",
    "Flag",
    "Label",
    "bar_of",
    "lay_out",
    "place_flags",
]

LEAST_PX = 3.0
GAP_PX, LAYER_GAP_PX = 1.0, 2.0
MERGE_BELOW_PX = (1.0, 4.0, math.inf)
"""Neighbours narrower than this become one block; while there are still too many, the next value is tried."""
SLACK_PX = 40.0
"""How much wider than in proportion the used part may become because of segments' minimum widths."""
TAG_ROOM, WORD_ROOM, FIGURE_ROOM = 19.0, 70.0, 120.0
TAG, WORD, FIGURE = 0, 1, 2
FLAG_GAP_PX = 8.0

FlagName = Literal["cached", "trim", "limit", "reply", "over"]


class Block(NamedTuple):
    """A painted piece: segments `first` to `last` (exclusive), from `left` to `right` without the gap behind it."""

    layer: LayerName
    left: float
    right: float
    first: int
    last: int


class Label(NamedTuple):
    """The room for a layer's label; `detail` says whether it has its tag, also its word, or also its figure."""

    layer: LayerName
    left: float
    right: float
    detail: int


class Flag(NamedTuple):
    """A word above the bar, such as "limit"."""

    name: FlagName
    left: float
    right: float


@dataclass(frozen=True)
class BarLayout:
    """All positions, in pixels from the left of the bar.

    Attributes:
        bar: what is laid out; not compared, so that layouts are equal if all positions are.
        edges: the start of each block, and the end of the last one.
        used: the end of the request; limit: where it should end at most.
        cached, trim: None where there is no such mark.
    """

    bar: BarModel = field(compare=False, repr=False)
    width: float
    edges: tuple[float, ...]
    blocks: tuple[Block, ...]
    labels: tuple[Label, ...]
    used: float
    limit: float
    cached: float | None
    trim: float | None
    over: bool

    @cached_property
    def keys(self) -> tuple[RowKey, ...]:
        return tuple(segment.key for segment in self.bar.segments)

    @cached_property
    def starts(self) -> tuple[float, ...]:
        """The start of each segment, within a block in proportion to its tokens, and the end of the last one."""
        starts: list[float] = []
        for block, left, right in zip(self.blocks, self.edges, self.edges[1:], strict=False):
            members = self.bar.segments[block.first : block.last]
            whole = sum(member.tokens for member in members)
            before = accumulate((member.tokens for member in members), initial=0)
            starts.extend(
                left + (right - left) * done / whole for done, _ in zip(before, members, strict=False)
            )
        return (*starts, self.edges[-1])

    def hit(self, x: float) -> int:
        """Index of the segment at a position, or -1."""
        if not self.keys or not self.starts[0] <= x < self.starts[-1]:
            return -1
        return bisect_right(self.starts, x, 0, len(self.keys)) - 1

    def box(self, index: int) -> tuple[float, float]:
        return self.starts[index], self.starts[index + 1]

    def index_of(self, key: RowKey | None) -> int:
        """Index of the segment with this key, or -1."""
        return self.keys.index(key) if key is not None and key in self.keys else -1


class _Group(NamedTuple):
    """Segments that form one block: their tokens, the gap behind them, and the minimum width of both."""

    layer: LayerName
    first: int
    last: int
    tokens: int
    gap: float = 0.0
    least: float = 0.0


def lay_out(bar: BarModel, width: float, dpr: float = 1.0) -> BarLayout:
    """Lay out a bar, aligned to device pixels."""
    width = max(width, 1.0)  # a bar that has no room yet
    total, scale = bar.total_tokens, bar.scale_tokens
    over = bar.over_tokens > 0
    limit = _snap(width * min(bar.limit_tokens, scale) / scale, dpr)
    true_end = width * total / scale
    room = true_end if over else limit
    groups = _grouped(bar, width / scale, (true_end, room), dpr)
    edges = _edges(groups, width / scale, min(max(true_end, _least_width(groups)), room), dpr)
    ends = tuple(accumulate((group.tokens for group in groups), initial=0))
    used = edges[-1]

    def position(tokens: int) -> float:
        if tokens >= total:
            return max(used, _snap(width * tokens / scale, dpr))
        at = bisect_right(ends, tokens) - 1
        part = (tokens - ends[at]) / groups[at].tokens
        return _snap(edges[at] + (edges[at + 1] - edges[at]) * part, dpr)

    cached = position(min(bar.cached_tokens, total)) if bar.cached_tokens else None
    trim = bar.threshold_tokens
    limit_at = position(bar.limit_tokens) if over else limit
    blocks = tuple(
        Block(group.layer, left, right - group.gap, group.first, group.last)
        for group, left, right in zip(groups, edges, edges[1:], strict=False)
    )
    return BarLayout(
        bar=bar,
        width=width,
        edges=tuple(edges),
        blocks=blocks,
        labels=_labels(blocks, cached, limit_at if over else None),
        used=used,
        limit=limit_at,
        cached=cached,
        trim=None if trim is None or over or trim >= bar.limit_tokens else position(trim),
        over=over,
    )


def place_flags(layout: BarLayout, widths: dict[FlagName, float]) -> tuple[Flag, ...]:
    """The flags that fit above the bar; of two that would touch, the right one is left out."""
    wanted: list[tuple[FlagName, float | None, float]] = [
        ("cached", layout.cached, 0.5),
        ("trim", layout.trim, 0.5),
        ("limit", layout.limit, 0.5 if layout.over else 1.0),
        ("over", layout.width if layout.over else None, 1.0),
        ("reply", None if layout.over else layout.width, 1.0),
    ]
    placed: list[Flag] = []
    for name, at, share_before in wanted:
        if at is None or name not in widths:
            continue
        left = min(max(at - widths[name] * share_before, 0.0), layout.width - widths[name])
        if not placed or left >= placed[-1].right + FLAG_GAP_PX:
            placed.append(Flag(name, left, left + widths[name]))
    return tuple(placed)


def _grouped(bar: BarModel, per_token: float, ends: tuple[float, float], dpr: float) -> list[_Group]:
    true_end, room = ends
    groups: list[_Group] = []
    for below in MERGE_BELOW_PX:
        groups = _with_gaps(_merged(bar, per_token, below, dpr), dpr)
        if _least_width(groups) <= min(true_end + SLACK_PX, room):
            break
    return groups


def _merged(bar: BarModel, per_token: float, below: float, dpr: float) -> list[_Group]:
    """Groups of neighbours of one layer and cache state that are narrower than `below`, merged until wide enough."""
    enough = max(below, _least_px(GAP_PX, dpr))
    cached = bar.cached_tokens or 0
    groups: list[_Group] = []
    first = 0
    for part in bar.parts:
        held = min(max(cached, 0), part.tokens)
        # Not by how many tokens exactly, but by which of them: the same for every letter that is typed.
        known = bisect_right(part.ends, held)
        merged = part.merged(known, below / per_token, enough / per_token)
        groups.extend(_Group(part.layer, first + a, first + b, tokens) for a, b, tokens in merged)
        first += len(part.segments)
        cached -= part.tokens
    return groups


def _with_gaps(groups: Sequence[_Group], dpr: float) -> list[_Group]:
    """The groups with the gap behind each: wider at the end of a layer, none behind the last."""
    sized = {gap: (_snap(gap, dpr), _least_px(gap, dpr)) for gap in (LAYER_GAP_PX, GAP_PX, 0.0)}
    gaps = [
        LAYER_GAP_PX if group.layer != following.layer else GAP_PX for group, following in pairwise(groups)
    ]
    return [
        _Group(group.layer, group.first, group.last, group.tokens, *sized[gap])
        for group, gap in zip(groups, [*gaps, 0.0], strict=False)
    ]


def _least_px(gap: float, dpr: float) -> float:
    """The minimum width of a block with its gap, in whole device pixels."""
    return math.ceil((LEAST_PX + _snap(gap, dpr)) * dpr - 1e-6) / dpr


def _least_width(groups: Sequence[_Group]) -> float:
    return sum(group.least for group in groups)


def _edges(groups: Sequence[_Group], per_token: float, end: float, dpr: float) -> list[float]:
    """The start of each block and the end of the last, each snapped on its own so that errors do not add up."""
    ideals = [group.tokens * per_token for group in groups]
    widths = _filled(ideals, [group.least for group in groups], end)
    fits = end >= _least_width(groups) - 1e-6
    edges = [0.0]
    reached = 0.0
    for group, width in zip(groups, widths, strict=True):
        reached += width
        edges.append(max(_snap(reached, dpr), edges[-1] + group.least) if fits else _snap(reached, dpr))
    return edges


def _filled(ideals: Sequence[float], leasts: Sequence[float], end: float) -> list[float]:
    """Widths in proportion, none below its minimum; the wider ones give up what those need."""
    if not ideals:
        return []
    if end <= sum(leasts):
        return [least * end / sum(leasts) for least in leasts]
    fixed = [False] * len(ideals)
    while True:
        kept = sum(least for least, is_fixed in zip(leasts, fixed, strict=True) if is_fixed)
        free = sum(ideal for ideal, is_fixed in zip(ideals, fixed, strict=True) if not is_fixed)
        factor = (end - kept) / free if free > 0 else 0.0
        short = [
            not is_fixed and ideal * factor < least
            for ideal, least, is_fixed in zip(ideals, leasts, fixed, strict=True)
        ]
        if not any(short):
            break
        fixed = [one or other for one, other in zip(fixed, short, strict=True)]
    return [
        least if is_fixed else ideal * factor
        for ideal, least, is_fixed in zip(ideals, leasts, fixed, strict=True)
    ]


def _labels(blocks: Sequence[Block], cached: float | None, limit: float | None) -> tuple[Label, ...]:
    """One label for each layer, at its widest continuous part: in a log, layers alternate."""
    labels: list[Label] = []
    spans: dict[LayerName, tuple[float, float]] = {}
    for layer, together in groupby(blocks, key=lambda block: block.layer):
        run = list(together)
        span = run[0].left, run[-1].right
        spans[layer] = max(spans.get(layer, span), span, key=lambda one: one[1] - one[0])
    for layer, (left, right) in spans.items():
        within = (left, min(right, limit)) if limit is not None and left < limit else (left, right)
        start, end = _larger_part(*within, cached)
        room = end - start
        if room >= TAG_ROOM:
            detail = FIGURE if room >= FIGURE_ROOM else WORD if room >= WORD_ROOM else TAG
            labels.append(Label(layer, start, end, detail))
    return tuple(labels)


def _larger_part(left: float, right: float, cut: float | None) -> tuple[float, float]:
    if cut is None or not left < cut < right:
        return left, right
    return (left, cut) if cut - left >= right - cut else (cut, right)


def _snap(x: float, dpr: float) -> float:
    return round(x * dpr) / dpr
