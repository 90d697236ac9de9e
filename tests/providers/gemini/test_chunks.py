"""Chunks of Gemini's stream, read one by one."""

from __future__ import annotations

import pytest

from tests.fakes.answers import question
from workbench.domain.answer import CallMade, Finished, ThinkingGrew
from workbench.domain.usage import Usage, gemini_usage
from workbench.providers.gemini.messages import signed
from workbench.providers.gemini.model import ChunkReader
from workbench.providers.wire.faults import SaidError


def test_what_is_left_out_of_a_report_is_zero_where_zeros_are_not_written():
    assert gemini_usage({}, zeros_unsaid=True) is None
    assert gemini_usage({"usageMetadata": {"promptTokenCount": 5}}) == Usage(5)
    assert gemini_usage({"usageMetadata": {"promptTokenCount": 5}}, zeros_unsaid=True) == Usage(5, 0)


def test_a_signature_remembers_the_call_it_came_with():
    reader = ChunkReader(question(), "m")
    part = {"functionCall": {"name": "ls", "args": {}}, "thoughtSignature": "sig"}
    parts = list(reader.read({"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}))
    assert ThinkingGrew("", signed("sig", "m", 0)) in parts
    assert [one.call.name for one in parts if isinstance(one, CallMade)] == ["ls"]
    assert parts[-1] == Finished("tool_calls")


def test_an_error_in_the_stream_is_one():
    with pytest.raises(SaidError):
        list(ChunkReader(question(), "m").read({"error": {"code": 503, "status": "UNAVAILABLE"}}))
