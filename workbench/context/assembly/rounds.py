"""What was said within this very turn after its question: calls, results, the beginning of an answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.context.assembly.filters import Admission
from workbench.context.assembly.history import normalise
from workbench.context.text.at_commands import PlannedCall
from workbench.context.text.chunk_renderers import RendererRegistry
from workbench.context.text.fence import wrap
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.envelope import WireMessage
from workbench.domain.message import Message
from workbench.domain.segment import Segment
from workbench.domain.settings.preferences import FilterSettings
from workbench.domain.text import repair_text
from workbench.domain.tool import ToolOutcome
from workbench.domain.turn import Tuning

# What tools gave back, as the model reads it: typed chunks before a question, and found text before it
# again.

_QUESTION_LABEL = "[User query]:\n"


def result_chunk(turn: int, number: int, call: PlannedCall, outcome: ToolOutcome) -> EnvironmentChunk:
    """The result of a question's command; its id comes from the turn, so that preview, send and reload are equal."""
    name = f"turn{turn}:command:{number}"
    return EnvironmentChunk(
        id=name, body=f"{call.name} {call.arguments}\n{outcome.text}", action="tool_result", name=call.name,
        call_id=name, success=not outcome.failed, error="true" if outcome.failed else None,
    )  # fmt: skip


def with_question(result_text: str, question: str) -> str:
    """Found text first, the question after it: models attend best to what they read last.

    The found text is fenced, because a file may hold a line that looks like the question's label.
    """
    found = wrap("search_results", (), repair_text(result_text)).text
    return f"{found}\n{_QUESTION_LABEL}{repair_text(question)}"


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
