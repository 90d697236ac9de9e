"""How well texts fit a question, each against the best of them, and what priorities that suggests."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from workbench.context.recall.index import PassageIndex
from workbench.context.recall.rank import Match
from workbench.domain.files.attachment import PRIORITY_ESSENTIAL, PRIORITY_LOW, Artifact
from workbench.domain.shown.relevance_view import Suggestion

_AT_MOST = ((0.85, 2), (0.6, 4))
"""From such a share on a text's priority is at most that: it falls late."""
_HARDLY, _AT_LEAST = 0.1, 7
"""Up to such a share it is at least that: it falls early."""
_LEAST_STEP = 2
"""A smaller change is not worth a decision."""


def shares(index: PassageIndex, ranked: Iterable[Match]) -> dict[str, float]:
    """For each group of passages its best one against the best of all; nothing for those in which nothing fits."""
    found = {passage.group: 0.0 for passage in index}
    best = 0.0
    for match in ranked:  # the best come first
        place = index.place(match.key)
        passage = None if place is None else index.passages[place]
        best = best or match.score
        if passage is not None and not found[passage.group]:
            found[passage.group] = match.score / best
    return found


def wanted_priority(share: float, now: int) -> int:
    """The priority that a share suggests: what fits well falls late, what hardly fits falls early, the rest stays."""
    low, high = _range(share)
    return min(max(now, low), high)


def suggested(found: Mapping[str, float], attached: Sequence[Artifact]) -> dict[str, int]:
    """The priorities that shares suggest; none where all fit alike, since that tells none of them from the others."""
    if len({_range(share) for share in found.values()}) < 2:
        return {}
    return {one.key: wanted_priority(found[one.key], one.priority) for one in attached if one.key in found}


def _range(share: float) -> tuple[int, int]:
    """Between which priorities something of such a share is."""
    if share <= _HARDLY:
        return _AT_LEAST, PRIORITY_LOW
    return PRIORITY_ESSENTIAL, next((most for least, most in _AT_MOST if share >= least), PRIORITY_LOW)


def suggestions(
    wanted: Mapping[str, int], attached: Sequence[Artifact], decided: Collection[str]
) -> tuple[Suggestion, ...]:
    """Those that are worth a decision; never about what a person `decided`, what is pinned, and what falls last."""
    return tuple(
        Suggestion(one.key, one.priority, wanted[one.key])
        for one in open_to_others(attached, decided)
        if abs(wanted.get(one.key, one.priority) - one.priority) >= _LEAST_STEP
    )


def open_to_others(attached: Iterable[Artifact], decided: Collection[str]) -> tuple[Artifact, ...]:
    """What somebody else may suggest a priority for."""
    return tuple(
        one
        for one in attached
        if not one.essential and one.priority != PRIORITY_ESSENTIAL and one.key not in decided
    )
