"""What a server gave back, as text for a model or as content to attach; what is no text is named."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workbench.domain.mcp.server import McpContent
from workbench.domain.text import harmless, repair_text
from workbench.domain.tool import ToolOutcome
from workbench.tools.mcp.limits import McpLimits

if TYPE_CHECKING:
    from mcp import types


def outcome_of(result: types.CallToolResult, limits: McpLimits) -> ToolOutcome:
    """The result of a call: its texts in order; pictures, sound and files are named, since a result is text."""
    parts = [_part(one) for one in result.content]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    text = cut_text("\n".join(parts), limits.result_chars)
    return ToolOutcome(text or "(It gave nothing back.)", failed=bool(result.is_error))


def contents_of(result: types.ReadResourceResult, limits: McpLimits) -> tuple[McpContent, ...]:
    """What a resource holds, part by part."""
    made = []
    for one in result.contents:
        mime = harmless(one.mime_type or "")[:100]
        text = getattr(one, "text", None)
        if isinstance(text, str):
            whole = repair_text(text)
            over = len(whole) > limits.result_chars
            made.append(McpContent(one.uri, mime, whole[: limits.result_chars], cut=over))
        else:
            data = _bytes(getattr(one, "blob", ""))
            over = len(data) > limits.resource_bytes
            made.append(McpContent(one.uri, mime, data=b"" if over else data, cut=over))
    return tuple(made)


def prompt_of(messages: Iterable[types.PromptMessage], limits: McpLimits) -> str:
    """The words of a prompt; where it plays an answer too, it is said who speaks."""
    said = list(messages)
    several = any(one.role != "user" for one in said)
    parts = [f"{one.role}: {_part(one.content)}" if several else _part(one.content) for one in said]
    return cut_text("\n\n".join(parts), limits.result_chars)


def cut_text(text: str, longest: int) -> str:
    """The text up to a length, and how much of it is missing."""
    text = repair_text(text)
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n[{len(text) - longest:,} more characters were left out]"


def _part(one: Any) -> str:
    match one.type:
        case "text":
            return str(one.text)
        case "image" | "audio":
            return (
                f"[{one.type}, {_kind(one.mime_type)}, {len(one.data) * 3 // 4:,} bytes: not text, left out]"
            )
        case "resource_link":
            return f"[a resource of the server: {harmless(one.uri)[:500]}]"
        case "resource":
            text = getattr(one.resource, "text", None)
            if isinstance(text, str):
                return text
            size = len(getattr(one.resource, "blob", "")) * 3 // 4
            return f"[a file, {_kind(one.resource.mime_type)}, {size:,} bytes: not text, left out]"
        case _:
            return "[something that is not text, left out]"


def _kind(mime: str | None) -> str:
    return harmless(mime or "unknown")[:100]


def _bytes(blob: str) -> bytes:
    try:
        return base64.b64decode(blob, validate=False)
    except (binascii.Error, ValueError):
        return b""
