"""What tools gave back, as the model reads it: typed chunks before a question, and found text before it again."""

from __future__ import annotations

from workbench.context.text.at_commands import PlannedCall
from workbench.context.text.fence import wrap
from workbench.domain.chunk import EnvironmentChunk
from workbench.domain.text import repair_text
from workbench.domain.tool import ToolOutcome

_QUESTION_LABEL = "[User query]:\n"


def result_chunk(question_id: str, number: int, call: PlannedCall, outcome: ToolOutcome) -> EnvironmentChunk:
    """The result of a question's command; its id comes from the question, so that a reload gives the same bytes."""
    name = f"{question_id}:command:{number}"
    return EnvironmentChunk(
        id=name, body=f"{call.name} {call.arguments}\n{outcome.text}", action="tool_result", name=call.name,
        call_id=name, success=not outcome.failed, error="true" if outcome.failed else None,
    )  # fmt: skip


def with_question(result_text: str, question: str) -> str:
    """Found text first, the question after it (seed 001): it is what the model should have in mind last.

    The found text is fenced, because a file may hold a line that looks like the question's label.
    """
    found = wrap("search_results", (), repair_text(result_text)).text
    return f"{found}\n{_QUESTION_LABEL}{repair_text(question)}"
