"""L1: the stable contract first, what changes more often after it, tool definitions as segments of their own."""

from __future__ import annotations

import json

from workbench.context.text.fence import wrap
from workbench.domain.segment import Segment
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.text import digest_text, repair_text
from workbench.domain.tool import ToolDefinition


def tool_segments(tools: tuple[ToolDefinition, ...]) -> tuple[Segment, ...]:
    """Tool definitions as the inspector shows them; adapters send them in their provider's own form."""
    return tuple(
        Segment(
            id=f"tool:{tool.name}",
            layer="L1_SYSTEM",
            kind="tool",
            text=text,
            content_digest=digest_text(text),
        )
        for tool, text in ((tool, _definition(tool)) for tool in tools)
    )


def system_segments(settings: ContextSettings) -> tuple[Segment, ...]:
    """Persona, system prompt and tool guidelines as they are, then project instructions and memory, fenced."""
    guidelines = settings.tool_guidelines if settings.tools else ""
    stable = (
        ("persona", settings.persona_text),
        ("system", settings.system_prompt),
        ("tool_guidelines", guidelines),
    )
    overlays = (
        ("project", "project_instructions", settings.project_instructions),
        ("memory", "user_memory", settings.user_memory if settings.filters.include_memory else ""),
    )
    segments = [_plain(name, repair_text(text)) for name, text in stable if text]
    segments += [_fenced(name, tag, repair_text(text)) for name, tag, text in overlays if text]
    return tuple(segments)


def _plain(name: str, text: str) -> Segment:
    return Segment(id=name, layer="L1_SYSTEM", kind=name, text=text, content_digest=digest_text(text))


def _fenced(name: str, tag: str, text: str) -> Segment:
    block = wrap(tag, (), text).text
    return Segment(id=name, layer="L1_SYSTEM", kind=name, text=block, content_digest=digest_text(text))


def _definition(tool: ToolDefinition) -> str:
    head = json.dumps({"name": tool.name, "description": tool.description}, ensure_ascii=False)
    return f'{head[:-1]}, "input_schema": {tool.schema_json}}}'
