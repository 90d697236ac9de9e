"""What a budget bar shows: segments in sending order, and marks such as the limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain, groupby

from workbench.domain.memo import ByIdentity, Memo
from workbench.domain.segment import LayerName
from workbench.domain.shown.envelope_view import EnvelopeView, LayerRow, RowKey, SegmentRow


@dataclass(frozen=True, slots=True)
class BarSegment:
    """One row of the request as a piece of the bar."""

    key: RowKey
    tokens: int
    name: str = ""
    first_turn: int = 0
    last_turn: int = 0

    @property
    def layer(self) -> LayerName:
        return self.key.layer


Merged = tuple[int, int, int]
"""The first segment of a group, the one after its last, and its tokens."""


@dataclass(frozen=True, eq=False)
class BarPart:
    """Consecutive segments of one layer, at least one; compared by identity, since results are cached with it."""

    layer: LayerName
    segments: tuple[BarSegment, ...]

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Number of tokens up to the end of each segment."""
        return tuple(accumulate(segment.tokens for segment in self.segments))

    @property
    def tokens(self) -> int:
        return self.ends[-1]

    @cached_property
    def merged(self) -> Callable[[int, float, float], tuple[Merged, ...]]:
        """`_merged` of its segments; the last few are kept, the same for every letter, and go with the part."""
        return lru_cache(maxsize=8)(partial(_merged, self.segments))


def _merged(
    segments: Sequence[BarSegment], known: int, below_tokens: float, enough_tokens: float
) -> tuple[Merged, ...]:
    """Groups of small neighbours, merged until they are wide enough; the first `known` segments are cached."""
    merged: list[Merged] = []
    first, width = 0, 0
    last_mark: tuple[bool, bool] | None = None
    for index, segment in enumerate(segments):
        small = segment.tokens < below_tokens
        mark = (index < known, small)
        if small and mark == last_mark and width < enough_tokens:
            width += segment.tokens
        else:
            if index:
                merged.append((first, index, width))
            first, width = index, segment.tokens
        last_mark = mark
    merged.append((first, len(segments), width))
    return tuple(merged)


@dataclass(frozen=True)
class BarModel:
    """A request as a bar; `cached_tokens` is the length of its cached start, None if unknown.

    `assumed` if the limit is a guess because the model's window is unknown.
    """

    segments: tuple[BarSegment, ...] = ()
    limit_tokens: int = 0
    reserve_tokens: int = 0
    threshold_tokens: int | None = None
    cached_tokens: int | None = None
    exact: bool = True
    assumed: bool = False

    @cached_property
    def parts(self) -> tuple[BarPart, ...]:
        return tuple(
            BarPart(layer, tuple(together))
            for layer, together in groupby(self.segments, key=lambda segment: segment.layer)
        )

    @cached_property
    def total_tokens(self) -> int:
        return sum(part.tokens for part in self.parts)

    @property
    def over_tokens(self) -> int:
        """By how many tokens the request is over its limit."""
        return max(0, self.total_tokens - self.limit_tokens)

    @property
    def scale_tokens(self) -> int:
        """How many tokens the whole width represents."""
        return max(1, max(self.total_tokens, self.limit_tokens) + self.reserve_tokens)

    def layer_tokens(self) -> Mapping[LayerName, int]:
        """Tokens of each layer, in sending order."""
        return self._layer_sums

    @cached_property
    def _layer_sums(self) -> Mapping[LayerName, int]:
        sums: dict[LayerName, int] = {}
        for part in self.parts:
            sums[part.layer] = sums.get(part.layer, 0) + part.tokens
        return sums


def bar_of(view: EnvelopeView) -> BarModel:
    """The bar of a request; only what is sent is in it."""
    if view.layout == "append_only":
        return _with_parts(view, _log_parts(view.layers))
    return _with_parts(view, [part for part in map(_part, view.layers) if part.segments])


