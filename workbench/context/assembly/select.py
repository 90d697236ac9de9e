"""Shortens, then drops artifacts by priority until the request is within its limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from workbench.context.assembly.references import Placement
from workbench.domain.envelope import Pruned
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import Entry, Message
from workbench.domain.settings.context_settings import FilterSettings

Placements = tuple[Placement, ...]

_HEADINGS_TOKENS = 64


class Pricing(Protocol):
    """Prices placements: together, exactly; and one by one."""

    def together(self, placements: Placements) -> int:
        """Tokens that count against the limit with these placements."""
        ...

    def alone(self, placement: Placement) -> int:
        """Tokens of one artifact's segments."""
        ...


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit in tokens, and the reason to give when something is dropped for it."""

    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The placements that remain, and what was dropped."""

    placements: Placements
    pruned: tuple[Pruned, ...] = ()


def optimize_for_limit(placements: Placements, pricing: Pricing, limit: Limit) -> Selection:
    """Shorten, then drop in drop order until it fits, then restore what has room again."""
    if pricing.together(placements) <= limit.tokens:
        return Selection(placements)
    compacted = compact_for_limit(placements, pricing, limit.tokens)
    remaining = _cut_until(compacted, pricing, limit.tokens, _drop)
    restored = _restore(remaining, placements, pricing, limit)
    return Selection(restored, _pruned(placements, restored, pricing, limit.reason))


def compact_for_limit(placements: Placements, pricing: Pricing, tokens: int) -> Placements:
    """Shorten texts as far as possible, in drop order, until it fits or nothing is left to shorten."""
    return _cut_until(placements, pricing, tokens, shrink)


def drop_for_limit(placements: Placements, pricing: Pricing, limit: Limit) -> Selection:
    """Drop in drop order until it fits, or only essential artifacts are left."""
    remaining = _cut_until(placements, pricing, limit.tokens, _drop)
    return Selection(remaining, _pruned(placements, remaining, pricing, limit.reason))


def _pruned(before: Placements, after: Placements, pricing: Pricing, reason: str) -> tuple[Pruned, ...]:
    there = {placement.artifact.key: placement for placement in before}
    gone = [there[p.artifact.key] for p in after if not p.shown and there[p.artifact.key].shown]
    return tuple(
        Pruned(p.artifact.key, pricing.alone(p), p.artifact.priority, reason)
        for p in sorted(gone, key=lambda p: drop_rank(p, pricing.alone(p)))
    )


def drop_rank(placement: Placement, tokens: int) -> tuple[int, bool, int, int, str]:
    """The documented drop order: higher priority number, no longer attached, larger, older, then by id."""
    artifact = placement.artifact
    return (-artifact.priority, placement.attached, -tokens, placement.seen, artifact.key)


def shrink(placement: Placement) -> Placement:
    """The next smaller form that keeps the artifact in the request; the same object where there is none."""
    if placement.artifact.essential or not placement.artifact.recoverable:
        return placement
    if placement.superseded and placement.in_turn == "full" and placement.library_form is not None:
        return replace(placement, library_form=None)
    if placement.in_turn == "full" and placement.short is not None:
        return replace(placement, in_turn="compacted")
    if placement.library_form == "full" and placement.library_short is not None:
        return replace(placement, library_form="compacted", in_turn=None)
    return placement


def shortest(placement: Placement) -> Placement:
    """The smallest form that keeps the artifact in the request."""
    shorter = shrink(placement)
    return placement if shorter == placement else shortest(shorter)


def _drop(placement: Placement) -> Placement:
    if placement.artifact.essential:
        return placement
    return replace(placement, library_form=None, in_turn=None)


