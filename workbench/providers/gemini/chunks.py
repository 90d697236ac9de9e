"""Chunks of Gemini's stream, read into parts of an answer; a finish reason is its end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.domain.answer import CallMade, Finished, FinishReason, TextGrew, ThinkingGrew, UsageReported
from workbench.domain.message import ToolCall
from workbench.domain.reading.loose_json import table_in, tables_in, text_in
from workbench.domain.request import ModelRequest
from workbench.domain.usage import Usage
from workbench.domain.usage_reports import gemini_usage
from workbench.providers.gemini.messages import signed
from workbench.providers.harness.call_ids import with_own_ids
from workbench.providers.harness.harness import CallGrew, RawPart
from workbench.providers.wire.faults import SaidError

_REASONS: Mapping[str, FinishReason] = {
    "STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter", "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter", "PROHIBITED_CONTENT": "content_filter", "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
}  # fmt: skip


def is_answer(document: Mapping[str, Any]) -> bool:
    """Whether it is a whole answer, which was not streamed."""
    return isinstance(document.get("candidates"), list) or bool(table_in(document, "promptFeedback"))


class ChunkReader:
    """Reads one answer of a model, chunk by chunk; `zeros_unsaid` as for `gemini_usage`."""

    def __init__(self, request: ModelRequest, model: str, *, zeros_unsaid: bool = False) -> None:
        self._request, self._model, self._zeros_unsaid = request, model, zeros_unsaid
        self._calls: list[ToolCall] = []
        self._usage: Usage | None = None
        self.finished = False

    def read(self, chunk: Mapping[str, Any]) -> Iterator[RawPart]:
        """The parts a chunk brings."""
        if chunk.get("error"):
            raise SaidError(chunk)
        usage = gemini_usage(chunk, zeros_unsaid=self._zeros_unsaid)
        if usage is not None and usage != self._usage:
            self._usage = usage
            # Told before the words it came with: whoever stops there, or is cut off, knows what was used so far.
            yield UsageReported(usage)
        reason = "SAFETY" if text_in(table_in(chunk, "promptFeedback"), "blockReason") else ""
        for candidate in tables_in(chunk, "candidates")[:1]:
            for part in tables_in(table_in(candidate, "content"), "parts"):
                yield from self._part(part)
            reason = text_in(candidate, "finishReason") or reason
        if reason:
            yield from self._end(reason)

    def _part(self, part: Mapping[str, Any]) -> Iterator[RawPart]:
        text, place = text_in(part, "text"), None
        if text:
            yield ThinkingGrew(text) if part.get("thought") is True else TextGrew(text)
        function = table_in(part, "functionCall")
        if name := text_in(function, "name"):
            place = len(self._calls)
            arguments = json.dumps(table_in(function, "args"), ensure_ascii=False)
            self._calls.append(ToolCall(text_in(function, "id"), name, arguments))
            yield CallGrew(len(name) + len(arguments))
        if signature := text_in(part, "thoughtSignature"):
            yield ThinkingGrew("", signed(signature, self._model, place))

    def _end(self, reason: str) -> Iterator[RawPart]:
        """Calls are given only now: one of an answer that breaks off must not be carried out."""
        self.finished = True
        yield from map(CallMade, with_own_ids(self._calls, self._request))
        found = _REASONS.get(reason, "other")
        yield Finished("tool_calls" if self._calls and found == "stop" else found)
