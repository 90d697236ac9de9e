"""Events of the Responses interface, read one by one."""

from __future__ import annotations

from typing import Any

from tests.fakes.answers import question
from workbench.domain.answer import Finished, ThinkingGrew
from workbench.domain.usage import Usage, responses_usage
from workbench.providers.openai.responses import ResponseReader, is_response


def test_what_is_not_reported_is_not_zero():
    assert responses_usage({}) is None
    assert responses_usage({"usage": {"input_tokens": 3}}) == Usage(3)


def test_parts_of_a_summary_stand_apart():
    reader = ResponseReader(question(), "m")
    added = {"type": "response.reasoning_summary_part.added"}
    assert list(reader.read({**added, "summary_index": 0})) == []
    assert list(reader.read({**added, "summary_index": 1})) == [ThinkingGrew("\n\n")]


def test_what_is_not_known_says_nothing():
    reader = ResponseReader(question(), "m")
    unknown: list[dict[str, Any]] = [
        {},
        {"type": "response.new"},
        {"type": "response.output_item.done", "item": None},
    ]
    assert [part for event in unknown for part in reader.read(event)] == []
    ended = list(reader.read({"type": "response.incomplete", "response": {"status": "incomplete"}}))
    assert ended == [Finished("other")]


def test_only_a_response_is_one():
    assert is_response({"object": "response", "output": []})
    assert not is_response({"object": "list", "output": []})
