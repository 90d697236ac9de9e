"""What segments would cost that are not in a request, or only in part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.context.count.measure import segment_cost
from workbench.domain.envelope import WireMessage
from workbench.domain.files.attachment import Artifact
from workbench.domain.message import ROLES, Role
from workbench.domain.segment import Segment
from workbench.ports.counting import TokenCounter

_ROLES: dict[str, Role] = {role: role for role in ROLES}


def whole_message_tokens(segments: Iterable[Segment], counter: TokenCounter) -> int:
    """What messages of history would cost if each was sent whole."""
    return counter.total(sum(_cost(_restored(segment), counter) for segment in segments))


def trimmed_away_tokens(segments: Iterable[Segment], counter: TokenCounter) -> int:
    """What shortening took from messages of history that are still there."""
    cut = [segment for segment in segments if segment.form in ("trimmed", "compacted")]
    whole = sum(_cost(_restored(segment), counter) for segment in cut)
    return counter.total(whole) - counter.total(sum(_cost(segment, counter) for segment in cut))


def artifact_tokens(artifact: Artifact, counter: TokenCounter) -> int:
    """What an artifact's own text costs."""
    text = Segment(artifact.key, "L3_TURN", artifact.kind, artifact.text, artifact.content_digest)
    return counter.total(segment_cost(text, counter))


def _restored(segment: Segment) -> Segment:
    return segment if segment.original is None else replace(segment, text=segment.original, form="full")


def _cost(segment: Segment, counter: TokenCounter) -> int:
    return sum(counter.costs(WireMessage(segment.id, _ROLES.get(segment.kind, "user"), (segment,))))
