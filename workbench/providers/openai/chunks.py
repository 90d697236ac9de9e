"""Chunks of an OpenAI-compatible stream, read into parts of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.domain.answer import (
    CallMade,
    Finished,
    FinishReason,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.request import ModelRequest
from workbench.domain.usage import Usage
from workbench.providers.harness.call_ids import with_own_ids
from workbench.providers.harness.harness import CallGrew, RawPart
from workbench.providers.openai.openai_calls import CallPieces
from workbench.providers.openai.openai_usage import merged, usage_in
from workbench.providers.wire.faults import SaidError
from workbench.providers.wire.loose_values import count_in, table_in, tables_in, text_in

_REASONS: Mapping[str, FinishReason] = {
    "stop": "stop", "eos": "stop", "eos_token": "stop", "stop_sequence": "stop", "end_turn": "stop",
    "length": "length", "max_tokens": "length", "model_length": "length",
    "tool_calls": "tool_calls", "function_call": "tool_calls", "tool_use": "tool_calls",
    "content_filter": "content_filter", "refusal": "refusal",
}  # fmt: skip
# Reasons that say: the server broke off.
_BROKEN_OFF = {"error", "insufficient_system_resource", "abort"}


class ChunkReader:
    """Reads one answer; after its finish reason only usage is taken."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._calls = CallPieces()
        self._usage: Usage | None = None
        self._reason: FinishReason | None = None
        self._refused = False
        self.finished = False

    def read(self, chunk: Mapping[str, Any]) -> Iterator[RawPart]:
        """The parts a chunk brings."""
        if not self.finished and chunk.get("error"):
            raise SaidError(chunk)
        if (usage := usage_in(chunk)) is not None:
            self._usage = merged(self._usage, usage)
        for choice in tables_in(chunk, "choices"):
            if not self.finished and count_in(choice, "index") in (None, 0):
                yield from self._delta(table_in(choice, "delta"))
                self._finish(text_in(choice, "finish_reason"))

    def end(self) -> Iterator[RawPart]:
        """The parts that are whole only at the end, and the end itself."""
        calls = with_own_ids(self._calls.whole(), self._request)
        yield from map(CallMade, calls)
        if self._usage is not None:
            yield UsageReported(self._usage)
        yield Finished(self._end_reason(bool(calls)))

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[RawPart]:
        # Where a server sends the same thought under both names, one of them is enough.
        if thought := text_in(delta, "reasoning_content") or text_in(delta, "reasoning"):
            yield ThinkingGrew(thought)
        if text := text_in(delta, "content"):
            yield TextGrew(text)
        for part in tables_in(delta, "content"):
            yield from _content_part(part)
        if refusal := text_in(delta, "refusal"):
            self._refused = True
            yield TextGrew(refusal)
        legacy = table_in(delta, "function_call")
        for piece in [
            *tables_in(delta, "tool_calls"),
            *([{"index": 0, "function": legacy}] if legacy else []),
        ]:
            yield CallGrew(self._calls.take(piece))

    def _finish(self, reason: str) -> None:
        if not reason:
            return
        if reason.lower() in _BROKEN_OFF:
            raise SaidError({"error": {"message": f"finish reason: {reason}"}})
        self.finished = True
        self._reason = _REASONS.get(reason.lower(), "other")

    def _end_reason(self, called: bool) -> FinishReason | None:
        if self._refused and self._reason in (None, "stop"):
            return "refusal"
        return "tool_calls" if called and self._reason == "stop" else self._reason


def _content_part(part: Mapping[str, Any]) -> Iterator[RawPart]:
    """Content as a list of typed parts, which Mistral sends."""
    if text := text_in(part, "text"):
        yield TextGrew(text)
    for thought in tables_in(part, "thinking"):
        yield ThinkingGrew(text_in(thought, "text"))
