"""What of a chat's settings is kept for others, how it is taken over, and its file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.toolbox import FakeToolbox
from workbench.domain.errors import InvalidInput
from workbench.domain.parameters import Parameters
from workbench.domain.settings.preferences import ContextSettings
from workbench.domain.settings.preset import (
    SettingChange,
    applied,
    as_preset,
    free_name,
    preset_name,
    presets_document,
    read_presets,
    setting_changes,
)


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


def test_a_chat_that_takes_a_preset_over_keeps_its_tools_and_what_is_chosen_by_its_messages():
    tools = tuple(tool.definition for tool in FakeToolbox({}).tools)
    chat = ContextSettings(tools=tools, tool_guidelines="Look first.")
    chat = replace(chat, filters=replace(chat.filters, include_only=frozenset({"m1"})))
    preset = ContextSettings(model="word-1", parameters=Parameters(temperature=0.5))
    taken = applied(preset, chat)
    assert (taken.model, taken.parameters.temperature) == ("word-1", 0.5)
    assert (taken.tools, taken.tool_guidelines, taken.filters) == (tools, "Look first.", chat.filters)
    assert as_preset(taken) == preset


def test_what_differs_is_named_as_it_is_set():
    before = ContextSettings(system_prompt="Be brief.", parameters=Parameters(temperature=0.5))
    after = replace(before, system_prompt="Be brief.\nBe kind.", parameters=Parameters(stop=("END",)))
    assert setting_changes(before, after) == (
        SettingChange("system_prompt", "Be brief.", "Be brief.\nBe kind."),
        SettingChange("parameters.temperature", "0.5", None),
        SettingChange("parameters.stop", None, '["END"]'),
    )
    assert [change.is_text for change in setting_changes(before, after)] == [True, False, False]
    assert setting_changes(before, before) == ()


def test_a_file_of_presets_is_read_back_the_same():
    kept = {
        "terse": ContextSettings(parameters=Parameters(response_format='{"type":"object"}')),
        "b": ContextSettings(),
    }
    assert read_presets(presets_document(kept)) == kept
    with pytest.raises(InvalidInput, match="format"):
        read_presets(b'{"presets": {}}')


def test_a_name_that_is_taken_gets_a_number():
    assert free_name("a", {}) == "a"
    assert free_name("a", {"a": 1, "a 2": 1}) == "a 3"
