"""The copies of attached texts that a request carries: each stands where it was sent, the newest counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.domain.envelope import Envelope
from workbench.domain.files.attachment import ARTIFACT_KINDS
from workbench.domain.segment import Segment

HELD_FORMS = ("full", "compacted", "changes")
"""The forms in which a segment holds of an artifact what the model can read."""


@dataclass(frozen=True, slots=True)
class Copy:
    """The newest copy of an artifact in a log; `whole` where nothing of it, or of what it is based on, was cut."""

    content_digest: str
    sent_in: int
    whole: bool = True


def copies_in(envelope: Envelope) -> dict[str, Copy]:
    """The newest copy of every artifact that a request carries."""
    found: dict[str, Copy] = {}
    for one in held_copies(envelope):
        base = found.get(one.id)
        whole = one.form == "full" or (one.form == "changes" and base is not None and base.whole)
        found[one.id] = Copy(one.content_digest, one.sent_in, whole)
    return found


def held_copies(envelope: Envelope) -> Iterator[Segment]:
    """Every copy of an artifact that a request carries, older ones too, in wire order."""
    for _, message in envelope.beside:
        for one in message.segments:
            if is_artifact(one) and one.form in HELD_FORMS:
                yield one


def order_in(envelope: Envelope) -> dict[str, int]:
    """Where in a log the newest whole copy of each artifact stands: what has long been the same comes first."""
    return {one.id: place for place, one in enumerate(held_copies(envelope))}


def is_artifact(segment: Segment) -> bool:
    """Whether a segment is of something attached, now or earlier."""
    return segment.layer in ("L2_PREVIOUS", "L3_TURN") and segment.kind in ARTIFACT_KINDS