def _cut_until(
    placements: Placements, pricing: Pricing, limit: int, cut: Callable[[Placement], Placement]
) -> Placements:
    """Apply one kind of cut in drop order, no further than needed; the same object where nothing can be cut."""
    total = pricing.together(placements)
    can_be_cut = [] if total <= limit else [one for one in placements if cut(one) != one]
    if not can_be_cut:
        return placements
    kept = {placement.artifact.key: placement for placement in placements}
    for placement in _in_drop_order(can_be_cut, pricing):
        if total <= limit:
            break
        smaller, next_smaller = placement, cut(placement)
        while total > limit and next_smaller != smaller:
            kept[placement.artifact.key] = next_smaller
            total -= pricing.alone(smaller) - pricing.alone(next_smaller)
            if total <= limit + _HEADINGS_TOKENS:
                # A heading or a label may have gone along, or stayed: near the limit only the exact sum decides.
                total = pricing.together(tuple(kept.values()))
            smaller, next_smaller = next_smaller, cut(next_smaller)
    return tuple(kept.values())


def _restore(
    placements: Placements, originals: Sequence[Placement], pricing: Pricing, limit: Limit
) -> Placements:
    """Restore artifacts to full form, most important first, where dropping others made room."""
    kept = {placement.artifact.key: placement for placement in placements}
    if not any(not placement.shown for placement in placements):
        return placements
    total = pricing.together(placements)
    for original in reversed(_in_drop_order(originals, pricing)):
        key = original.artifact.key
        if not kept[key].shown or kept[key] == original:
            continue
        growth = pricing.alone(original) - pricing.alone(kept[key])
        if total + growth > limit.tokens + _HEADINGS_TOKENS:
            continue
        attempt = {**kept, key: original}
        exact = pricing.together(tuple(attempt.values()))
        if exact <= limit.tokens:
            kept, total = attempt, exact
    return tuple(kept.values())


def _in_drop_order(placements: Iterable[Placement], pricing: Pricing) -> list[Placement]:
    return sorted(placements, key=lambda placement: drop_rank(placement, pricing.alone(placement)))


# Which chunks, messages and artifacts may enter a request at all.


_NO_FILTERS = FilterSettings()


@dataclass(frozen=True, slots=True)
class Admission:
    """Decides which entries may be sent: by the settings' filters and what the user left out."""

    filters: FilterSettings
    excluded: frozenset[str] = frozenset()

    @property
    def admits_all(self) -> bool:
        """Whether nothing is filtered or left out, as in nearly every chat."""
        return not self.excluded and self.filters == _NO_FILTERS

    def admits(self, entry: Entry) -> bool:
        return self._admits(entry.id, entry_kinds(entry))

    def admits_quote(self, key: str, speaker: str) -> bool:
        """Whether something said in another chat may be sent: by its id there, and by its role or chunk type."""
        return self._admits(key, _kinds(speaker))

    def _admits(self, key: str, kinds: frozenset[str]) -> bool:
        if key in self.excluded:
            return False
        if not self.filters.include_system and "system" in kinds:
            return False
        if not self.filters.include_environment and "environment" in kinds:
            return False
        return self._passes(key, kinds)

    def admits_artifact(self, artifact: Artifact) -> bool:
        return artifact.key not in self.excluded and self._passes(artifact.key, frozenset({artifact.kind}))

    def admits_system(self) -> bool:
        return self.filters.include_system and "system" not in self.filters.exclude_kinds

    def _passes(self, key: str, kinds: frozenset[str]) -> bool:
        filters = self.filters
        if filters.include_only is not None and key not in filters.include_only:
            return False
        if filters.include_kinds is not None and not kinds & filters.include_kinds:
            return False
        return not kinds & filters.exclude_kinds


def entry_kinds(entry: Entry) -> frozenset[str]:
    """The names of an entry in `include_kinds` and `exclude_kinds`: its role, and its chunk type."""
    return _kinds(entry.role) if isinstance(entry, Message) else frozenset({entry.kind})


_KINDS = {
    "user": frozenset({"user", "agent"}),
    "assistant": frozenset({"assistant", "agent"}),
    "tool": frozenset({"tool", "environment"}),
}


def _kinds(speaker: str) -> frozenset[str]:
    return _KINDS.get(speaker) or frozenset({speaker})
