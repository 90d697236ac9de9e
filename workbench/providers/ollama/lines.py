"""Lines of Ollama's stream, read into parts of an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.domain.answer import CallMade, Finished, FinishReason, TextGrew, ThinkingGrew, UsageReported
from workbench.domain.message import ToolCall
from workbench.domain.request import ModelRequest
from workbench.providers.harness.call_ids import with_own_ids
from workbench.providers.harness.harness import RawPart
from workbench.providers.ollama.ollama_overflow import check_overflow
from workbench.providers.ollama.ollama_usage import usage_in
from workbench.providers.wire.faults import SaidError
from workbench.providers.wire.loose_values import table_in, tables_in, text_in

_REASONS: Mapping[str, FinishReason] = {"stop": "stop", "length": "length"}


class LineAnswer:
    """Reads one answer, up to the line that says it is done."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._calls: list[ToolCall] = []

    def read(self, line: Mapping[str, Any]) -> Iterator[RawPart]:
        """The parts a line brings."""
        if line.get("error"):
            raise SaidError(line)
        message = table_in(line, "message")
        if thought := text_in(message, "thinking"):
            yield ThinkingGrew(thought)
        if text := text_in(message, "content"):
            yield TextGrew(text)
        yield from self._called(message)
        if line.get("done") is True:
            yield from self._end(line)

    def _called(self, message: Mapping[str, Any]) -> Iterator[RawPart]:
        named = [call for call in map(_call, tables_in(message, "tool_calls")) if call.name]
        # All of them together, so that the number of a call is its place in the answer.
        calls = with_own_ids([*self._calls, *named], self._request)
        new, self._calls = calls[len(self._calls) :], calls
        yield from map(CallMade, new)

    def _end(self, line: Mapping[str, Any]) -> Iterator[RawPart]:
        usage = usage_in(line)
        if usage is not None:
            yield UsageReported(usage)
        check_overflow(self._request, usage)
        yield Finished(self._reason(text_in(line, "done_reason")))

    def _reason(self, reason: str) -> FinishReason | None:
        if self._calls and reason in ("", "stop"):
            return "tool_calls"
        return _REASONS.get(reason, "other") if reason else None


def _call(piece: Mapping[str, Any]) -> ToolCall:
    function = table_in(piece, "function")
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {}, ensure_ascii=False)
    return ToolCall(text_in(piece, "id"), text_in(function, "name"), text or "{}")
