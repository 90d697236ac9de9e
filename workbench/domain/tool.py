"""Tool definitions as the model is told of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool the model may call; the schema is kept as compact JSON, the form that is counted and sent."""

    name: str
    description: str = ""
    schema_json: str = "{}"
