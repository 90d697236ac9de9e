"""Tool definitions: values that can be compared, so that a change of tools is seen."""

from __future__ import annotations

from dataclasses import replace

from workbench.domain.tool import ToolDefinition


def test_a_tool_needs_only_its_name():
    assert ToolDefinition("read") == ToolDefinition("read", description="", schema_json="{}")


def test_tools_differ_in_any_part():
    tool = ToolDefinition("read", "reads", '{"type":"object"}')
    others = {replace(tool, name="ls"), replace(tool, description=""), replace(tool, schema_json="{}")}
    assert len({tool, replace(tool)} | others) == 4
