"""Events of an Anthropic stream, read into parts of an answer; only `message_stop` is its end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.domain.answer import (
    AnswerNamed,
    CallMade,
    Finished,
    FinishReason,
    TextGrew,
    ThinkingGrew,
    UsageReported,
)
from workbench.domain.caching.forecast import ProviderSays
from workbench.domain.message import ToolCall
from workbench.domain.reading.loose_json import count_in, table_in, tables_in, text_in
from workbench.domain.request import ModelRequest
from workbench.domain.text import repair_text
from workbench.domain.usage_reports import anthropic_usage
from workbench.providers.anthropic.messages import REDACTED
from workbench.providers.harness.call_ids import with_own_ids
from workbench.providers.harness.harness import CallGrew, RawPart
from workbench.providers.wire.faults import SaidError

_LONGEST_REASON = 60


def says_in(message: Mapping[str, Any], *, compared: bool) -> ProviderSays | None:
    """Why the cache missed, as the beginning of an answer says; None where it says nothing.

    Nothing in the place of a diagnosis means that two requests were compared, and that one goes on from the other; one
    without a reason, that they were not compared yet.
    """
    if not compared or "diagnostics" not in message:
        return None
    if message["diagnostics"] is None:
        return ProviderSays("unchanged")
    found = table_in(message, "diagnostics")
    if found.get("cache_miss_reason") is None:
        return ProviderSays("pending") if "cache_miss_reason" in found else None
    reason = table_in(found, "cache_miss_reason")
    name = repair_text(text_in(reason, "type"))[:_LONGEST_REASON]
    return ProviderSays(name, count_in(reason, "cache_missed_input_tokens")) if name else None


_REASONS: Mapping[str, FinishReason] = {
    "end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "model_context_window_exceeded": "length",
    "tool_use": "tool_calls", "refusal": "refusal", "pause_turn": "other",
}  # fmt: skip


def is_message(document: Mapping[str, Any]) -> bool:
    """Whether it is a whole answer, which was not streamed."""
    return document.get("type") == "message" and isinstance(document.get("content"), list)


def events_of(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A whole answer as the events that a stream would have brought."""
    yield {"type": "message_start", "message": message}
    for place, block in enumerate(tables_in(message, "content")):
        yield {"type": "content_block_start", "index": place, "content_block": block}
        yield {"type": "content_block_stop", "index": place}
    yield {"type": "message_delta", "delta": {"stop_reason": message.get("stop_reason")}}
    yield {"type": "message_stop"}


@dataclass(slots=True)
class _Open:
    """A block that is not whole yet."""

    kind: str
    id: str = ""
    name: str = ""
    text: str = ""


class EventReader:
    """Reads one answer, event by event; `diagnosed` says whether it was asked why the cache missed."""

    def __init__(self, request: ModelRequest, *, diagnosed: bool = False) -> None:
        self._request, self._diagnosed = request, diagnosed
        self._open: dict[int, _Open] = {}
        self._calls: list[ToolCall] = []
        self._counts: dict[str, Any] = {}
        self._reason: FinishReason | None = None
        self.finished = False

    def read(self, event: Mapping[str, Any]) -> Iterator[RawPart]:
        """The parts an event brings; kinds that are not known are skipped, as the interface asks for."""
        place = count_in(event, "index") or 0
        match event.get("type"):
            case "message_start":
                message = table_in(event, "message")
                self._count(table_in(message, "usage"))
                yield from self._used_so_far()
                if self._diagnosed and (name := text_in(message, "id")):
                    yield AnswerNamed(name, says_in(message, compared=bool(self._request.compare_with)))
            case "content_block_start":
                yield from self._begin(place, table_in(event, "content_block"))
            case "content_block_delta":
                yield from self._grow(place, table_in(event, "delta"))
            case "content_block_stop":
                yield from self._end_block(place)
            case "message_delta":
                self._count(table_in(event, "usage"))
                self._reason = self._reason_in(table_in(event, "delta"))
            case "message_stop":
                yield from self._end()
            case "error":
                raise SaidError(event)

    def _begin(self, place: int, block: Mapping[str, Any]) -> Iterator[RawPart]:
        kind = text_in(block, "type")
        opened = self._open[place] = _Open(kind, text_in(block, "id"), text_in(block, "name"))
        if kind == "text" and (text := text_in(block, "text")):
            yield TextGrew(text)
        elif kind == "thinking":
            opened.text = text_in(block, "signature")
            if thought := text_in(block, "thinking"):
                yield ThinkingGrew(thought)
        elif kind == "redacted_thinking" and (hidden := text_in(block, "data")):
            yield ThinkingGrew("", f"{REDACTED}{hidden}")
        elif kind == "tool_use":
            given = table_in(block, "input")
            opened.text = json.dumps(given, ensure_ascii=False) if given else ""
            yield CallGrew(len(opened.name) + len(opened.text))

    def _grow(self, place: int, delta: Mapping[str, Any]) -> Iterator[RawPart]:
        match text_in(delta, "type"):
            case "text_delta":
                yield TextGrew(text_in(delta, "text"))
            case "thinking_delta":
                yield ThinkingGrew(text_in(delta, "thinking"))
            case "signature_delta" if place in self._open:
                self._open[place].text += text_in(delta, "signature")
            case "input_json_delta" if place in self._open:
                piece = text_in(delta, "partial_json")
                self._open[place].text += piece
                yield CallGrew(len(piece))

    def _end_block(self, place: int) -> Iterator[RawPart]:
        block = self._open.pop(place, None)
        if block is None:
            return
        if block.kind == "thinking" and block.text:
            yield ThinkingGrew("", block.text)
        elif block.kind == "tool_use" and block.name:
            self._calls.append(ToolCall(block.id, block.name, block.text or "{}"))

    def _end(self) -> Iterator[RawPart]:
        """Calls are given only now: one of an answer that breaks off must not be carried out."""
        self.finished = True
        yield from map(CallMade, with_own_ids(self._calls, self._request))
        if (usage := anthropic_usage(self._counts)) is not None:
            yield UsageReported(usage)
        yield Finished(self._reason)

    def _count(self, counts: Mapping[str, Any]) -> None:
        """Later counts are of everything so far, and may leave out what was said before."""
        self._counts |= {name: value for name, value in counts.items() if value is not None}

    def _used_so_far(self) -> Iterator[RawPart]:
        """What the request was, in case the answer is cut off; how much of it was written is known only at its end."""
        usage = anthropic_usage(self._counts)
        if usage is not None and usage.prompt_tokens is not None:
            yield UsageReported(replace(usage, completion_tokens=None, reasoning_tokens=None))

    def _reason_in(self, delta: Mapping[str, Any]) -> FinishReason | None:
        reason = text_in(delta, "stop_reason")
        return _REASONS.get(reason, "other") if reason else self._reason
