"""Parses the chunks of an OpenAI-compatible stream into parts of an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.domain.answer import (
    CallMade,
    Finished,
    FinishReason,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.message import ToolCall
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.request import ModelRequest
from workbench.domain.translation import tr
from workbench.domain.usage import Usage, merged, openai_usage
from workbench.providers.harness.harness import CallGrew, RawPart, with_own_ids
from workbench.providers.wire.faults import SaidError
from workbench.providers.wire.likely_tokens import LikelyTokens

# Tool calls that arrive in pieces, put together by their place in the answer.


@dataclass(slots=True)
class _Growing:
    index: int | None
    id: str
    name: str = ""
    arguments: str = ""


class CallPieces:
    """Assembles the tool calls of one answer from their pieces, in the order in which they started."""

    def __init__(self) -> None:
        self._calls: list[_Growing] = []

    def take(self, delta: Mapping[str, Any]) -> int:
        """Adds one piece; returns how many characters it added."""
        function = table_in(delta, "function")
        call = self._find_call(count_in(delta, "index"), text_in(delta, "id"))
        name, arguments = text_in(function, "name"), _arguments(function.get("arguments"))
        # Some servers repeat the name with every piece.
        call.name = call.name or name
        call.arguments += arguments
        return len(name) + len(arguments)

    def whole(self) -> list[ToolCall]:
        """Returns all calls that have a name; missing arguments become an empty object."""
        return [ToolCall(call.id, call.name, call.arguments or "{}") for call in self._calls if call.name]

    def _find_call(self, index: int | None, call_id: str) -> _Growing:
        for call in reversed(self._calls):
            # A server that gives every call the same index tells them apart by their ids.
            if (index is None or call.index == index) and (not call_id or not call.id or call.id == call_id):
                call.id = call.id or call_id
                return call
            if index is None:
                break
        self._calls.append(_Growing(index, call_id))
        return self._calls[-1]


def _arguments(value: object) -> str:
    """Returns arguments as text; some servers send the object itself."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else ""


_REASONS: Mapping[str, FinishReason] = {
    "stop": "stop", "eos": "stop", "eos_token": "stop", "stop_sequence": "stop", "end_turn": "stop",
    "length": "length", "max_tokens": "length", "model_length": "length",
    "tool_calls": "tool_calls", "function_call": "tool_calls", "tool_use": "tool_calls",
    "content_filter": "content_filter", "refusal": "refusal",
}  # fmt: skip
# Reasons that say: the server broke off.
_BROKEN_OFF = {"error", "insufficient_system_resource", "abort"}


class ChunkReader:
    """Parses one answer; after its finish reason only usage is read."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._calls = CallPieces()
        self._likely = LikelyTokens()
        self._usage: Usage | None = None
        self._so_far: Usage | None = None
        self._begun = False
        self._reason: FinishReason | None = None
        self._refused = False
        self.finished = False

    def read(self, chunk: Mapping[str, Any]) -> Iterator[RawPart]:
        """Yields the parts of a chunk."""
        if not self.finished and chunk.get("error"):
            raise SaidError(chunk)
        choices = tables_in(chunk, "choices")
        if (usage := openai_usage(chunk)) is not None:
            self._usage = merged(self._usage, usage)
            # While a server still reads, its timings tell only how far it is.
            if table_in(chunk, "usage") or any(map(_has_content, choices)):
                self._so_far = self._usage
        # Told before the words it came with: whoever stops there, or is cut off, knows what was used so far.
        self._begun |= any(map(_has_content, choices))
        if self._begun and not self.finished and self._so_far is not None:
            if self._so_far.prompt_tokens is not None:
                yield UsageReported(self._so_far)
            self._so_far = None
        for choice in choices:
            if not self.finished and count_in(choice, "index") in (None, 0):
                yield from self._delta(table_in(choice, "delta"))
                if told := tables_in(table_in(choice, "logprobs"), "content"):
                    yield from self._likely.take(_answer_text(choice), told)
                self._finish(text_in(choice, "finish_reason"))

    def end(self) -> Iterator[RawPart]:
        """Yields the parts that are complete only at the end, and the end itself."""
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
            raise SaidError({"error": {"message": tr("finish reason: {reason}", reason=reason)}})
        self.finished = True
        self._reason = _REASONS.get(reason.lower(), "other")

    def _end_reason(self, called: bool) -> FinishReason | None:
        if self._refused and self._reason in (None, "stop"):
            return "refusal"
        return "tool_calls" if called and self._reason == "stop" else self._reason


def _has_content(choice: Mapping[str, Any]) -> bool:
    """Tells whether a choice contains anything of the answer."""
    delta = table_in(choice, "delta")
    told = ("content", "reasoning_content", "reasoning", "refusal", "tool_calls", "function_call")
    return any(delta.get(name) for name in told)


def _answer_text(choice: Mapping[str, Any]) -> str:
    """The text that a choice adds to the answer."""
    return text_in(table_in(choice, "delta"), "content")


def _content_part(part: Mapping[str, Any]) -> Iterator[RawPart]:
    """Yields content that came as a list of typed parts, which Mistral sends."""
    if text := text_in(part, "text"):
        yield TextGrew(text)
    for thought in tables_in(part, "thinking"):
        yield ThinkingGrew(text_in(thought, "text"))
