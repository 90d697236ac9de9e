"""Settings as a trajectory writes them: whole for machines, and as lines that `--set` takes for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from workbench.cli.plain_output import visible_line
from workbench.domain.preferences import ContextSettings
from workbench.domain.tool import ToolDefinition


def settings_document(settings: ContextSettings) -> dict[str, Any]:
    """All settings by their names in a trajectory; read back, they are the same."""
    document = asdict(settings)
    filters: dict[str, Any] = document.pop("filters")
    document["tools"] = [_tool(tool) for tool in settings.tools]
    return {**document, **{name: _listed(value) for name, value in filters.items()}}


def settings_lines(settings: ContextSettings) -> Iterator[str]:
    """The model, and what is not as it is by default, as KEY=VALUE."""
    default = dict(_flat(settings_document(ContextSettings())))
    for key, value in _flat(settings_document(settings)):
        if key == "model" or value != default.get(key):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield f"{key}={visible_line(text)}"


def _flat(document: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in document.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": json.loads(tool.schema_json),
    }


def _listed(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset) else value
