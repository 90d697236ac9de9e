"""Events become parts; nothing but `message_stop` is an end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.answers import question
from workbench.domain.answer import CallMade, Finished, TextGrew, ThinkingGrew, UsageReported
from workbench.domain.message import ToolCall
from workbench.domain.usage import Usage
from workbench.providers.anthropic.model import EventReader
from workbench.providers.harness.harness import CallGrew
from workbench.providers.wire.faults import SaidError

STOP = {"type": "message_stop"}


def start(block: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(kind: str, field: str, value: str, index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", field: value}}


def end(index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def read(*events: dict[str, Any]) -> list[Any]:
    reader = EventReader(question())
    return [part for event in events for part in reader.read(event)]


def test_text_thoughts_and_calls_in_their_order():
    parts = read(
        start({"type": "thinking", "thinking": ""}),
        delta("thinking", "thinking", "Hm."),
        delta("signature", "signature", "si"),
        delta("signature", "signature", "g"),
        end(),
        start({"type": "redacted_thinking", "data": "xyz"}, 1),
        end(1),
        start({"type": "text", "text": "I "}, 2),
        delta("text", "text", "look.", 2),
        end(2),
        start({"type": "tool_use", "id": "c1", "name": "ls", "input": {}}, 3),
        delta("input_json", "partial_json", '{"path"', 3),
        delta("input_json", "partial_json", ': "."}', 3),
        end(3),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        STOP,
    )
    assert [part for part in parts if not isinstance(part, CallGrew)] == [
        ThinkingGrew("Hm."),
        ThinkingGrew("", "sig"),
        ThinkingGrew("", "redacted:xyz"),
        TextGrew("I "),
        TextGrew("look."),
        CallMade(ToolCall("c1", "ls", '{"path": "."}')),
        Finished("tool_calls"),
    ]


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool_calls"),
        ("refusal", "refusal"),
        ("pause_turn", "other"),
        ("something new", "other"),
        (None, None),
    ],
)
def test_reasons_are_told_in_our_words(reason: str | None, finish: str | None):
    assert read({"type": "message_delta", "delta": {"stop_reason": reason}}, STOP)[-1] == Finished(finish)  # type: ignore[arg-type]


def test_counts_of_the_beginning_hold_where_the_end_is_silent():
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 5,
        "output_tokens": 1,
    }
    parts = read(
        {"type": "message_start", "message": {"usage": usage}},
        {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 30, "input_tokens": None}},
        STOP,
    )
    assert parts[1:] == [UsageReported(Usage(100, 90, 5, 30)), Finished(None)]


def test_what_the_request_was_is_known_before_the_first_word():
    """An answer that was cut off had no usage, though its request was paid for."""
    usage = {"input_tokens": 5, "cache_read_input_tokens": 90, "output_tokens": 1}
    assert read({"type": "message_start", "message": {"usage": usage}}) == [UsageReported(Usage(95, 90))]


def test_without_counts_none_are_reported():
    assert read(STOP) == [Finished(None)]


def test_a_call_that_came_whole_and_one_without_an_id():
    parts = read(
        start({"type": "tool_use", "name": "ls", "input": {"path": "ü"}}), end(),
        start({"type": "tool_use", "id": "c", "name": "", "input": {}}), end(), STOP,
    )  # fmt: skip
    (call,) = [part.call for part in parts if isinstance(part, CallMade)]
    assert (call.name, call.arguments, call.id.startswith("call_")) == ("ls", '{"path": "ü"}', True)


def test_an_error_in_the_stream_is_raised():
    with pytest.raises(SaidError):
        read({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": "ping"},
        {"type": "new_kind_of_event", "x": 1},
        start({"type": "server_tool_use", "id": "s", "name": "web_search"}),
        delta("citations", "x", "y"),
        delta("input_json", "partial_json", "x", 9),
        delta("signature", "signature", "x", 9),
        end(9),
        {"type": "content_block_delta", "index": "?", "delta": None},
        {"type": "message_start", "message": None},
        {"type": "message_delta"},
    ],
)
def test_what_says_nothing_is_skipped(event: dict[str, Any]):
    assert read(event) == []
