"""Chunks, read into parts of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fakes.answers import question
from workbench.domain.answer import CallMade, Finished, FinishReason, TextGrew, ThinkingGrew, UsageReported
from workbench.domain.message import ToolCall
from workbench.domain.usage import Usage
from workbench.providers.harness.harness import CallGrew, RawPart
from workbench.providers.openai.chunks import ChunkReader
from workbench.providers.wire.faults import SaidError


def read(*chunks: dict[str, Any], end: bool = True) -> list[RawPart]:
    reader = ChunkReader(question())
    parts = [part for chunk in chunks for part in reader.read(chunk)]
    return parts + (list(reader.end()) if end else [])


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({"content": "a"}, [TextGrew("a")]),
        ({"content": ""}, []),
        ({"content": None, "role": "assistant"}, []),
        ({"reasoning_content": "t"}, [ThinkingGrew("t")]),
        ({"reasoning": "t"}, [ThinkingGrew("t")]),
        ({"reasoning_content": "t", "reasoning": "t", "content": "a"}, [ThinkingGrew("t"), TextGrew("a")]),
        ({"content": [{"type": "text", "text": "a"}, None]}, [TextGrew("a")]),
        (
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "t"}]}]},
            [ThinkingGrew("t")],
        ),
        ({"content": 5, "reasoning": {"x": 1}, "tool_calls": "none"}, []),
    ],
)
def test_a_delta_brings_text_and_thoughts(fields: dict[str, Any], parts: list[RawPart]):
    assert read(delta(**fields), end=False) == parts


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("stop", "stop"), ("length", "length"), ("tool_calls", "tool_calls"), ("function_call", "tool_calls"),
        ("content_filter", "content_filter"), ("eos", "stop"), ("max_tokens", "length"), ("STOP", "stop"),
        ("because", "other"),
    ],
)  # fmt: skip
def test_a_finish_reason_is_mapped(said: str, meant: FinishReason):
    assert read(delta(said, content="a"))[-1] == Finished(meant)


def test_without_a_reason_the_end_has_none():
    assert read(delta(content="a"))[-1] == Finished(None)


@pytest.mark.parametrize("reason", ["error", "insufficient_system_resource"])
def test_a_reason_that_means_the_server_broke_off_is_an_error(reason: str):
    with pytest.raises(SaidError):
        read(delta(reason, content="a"))


def test_text_after_the_reason_is_ignored_and_usage_is_not():
    late = delta(content="late") | {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    assert read(delta("stop", content="a"), late) == [
        TextGrew("a"),
        UsageReported(Usage(1, None, None, 2)),
        Finished("stop"),
    ]


def test_an_error_after_the_reason_changes_nothing():
    assert read(delta("stop", content="a"), {"error": "late"})[-1] == Finished("stop")


@pytest.mark.parametrize(
    "error", [{"error": {"message": "m"}}, {"error": "m"}, {"choices": [], "error": {"code": 502}}]
)
def test_an_error_in_a_chunk_is_raised(error: dict[str, Any]):
    with pytest.raises(SaidError) as said:
        read(error)
    assert said.value.said == error


def test_calls_are_whole_at_the_end_and_get_their_ids():
    pieces = [
        {"index": 0, "function": {"name": "f", "arguments": "{"}},
        {"index": 0, "function": {"arguments": "}"}},
    ]
    first, second, made, end = read(delta(tool_calls=pieces[:1]), delta("stop", tool_calls=pieces[1:]))
    assert [first, second, end] == [CallGrew(2), CallGrew(1), Finished("tool_calls")]
    assert isinstance(made, CallMade)
    assert (made.call.name, made.call.arguments, made.call.id[:5]) == ("f", "{}", "call_")


def test_the_older_form_of_a_call_is_understood():
    parts = read(delta(function_call={"name": "f", "arguments": "{}"}), delta("function_call"))
    assert [part.call.name for part in parts if isinstance(part, CallMade)] == ["f"]


def test_a_call_with_an_id_keeps_it():
    call = {"index": 0, "id": "x", "function": {"name": "f", "arguments": "{}"}}
    assert CallMade(ToolCall("x", "f", "{}")) in read(delta("tool_calls", tool_calls=[call]))


def test_a_refusal_is_text_and_its_own_reason():
    assert read(delta(refusal="I will not."), delta("stop")) == [TextGrew("I will not."), Finished("refusal")]


def test_only_the_first_choice_is_read():
    other = {"choices": [{"index": 1, "delta": {"content": "b"}, "finish_reason": "stop"}]}
    assert read(other, delta(content="a"), end=False) == [TextGrew("a")]


def test_what_was_used_so_far_is_told_before_the_words_it_came_with():
    """llama.cpp tells it with every word: of an answer that was stopped, nobody knew what its cache had served."""
    told = {"timings": {"prompt_n": 3, "cache_n": 40, "predicted_n": 1}}
    so_far = UsageReported(Usage(43, 40, completion_tokens=1))
    assert read(delta(content="a") | told, end=False) == [so_far, TextGrew("a")]
    half = {"timings": {"predicted_n": 1}}
    assert read(delta(content="a") | half, end=False) == [TextGrew("a")]


def test_while_a_server_still_reads_nothing_is_used_yet():
    """It tells how far it is in the same figures: taken for the end, a prompt of 37 tokens was 4."""
    reading = {"timings": {"prompt_n": 0, "cache_n": 4}}
    assert read(delta(role="assistant", content="") | reading, end=False) == []
