"""What passes a watch: requests and answers of each protocol, and an understanding with counts done in the head."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from tests.fakes.tokenizer import WordTokenizer
from workbench.domain.watch.exchange import Exchange, WatchedFormat
from workbench.domain.watch.request import WatchedTurn
from workbench.engine.watch.understanding import Knowledge, Understanding
from workbench.providers.cache_rules import Rulebook, load_rules
from workbench.providers.catalogue import Catalogue, load_catalogue
from workbench.providers.prices import PriceTable, load_prices
from workbench.sources.resources import resource_path

STARTED = 1_794_913_700.0
MINUTE = 60.0
PATHS: Mapping[WatchedFormat, str] = {
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages?beta=true",
    "ollama": "/api/chat",
    "gemini": "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
}


def passed(
    n: int,
    name: WatchedFormat,
    body: Mapping[str, Any] | bytes,
    answer: bytes = b"",
    **about: Any,
) -> Exchange:
    """A request that passed; `about` are other fields of `Exchange`."""
    request = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields: dict[str, Any] = {
        "method": "POST", "path": PATHS[name], "started_at": STARTED + n * 10, "request_bytes": len(request),
        "status": 200, "first_byte_ms": 12.0,
    }  # fmt: skip
    return Exchange(n, name, **{**fields, **about}, request=request, answer=answer, answer_bytes=len(answer))


@cache
def shipped() -> tuple[Catalogue, Rulebook, PriceTable]:
    """What the program knows about models."""
    return (
        load_catalogue(resource_path("models.toml")),
        load_rules(resource_path("cache-rules.toml")),
        load_prices(resource_path("prices.toml")),
    )


def understanding(tokenizer: WordTokenizer | None = None, **about: Any) -> Understanding:
    """One that counts words; `about` are other fields of `Knowledge`."""
    words = tokenizer or WordTokenizer()
    return Understanding(Knowledge(*shipped(), lambda name: words, **about))


# Anthropic's messages.


def text(words: str, *, mark: bool = False) -> dict[str, Any]:
    """A block of text, perhaps with a cache mark."""
    block: dict[str, Any] = {"type": "text", "text": words}
    return {**block, "cache_control": {"type": "ephemeral"}} if mark else block


def said(role: str, *blocks: dict[str, Any] | str) -> dict[str, Any]:
    """A message of blocks; a plain text is a block of it."""
    return {"role": role, "content": [text(one) if isinstance(one, str) else one for one in blocks]}


def tool(name: str, description: str = "Does something.") -> dict[str, Any]:
    """A tool's definition."""
    return {"name": name, "description": description, "input_schema": {"type": "object"}}


def call(name: str, called: str, **given: Any) -> dict[str, Any]:
    """A call of a tool."""
    return {"type": "tool_use", "id": called, "name": name, "input": given}


def result(called: str, words: str, *, mark: bool = False) -> dict[str, Any]:
    """What a tool gave back."""
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": called, "content": words}
    return {**block, "cache_control": {"type": "ephemeral"}} if mark else block


def messages(*talk: dict[str, Any], **about: Any) -> dict[str, Any]:
    """A request; `about` are other fields of the body."""
    fields: dict[str, Any] = {"model": "claude-opus-4-8", "max_tokens": 1000, "stream": True}
    return {**fields, **about, "messages": list(talk)}


def events(documents: Sequence[Mapping[str, Any]]) -> bytes:
    """Documents as server-sent events."""
    named = (f"event: {one.get('type', 'message')}\ndata: {json.dumps(one)}\n\n" for one in documents)
    return "".join(named).encode()


def message_events(
    *blocks: Mapping[str, Any], usage: Mapping[str, int] | None = None, called: str = "msg_1"
) -> list[dict[str, Any]]:
    """The events of an answer, each block in two pieces where it can be cut."""
    counts = {"input_tokens": 10, "output_tokens": 1, **(usage or {})}
    start = {"id": called, "type": "message", "role": "assistant", "content": [], "usage": counts}
    found: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for place, block in enumerate(blocks):
        found += _block_events(place, block)
    reason = "tool_use" if any(one["type"] == "tool_use" for one in blocks) else "end_turn"
    ended = {"output_tokens": counts.get("output_tokens", 7)}
    found.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": ended})
    return [*found, {"type": "message_stop"}]


def _block_events(place: int, block: Mapping[str, Any]) -> list[dict[str, Any]]:
    kinds = {"text": ("text", "text_delta"), "thinking": ("thinking", "thinking_delta")}
    if block["type"] == "tool_use":
        field, delta, whole = "partial_json", "input_json_delta", json.dumps(block["input"])
        opened = {**block, "input": {}}
    else:
        field, delta = kinds[block["type"]]
        whole, opened = block[field], {**block, field: ""}
    half = len(whole) // 2
    grown = [
        {"type": "content_block_delta", "index": place, "delta": {"type": delta, field: piece}}
        for piece in (whole[:half], whole[half:])
    ]
    start = {"type": "content_block_start", "index": place, "content_block": opened}
    return [start, *grown, {"type": "content_block_stop", "index": place}]


def answered(words: str = "It is so.", **usage: int) -> bytes:
    """A streamed answer of one text, with what its provider reports."""
    return events(message_events(text(words), usage=usage))


class Watch:
    """Takes requests of one client after the other, ten seconds apart unless told otherwise."""

    def __init__(self, **about: Any) -> None:
        self._watch, self._n = understanding(**about), 0

    def take(self, *talk: dict[str, Any], answer: bytes = b"", **about: Any) -> WatchedTurn:
        """A request of messages; `headers` and `at` are of the exchange, the rest are fields of the body."""
        self._n += 1
        of_exchange = {
            "headers": about.pop("headers", ()),
            "started_at": about.pop("at", STARTED + self._n * 10),
        }
        exchange = passed(self._n, "anthropic", messages(*talk, **about), answer or answered(), **of_exchange)
        turn = self._watch.take(exchange)
        assert turn is not None
        return turn
