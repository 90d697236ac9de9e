"""Lines of Ollama's stream, read into parts of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.answers import question
from workbench.domain.answer import CallMade, Finished, FinishReason, TextGrew, ThinkingGrew, UsageReported
from workbench.domain.message import ToolCall
from workbench.domain.usage import Usage
from workbench.providers.harness.harness import RawPart
from workbench.providers.ollama.model import LineAnswer
from workbench.providers.wire.faults import Overflowed, SaidError

LOOK = {"function": {"name": "look", "arguments": {"a": "ü"}}}


def read(*lines: dict[str, Any]) -> list[RawPart]:
    answer = LineAnswer(question())
    return [part for line in lines for part in answer.read(line)]


def test_a_message_brings_thoughts_and_text():
    assert read({"message": {"thinking": "t", "content": "a"}, "done": False}) == [
        ThinkingGrew("t"),
        TextGrew("a"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"message": None},
        {"message": {"content": None}},
        {"message": "x"},
        {"done": None},
        {"done": "true"},
    ],
)
def test_a_line_without_content_says_nothing(line: dict[str, Any]):
    assert read(line) == []


@pytest.mark.parametrize(
    ("said", "meant"), [("stop", "stop"), ("length", "length"), ("load", "other"), (None, None), (7, None)]
)
def test_a_reason_is_mapped(said: object, meant: FinishReason | None):
    assert read({"done": True, "done_reason": said}) == [Finished(meant)]


def test_the_last_line_may_bring_text_and_usage():
    last = {"message": {"content": "a"}, "done": True, "prompt_eval_count": 5, "eval_count": 1}
    assert read(last) == [TextGrew("a"), UsageReported(Usage(5, None, None, 1)), Finished(None)]


def test_calls_are_whole_and_keep_their_ids_or_get_one():
    lines: list[dict[str, Any]] = [
        {"message": {"tool_calls": [{"id": "x", **LOOK}]}},
        {"message": {"tool_calls": [LOOK, LOOK]}},
    ]
    *calls, end = read(*lines, {"done": True, "done_reason": "stop"})
    made = [part.call for part in calls if isinstance(part, CallMade)]
    assert made[0] == ToolCall("x", "look", '{"a": "ü"}')
    assert len({call.id for call in made}) == 3
    assert end == Finished("tool_calls")


@pytest.mark.parametrize(
    ("arguments", "text"), [(None, "{}"), ("", "{}"), ('{"a": 1}', '{"a": 1}'), ({}, "{}")]
)
def test_arguments_of_any_form_become_text(arguments: object, text: str):
    (part,) = read(
        {"message": {"tool_calls": [{"id": "x", "function": {"name": "f", "arguments": arguments}}]}}
    )
    assert part == CallMade(ToolCall("x", "f", text))


def test_a_call_without_a_name_is_none():
    assert read({"message": {"tool_calls": [{}, None, {"function": None}]}}) == []


@pytest.mark.parametrize("error", ["it broke", {"message": "it broke"}])
def test_an_error_is_raised(error: object):
    with pytest.raises(SaidError):
        read({"error": error})


def test_an_answer_to_half_a_request_is_not_complete():
    last = {"message": {"content": "a"}, "done": True, "prompt_eval_count": 4096}
    answer = LineAnswer(question())
    parts = answer.read(last)
    assert [next(parts), next(parts)] == [TextGrew("a"), UsageReported(Usage(4096))]
    with pytest.raises(Overflowed):
        next(parts)
