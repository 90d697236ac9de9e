"""Exports watched requests: as curl commands, JSON lines, OpenTelemetry spans and trajectories."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from workbench.context.watch.lines import json_line
from workbench.domain.provider import BY_NAME
from workbench.domain.reading.loose_json import parsed, table_in, text_in
from workbench.domain.request import curl_around
from workbench.domain.text import digest_text
from workbench.domain.watch.exchange import Exchange, WatchedFormat
from workbench.domain.watch.request import WatchedPiece, WatchedTurn

_NANO = 1_000_000_000
_CLIENT_SPAN = 3
_FAILED, _UNSET = 2, 0
_ERRORS_FROM = 400
_CHOSEN = {
    "max_tokens": "gen_ai.request.max_tokens", "max_output_tokens": "gen_ai.request.max_tokens",
    "temperature": "gen_ai.request.temperature", "top_p": "gen_ai.request.top_p", "top_k": "gen_ai.request.top_k",
}  # fmt: skip


def provider_of_format(name: WatchedFormat | None) -> str:
    """The default provider of an API format."""
    return "openai" if name == "responses" else name or ""


# A command for the shell.


def as_curl(exchange: Exchange, upstream: str = "") -> str:
    """The request as a curl command, with the usual environment variable in place of its key."""
    provider = provider_of_format(exchange.format)
    known = BY_NAME.get(provider)
    address = (upstream or (known.url if known is not None else "")).rstrip("/")
    body = exchange.request.decode("utf-8", "replace")
    url = address + _keyless(exchange.path)
    before, after = curl_around(url, exchange.headers, body, _key_header(provider))
    return before + body + after


def _keyless(path: str) -> str:
    """The address without a key in its query."""
    place, _, query = path.partition("?")
    kept = [one for one in query.split("&") if one and one.partition("=")[0] not in ("key", "api_key")]
    return f"{place}?{'&'.join(kept)}" if kept else place


def _key_header(provider: str) -> str:
    variable = f"${provider.upper()}_API_KEY"
    match provider:
        case "anthropic":
            return f"x-api-key: {variable}"
        case "gemini":
            return f"x-goog-api-key: {variable}"
        case "openai":
            return f"authorization: Bearer {variable}"
    return ""


# Lines of JSON.


def as_json_lines(turns: Iterable[WatchedTurn]) -> str:
    """One JSON line for each request, with stable names."""
    return "".join(f"{json.dumps(json_line(one), ensure_ascii=False)}\n" for one in turns)


# OpenTelemetry.


def as_spans(turns: Iterable[WatchedTurn], version: str = "") -> dict[str, Any]:
    """The requests as OTLP/JSON spans by the GenAI conventions, without any text."""
    scope = {"name": "workbench.watch", "version": version} if version else {"name": "workbench.watch"}
    named = _attributes({"service.name": "workbench-watch"})
    spans = [_span(one) for one in turns]
    return {
        "resourceSpans": [
            {"resource": {"attributes": named}, "scopeSpans": [{"scope": scope, "spans": spans}]}
        ]
    }


def _span(turn: WatchedTurn) -> dict[str, Any]:
    start = round(turn.started_at * _NANO)
    end = start + round((turn.total_ms or turn.first_byte_ms or 0) * 1_000_000)
    failed = bool(turn.answer.error) or (turn.status or 0) >= _ERRORS_FROM
    return {
        "traceId": digest_text(turn.parent or turn.conversation)[:32],
        "spanId": digest_text(f"{turn.conversation}\0{turn.n}")[:16],
        "name": f"chat {turn.request.model}".strip(),
        "kind": _CLIENT_SPAN,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": _attributes({**_request_attributes(turn), **_response_attributes(turn)}),
        "status": {"code": _FAILED if failed else _UNSET},
    }


def _request_attributes(turn: WatchedTurn) -> dict[str, Any]:
    provider = provider_of_format(turn.request.format)
    chosen = {_CHOSEN[name]: _number(value) for name, value in turn.request.parameters if name in _CHOSEN}
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini" if provider == "gemini" else provider,
        "gen_ai.request.model": turn.request.model,
        "gen_ai.conversation.id": turn.conversation,
        "user_agent.original": turn.client,
        "workbench.relation": turn.against.relation,
        "workbench.causes": list(turn.against.causes),
        "workbench.prefix_lost_tokens": turn.against.lost_tokens,
        **chosen,
    }


def _response_attributes(turn: WatchedTurn) -> dict[str, Any]:
    usage, answer = turn.answer.usage, turn.answer
    return {
        # The whole request: what a cache read or wrote is part of it.
        "gen_ai.usage.input_tokens": usage.prompt_tokens,
        "gen_ai.usage.output_tokens": usage.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
        "gen_ai.response.id": answer.id or None,
        "gen_ai.response.finish_reasons": [answer.finish_reason] if answer.finish_reason else None,
        "http.response.status_code": turn.status,
        "error.type": (str(turn.status) if (turn.status or 0) >= _ERRORS_FROM else "error")
        if answer.error
        else None,
        "workbench.cost_usd": None if turn.cost is None else turn.cost.usd,
    }


def _number(text: str) -> int | float | None:
    value = parsed(text)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in values.items() if value is not None]


def _value(value: object) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(one) for one in value]}}
    return {"stringValue": str(value)}


# A watched request as a trajectory: `replay` builds it again, with the same texts, tools and figures.


FORMAT = "workbench-trajectory/1"
_SCHEMAS = ("input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")


def as_trajectory(turn: WatchedTurn) -> dict[str, Any]:
    """One request as a trajectory, with its answer where it ends with a question."""
    pieces = turn.request.pieces
    talk = [one for one in pieces if one.layer != "L1_SYSTEM"]
    system = [one.text for one in pieces if one.layer == "L1_SYSTEM" and one.kind != "tool"]
    settings = {
        "model": f"{provider_of_format(turn.request.format)}:{turn.request.model}",
        "system_prompt": "\n\n".join(system),
        "tools": [_tool(one) for one in pieces if one.kind == "tool"],
        "history": {"threshold": None},
    }
    messages = _messages(talk)
    document: dict[str, Any] = {"format": FORMAT, "settings": settings}
    if messages and _is_question(messages[-1]):
        *before, asked = messages
        reply = _messages([one for one in turn.answer.pieces if one.kind != "thought"])
        return {
            **document,
            "history": before,
            "turns": [{"user": asked["content"], "reply": _assistant_messages(reply)}],
        }
    return {**document, "history": messages, "turns": [{}]}


def _is_question(message: dict[str, Any]) -> bool:
    return message["role"] == "user" and isinstance(message["content"], str)


def _tool(piece: WatchedPiece) -> dict[str, Any]:
    given = parsed(piece.text)
    outer: Mapping[str, Any] = given if isinstance(given, dict) else {}
    tool = table_in(outer, "function") or outer
    rest = {name: value for name, value in tool.items() if name not in ("name", "description", "type")}
    schema = next((found for name in _SCHEMAS if (found := table_in(tool, name))), rest)
    return {"name": piece.name, "description": text_in(tool, "description"), "input_schema": schema}


def _messages(pieces: Sequence[WatchedPiece]) -> list[dict[str, Any]]:
    """The messages in neutral form; several results in one message become several messages."""
    found: list[dict[str, Any]] = []
    spoken = [one for one in pieces if one.kind != "thought"]
    for (role, _), some in groupby(spoken, key=lambda one: (one.role, one.message)):
        parts = list(some)
        if role == "tool":
            found += [_result(one) for one in parts if one.kind == "result"]
        else:
            found.append(_message(role, parts))
    return found


def _message(role: str, parts: Sequence[WatchedPiece]) -> dict[str, Any]:
    texts = [one.text for one in parts if one.kind not in ("call", "picture")]
    images = [(one.image.digest, one.tokens) for one in parts if one.image is not None]
    calls = [
        {"id": _call_id(one), "name": one.name, "arguments": one.text} for one in parts if one.kind == "call"
    ]
    content: Any = "\n\n".join(texts)
    if images:
        shown = [{"type": "image", "digest": digest, "tokens": tokens} for digest, tokens in images]
        content = [*({"type": "text", "text": text} for text in texts), *shown]
    message: dict[str, Any] = {"role": role, "content": content}
    return {**message, "tool_calls": calls} if calls else message


def _result(piece: WatchedPiece) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": _call_id(piece), "content": piece.text}


def _call_id(piece: WatchedPiece) -> str:
    """The id that links a call and its result, derived where the server gives none."""
    return piece.call or piece.name or "call"


def _assistant_messages(reply: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The assistant messages of a reply, its text and calls, without tool results."""
    return [one for one in reply if one["role"] == "assistant"]
