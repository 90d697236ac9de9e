"""What of a chat's settings is kept for others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.toolbox import FakeToolbox
from workbench.domain.errors import InvalidInput
from workbench.domain.preferences import ContextSettings
from workbench.engine.errands.given import as_preset, preset_name


def test_tools_and_the_ids_of_messages_stay_behind():
    tools = tuple(tool.definition for tool in FakeToolbox({}).tools)
    plain = ContextSettings(model="word-1", system_prompt="Be brief.")
    filters = replace(plain.filters, include_only=frozenset({"m1"}))
    assert as_preset(replace(plain, tools=tools, tool_guidelines="Look first.", filters=filters)) == plain


def test_a_name_can_be_seen():
    assert preset_name("  My \n terse one ") == "My terse one"
    for nothing in ("", " \n"):
        with pytest.raises(InvalidInput):
            preset_name(nothing)
