"""One message of ChatGPT's export: its words, its calls, and a name for whatever else it holds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from workbench.domain.message import Role, ToolCall
from workbench.engine.exchange.imported import Said, is_good_id
from workbench.engine.exchange.times import to_utc

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_WORDS = ("text", "result", "content")


def read_message(key: str, message: object, calling: str | None, left_out: Counter[str]) -> Said | None:
    """What a node says; None where it says nothing. `calling` is the call it stands after."""
    if not isinstance(message, dict):
        return None
    given = message.get("author")
    author: dict[str, Any] = given if isinstance(given, dict) else {}
    role = _role(author, left_out)
    texts = tuple(_texts(message.get("content"), left_out))
    _count_attachments(message.get("metadata"), left_out)
    if not any(texts):
        return None
    made_id = message["id"] if is_good_id(message.get("id")) else key
    calls = _calls(made_id, message.get("recipient"), texts) if role == "assistant" else ()
    return Said(
        role=role,
        texts=() if calls else texts,
        created_utc=to_utc(message.get("create_time")),
        id=made_id,
        tool_calls=calls,
        tool_call_id=calling if role == "tool" else None,
        metadata=_metadata(author, message.get("metadata")),
    )


def _role(author: dict[str, Any], left_out: Counter[str]) -> Role:
    role = author.get("role")
    known = _ROLES.get(role) if isinstance(role, str) else None
    if known is None:
        left_out["unknown role (the message is kept as the user's)"] += 1
    return known or "user"


def _texts(content: object, left_out: Counter[str]) -> Iterator[str]:
    if not isinstance(content, dict):
        return
    kind = content.get("content_type")
    named = kind if isinstance(kind, str) else "content without a type"
    if isinstance(content.get("parts"), list):
        for part in content["parts"]:
            yield from _part(part, left_out)
        return
    words = [content[name] for name in _WORDS if isinstance(content.get(name), str)]
    if words:
        yield words[0]
    else:
        left_out[named] += 1


def _part(part: object, left_out: Counter[str]) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict) and isinstance(part.get("text"), str):
        yield part["text"]
    else:
        kind = part.get("content_type") if isinstance(part, dict) else None
        left_out[kind if isinstance(kind, str) else "part without a type"] += 1


def _count_attachments(metadata: object, left_out: Counter[str]) -> None:
    attachments = metadata.get("attachments") if isinstance(metadata, dict) else None
    if isinstance(attachments, list) and attachments:
        left_out["attached file"] += len(attachments)


def _metadata(author: dict[str, Any], metadata: object) -> dict[str, str]:
    found = {"name": author.get("name")}
    if isinstance(metadata, dict):
        found["model"] = metadata.get("model_slug")
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _calls(message_id: str, recipient: object, texts: tuple[str, ...]) -> tuple[ToolCall, ...]:
    """What an assistant addressed to a tool is a call of that tool."""
    if not isinstance(recipient, str) or recipient in ("", "all"):
        return ()
    return (ToolCall(f"call-{message_id}", recipient, _arguments(texts)),)


def _arguments(texts: tuple[str, ...]) -> str:
    """What was handed to a tool, as the JSON object that every provider expects."""
    given = "\n\n".join(texts)
    try:
        if isinstance(json.loads(given), dict):
            return given
    except (ValueError, RecursionError):
        pass
    return json.dumps({"input": given}, ensure_ascii=False)
