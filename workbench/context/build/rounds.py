"""What was said within this very turn after its question: calls, results, the beginning of an answer (seed 001)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.context.build.filters import Admission
from workbench.context.build.history import normalise
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.domain.envelope import WireMessage
from workbench.domain.message import Message
from workbench.domain.preferences import FilterSettings
from workbench.domain.segment import Segment
from workbench.domain.turn import Tuning


def round_messages(rounds: tuple[Message, ...], renderers: RendererRegistry) -> tuple[WireMessage, ...]:
    """The rounds as native messages, to stand after the question; they belong to the turn, and nothing trims them."""
    if not rounds:
        return ()
    said = normalise(rounds, Admission(FilterSettings()), Tuning(), renderers)
    return tuple(
        replace(message, segments=tuple(_of_turn(segment) for segment in message.segments))
        for message in said.messages
    )


def after_the_question(segments: Iterable[Segment], rounds: tuple[Message, ...]) -> list[Segment]:
    """The segments in wire order: those of rounds stand last, though their layer does not."""
    ids = {message.id for message in rounds}
    early: list[Segment] = []
    late: list[Segment] = []
    for segment in segments:
        (late if segment.layer == "L3_TURN" and segment.id in ids else early).append(segment)
    return early + late


def _of_turn(segment: Segment) -> Segment:
    return replace(segment, layer="L3_TURN", essential=True, placeholder=None)
