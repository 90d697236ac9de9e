"""Watched requests for other programs: a command for the shell, lines of JSON, spans of OpenTelemetry."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.context.watch.lines import json_line
from workbench.domain.models.provider import BY_NAME
from workbench.domain.text import digest_text
from workbench.domain.watch.exchange import Exchange, WatchedFormat
from workbench.domain.watch.request import WatchedTurn

_LEFT_OUT = frozenset({"content-encoding", "content-length", "host", "connection", "accept-encoding"})
_NANO = 1_000_000_000
_CLIENT_SPAN = 3
_FAILED, _UNSET = 2, 0
_ERRORS_FROM = 400
_CHOSEN = {
    "max_tokens": "gen_ai.request.max_tokens", "max_output_tokens": "gen_ai.request.max_tokens",
    "temperature": "gen_ai.request.temperature", "top_p": "gen_ai.request.top_p", "top_k": "gen_ai.request.top_k",
}  # fmt: skip


def provider_of_format(name: WatchedFormat | None) -> str:
    """Who answers a format where nobody says otherwise."""
    return "openai" if name == "responses" else name or ""


# A command for the shell.


def as_curl(exchange: Exchange, upstream: str = "") -> str:
    """The request as a command; where a key stood, the variable stands that usually holds it."""
    provider = provider_of_format(exchange.format)
    known = BY_NAME.get(provider)
    address = (upstream or (known.url if known is not None else "")).rstrip("/")
    parts = [f"curl {shlex.quote(address + _keyless(exchange.path))}"]
    parts += [
        f"-H {shlex.quote(f'{name}: {value}')}" for name, value in exchange.headers if name not in _LEFT_OUT
    ]
    if not exchange.header("content-type"):
        parts.append("-H 'content-type: application/json'")
    if key := _key_header(provider):
        parts.append(f'-H "{key}"')
    body = exchange.request.decode("utf-8", "replace")
    end = _unlike(body)
    return " \\\n  ".join([*parts, f"--data-binary @- <<'{end}'"]) + f"\n{body}\n{end}\n"


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


def _unlike(body: str) -> str:
    """A word that ends the body and does not stand alone on a line of it."""
    end = "BODY"
    while end in body.split("\n"):
        end += "_"
    return end


# Lines of JSON.


def as_json_lines(turns: Iterable[WatchedTurn]) -> str:
    """A line for each request, with names that stay."""
    return "".join(f"{json.dumps(json_line(one), ensure_ascii=False)}\n" for one in turns)


# OpenTelemetry.


def as_spans(turns: Iterable[WatchedTurn], version: str = "") -> dict[str, Any]:
    """The requests as spans in OTLP's JSON, by the conventions for generative models; no text goes with them."""
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
        "attributes": _attributes({**_asked(turn), **_told(turn)}),
        "status": {"code": _FAILED if failed else _UNSET},
    }


def _asked(turn: WatchedTurn) -> dict[str, Any]:
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


def _told(turn: WatchedTurn) -> dict[str, Any]:
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
    try:
        value = json.loads(text)
    except ValueError:
        return None
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
