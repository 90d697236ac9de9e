"""Lines of Ollama's stream, read into parts of an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.domain.answer import CallMade, Finished, FinishReason, TextGrew, ThinkingGrew, UsageReported
from workbench.domain.message import ToolCall
from workbench.domain.reading.loose_json import table_in, tables_in, text_in
from workbench.domain.request import ModelRequest
from workbench.domain.usage import Usage
from workbench.domain.usage_reports import ollama_usage
from workbench.providers.harness.call_ids import with_own_ids
from workbench.providers.harness.harness import RawPart
from workbench.providers.wire.faults import Overflowed, SaidError

# Whether Ollama dropped a part of the request without saying so, told from the counts it gives afterwards.

# Letters of scripts that put spaces between words; elsewhere a run of letters may be any number of words.
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]+")
# Framing and tools of a template, in tokens, on which no bound is known: more than any template adds.
_FRAMING_BYTES = 64


def check_overflow(request: ModelRequest, usage: Usage | None) -> None:
    """Raise `Overflowed` where the counts show that something of the request was dropped."""
    if usage is None or usage.prompt_tokens is None:
        return
    window, read = request.window_tokens, usage.prompt_tokens
    if read >= window - 1 or read + (usage.completion_tokens or 0) > window:
        raise Overflowed(window)
    words = least_tokens(request)
    if read < words and most_tokens(request) > window:
        raise Overflowed(window, words)


def least_tokens(request: ModelRequest) -> int:
    """A lower bound: one token for each word of the messages."""
    return sum(len(_WORD.findall(message.text)) for message in request.messages)


def most_tokens(request: ModelRequest) -> int:
    """An upper bound: one token for each byte, and the framing."""
    texts = [message.text for message in request.messages]
    texts += [call.arguments for message in request.messages for call in message.tool_calls]
    texts += [f"{tool.description}{tool.schema_json}" for tool in request.tools]
    framing = _FRAMING_BYTES * (len(request.messages) + len(request.tools) + 1)
    return framing + sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


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
        usage = ollama_usage(line)
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
