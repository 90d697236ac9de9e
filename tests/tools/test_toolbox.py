"""The toolbox: eight tools, in a fixed order, described in the same bytes every time."""

from __future__ import annotations

import json
from pathlib import Path

from workbench.ports.tools import Toolbox
from workbench.tools.toolbox import WorkspaceTools


def test_there_are_eight_tools_and_five_must_be_allowed(tmp_path: Path):
    toolbox: Toolbox = WorkspaceTools(tmp_path)
    assert {tool.definition.name: tool.has_side_effects for tool in toolbox.tools} == {
        "ls": False, "read": False, "grep": False, "edit": True, "write": True, "touch": True, "mv": True, "rm": True,
    }  # fmt: skip
    assert [tool.definition.name for tool in toolbox.tools if tool.searches] == ["grep"]


def test_definitions_are_the_same_bytes_every_time_and_valid(tmp_path: Path):
    """They are the beginning of every request; one byte of difference loses the provider's cache."""
    first = [tool.definition for tool in WorkspaceTools(tmp_path).tools]
    second = [tool.definition for tool in WorkspaceTools(tmp_path / "elsewhere").tools]
    assert first == second
    for definition in first:
        schema = json.loads(definition.schema_json)
        assert schema["type"] == "object"
        assert set(schema["required"]) <= set(schema["properties"])
        assert json.dumps(schema, ensure_ascii=False, separators=(",", ":")) == definition.schema_json