class BarMemo:
    """Builds bars reusing the parts of unchanged layers, so that a keystroke builds only one part."""

    def __init__(self) -> None:
        self._memo = Memo()

    def bar_of(self, view: EnvelopeView) -> BarModel:
        """The bar of a request, equal to that of the function `bar_of`."""
        if view.layout == "append_only":
            *before, last = view.layers
            if view.standing != "next":  # what tools gave back stands after the question
                return _with_parts(view, _log_parts(view.layers))
            # What is typed stands last: what is before it is put in order once.
            order = self._memo.cached_from_last(
                "log", tuple(map(ByIdentity, before)), lambda _: _log_parts(before)
            )
            return _with_parts(view, (*order, *_log_parts((last,))))
        parts = [self._part(layer) for layer in view.layers]
        return _with_parts(view, [part for part in parts if part.segments])

    def _part(self, layer: LayerRow) -> BarPart:
        def made(last: BarPart | None) -> BarPart:
            # The same object where it is equal: whoever compares bars then sees it at a glance.
            part = _part(layer)
            return last if last is not None and last.segments == part.segments else part

        return self._memo.cached_from_last(layer.name, (ByIdentity(layer),), made)


def moved_share(old: BarModel, new: BarModel) -> float:
    """The largest shift of a layer's end, the limit or the cache between two bars, as a share of the width."""
    if [part.layer for part in old.parts] != [part.layer for part in new.parts]:
        return 1.0
    marks = [(old.limit_tokens, new.limit_tokens), (old.cached_tokens or 0, new.cached_tokens or 0)]
    before, after = (accumulate(part.tokens for part in bar.parts) for bar in (old, new))
    places = [*marks, *zip(before, after, strict=True)]
    return max(abs(old_at / old.scale_tokens - new_at / new.scale_tokens) for old_at, new_at in places)


def _log_parts(layers: Sequence[LayerRow]) -> tuple[BarPart, ...]:
    """The rows of an append-only log in sending order; consecutive rows of one layer form a part."""
    rows = [(row.start or 0, layer.name, row) for layer in layers for row in layer.rows if _is_shown(row)]
    rows.sort(key=lambda placed: placed[0])
    runs = groupby(rows, key=lambda placed: placed[1])
    return tuple(BarPart(name, tuple(_segment(row) for _, _, row in run)) for name, run in runs)


def _is_shown(row: SegmentRow) -> bool:
    return row.counted and row.tokens > 0


def _part(layer: LayerRow) -> BarPart:
    return BarPart(layer.name, tuple(_segment(row) for row in layer.rows if _is_shown(row)))


def _with_parts(view: EnvelopeView, parts: Iterable[BarPart]) -> BarModel:
    parts = tuple(parts)
    bar = BarModel(
        segments=tuple(chain.from_iterable(part.segments for part in parts)),
        limit_tokens=view.limit_tokens,
        reserve_tokens=view.reserve_tokens,
        threshold_tokens=view.threshold_tokens,
        cached_tokens=view.cached_tokens,
        exact=view.exact,
        assumed=view.window_assumed,
    )
    vars(bar)["parts"] = parts  # known already: finding them again would take a look at every segment
    return bar


def between(old: BarModel, new: BarModel, progress: float) -> BarModel:
    """A bar between two others, for an animation: segments grow, shrink, appear and vanish."""
    if progress >= 1.0:
        return new
    before = {segment.key: segment.tokens for segment in old.segments}
    after = {segment.key for segment in new.segments}
    moved = [replace(s, tokens=_interpolated(before.get(s.key, 0), s.tokens, progress)) for s in new.segments]
    place = {segment.key: index for index, segment in enumerate(old.segments)}
    for gone in (segment for segment in old.segments if segment.key not in after):
        at = next((i for i, s in enumerate(moved) if place.get(s.key, -1) > place[gone.key]), len(moved))
        moved.insert(at, replace(gone, tokens=_interpolated(gone.tokens, 0, progress)))
    return replace(
        new,
        segments=tuple(segment for segment in moved if segment.tokens > 0),
        limit_tokens=_interpolated(old.limit_tokens, new.limit_tokens, progress),
        reserve_tokens=_interpolated(old.reserve_tokens, new.reserve_tokens, progress),
        threshold_tokens=_interpolated_mark(old.threshold_tokens, new.threshold_tokens, progress),
        cached_tokens=_interpolated_mark(old.cached_tokens, new.cached_tokens, progress),
    )


def _segment(row: SegmentRow) -> BarSegment:
    return BarSegment(row.key, row.tokens, row.name, row.first_turn, row.last_turn)


def _interpolated(old: int, new: int, progress: float) -> int:
    return round(old + (new - old) * progress)


def _interpolated_mark(old: int | None, new: int | None, progress: float) -> int | None:
    return new if old is None or new is None else _interpolated(old, new, progress)
