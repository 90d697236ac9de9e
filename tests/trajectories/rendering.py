"""A report as text that people read: what is snapshotted, one line a fact, nothing that depends on the machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

_LONGEST_CONTENT = 1_600
_SHOWN_END = 240


def render_report(turns: list[Json]) -> str:
    """All turns, a blank line between them."""
    return "\n".join("".join(f"{line}\n" for line in _turn(turn)) for turn in turns)


def _turn(turn: Json) -> Iterator[str]:
    yield f"=== turn {turn['turn']}: {_change(turn['prefix'])}"
    for cause in turn["prefix"]["causes"]:
        yield f"  because {cause['cause']}: {_name(cause['subject'])}"
    over = "" if turn["fits"] else f", OVER BY {turn['over_by_tokens']}"
    limits = f"window {turn['window_tokens']}, threshold {turn['threshold_tokens']}"
    yield f"  {turn['total_tokens']} tokens ({turn['count']}), {limits}{over}"
    if "parameters" in turn:
        yield f"  parameters {json.dumps(turn['parameters'])}"
    for one in turn.get("parameters_not_sent", ()):
        yield f"  parameter not sent: {one['name']} ({one['reason']})"
    for layer in turn["layers"]:
        yield f"  {layer['name']} {layer['tokens']}"
        yield from (_segment(segment) for segment in layer["segments"])
    yield from _cuts(turn)
    for message in turn["messages"]:
        yield from _message(message)
    yield from (f"  VIOLATION {finding}" for finding in turn["violations"])


def _change(prefix: Json) -> str:
    at = prefix["diverges_at"]
    where = "" if at is None else f" at {at['layer']} {_name(at['segment'])}, token {at['token']}"
    return f"{prefix['change']}{where}, {prefix['reused_tokens']} tokens reused"


def _segment(segment: Json) -> str:
    flags = [name for name in ("superseded", "override") if segment[name]]
    if not segment["essential"]:
        flags.append(f"priority {segment['priority']}")
    if not segment["recoverable"]:
        flags.append("non-recoverable")
    return "    " + " ".join([_name(segment["id"]), segment["form"], str(segment["tokens"]), *flags])


def _cuts(turn: Json) -> Iterator[str]:
    for one in turn["pruned"]:
        yield f"  pruned {_name(one['id'])}: {one['tokens']} tokens, priority {one['priority']}, {one['reason']}"
    for one in turn["compacted"]:
        tokens = f"{one['from_tokens']} -> {one['to_tokens']}"
        yield f"  compacted {_name(one['id'])}: {tokens}, {_name(one['recover_with'])}"
    for one in turn["repaired"]:
        yield f"  repaired {_name(one['id'])}: {one['reason']}"
    trim = turn["trim"]
    if trim["boundary"]:
        trimmed = ", ".join(trim["trimmed_messages"]) or "nothing"
        yield f"  trimmed up to {trim['boundary']} ({trim['boundary_message']}): {trimmed}"
    if turn["excluded_ids"]:
        yield f"  not sent: {', '.join(map(_name, turn['excluded_ids']))}"


def _message(message: Json) -> Iterator[str]:
    answers = f" answers {message['tool_call_id']}" if "tool_call_id" in message else ""
    yield f"  --- {message['role']} {_name(message['id'])}{answers}"
    content = message["content"]
    texts = [content] if isinstance(content, str) else [part.get("text", str(part)) for part in content]
    for text in texts:
        yield from (f"  | {_printable(line)}".rstrip(" ") for line in _abridged(text).split("\n"))
    for call in message.get("tool_calls", ()):
        yield f"  > {call['id']}: {call['name']} {call['arguments']}"


def _abridged(text: str) -> str:
    if len(text) <= _LONGEST_CONTENT:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    middle = f"[... {len(text)} characters, sha256 {digest} ...]"
    return f"{text[:_SHOWN_END]}\n{middle}\n{text[-_SHOWN_END:]}"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):04x}}}" for c in text)


def _name(name: str | None) -> str:
    shown = "-" if name is None else _printable(name)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"
