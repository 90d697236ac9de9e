"""What of a chat's settings is kept for others, how it is taken over, and its file."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.toolbox import FakeToolbox
from workbench.domain.errors import InvalidInput
from workbench.domain.parameters import Parameters
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.settings.preset import (
    SettingChange,
    applied,
    apply_overrides,
    as_preset,
    free_name,
    parse_override,
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


# `--set` wins over the trajectory, takes JSON or plain words, and names what it does not know.


LISTS = "`workbench settings keys` lists them"
THRESHOLD = 'did you mean "history.threshold"? ' + LISTS


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("model=gpt-4", ("model", "gpt-4")),
        ('model="gpt-4"', ("model", "gpt-4")),
        ("model=4", ("model", "4")),
        ("history.threshold=0.6", ("history.threshold", 0.6)),
        ("history.threshold=null", ("history.threshold", None)),
        ("include_system=false", ("include_system", False)),
        ("exclude_kinds=[\"output\"]", ("exclude_kinds", ["output"])),
        ("system_prompt=a=b", ("system_prompt", "a=b")),
        ("system_prompt=true", ("system_prompt", "true")),
        ("system_prompt=", ("system_prompt", "")),
        ("persona.user= 1.0", ("persona.user", " 1.0")),
        (" counter =rfc", ("counter", "rfc")),
        ("history.threshold=NaN", ("history.threshold", "NaN")),
    ],
)  # fmt: skip
def test_a_value_is_json_or_a_plain_string(text: str, parsed: tuple[str, object]) -> None:
    assert parse_override(text) == parsed


@pytest.mark.parametrize("text", ["model", "", "=x", " =x"])
def test_a_key_and_an_equals_sign_are_needed(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_override(text)
    assert str(caught.value) == f'--set: expected KEY=VALUE, got "{text}"'


def test_overrides_replace_single_fields_and_merge_sections() -> None:
    changed = apply_overrides(
        ContextSettings(),
        {"model": "gpt-4", "history.threshold": 0.6, "history": {"headroom": 0.5}, "context_window": 100},
    )

    assert (changed.model, changed.context_window) == ("gpt-4", 100)
    assert (changed.history.threshold, changed.history.headroom) == (0.6, 0.5)


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("history.treshold", 1, "settings.history.treshold: unknown setting; " + THRESHOLD),
        ("threshold", 1, "settings.threshold: unknown setting; " + THRESHOLD),
        ("zzz", 1, "settings.zzz: unknown setting; " + LISTS),
        ("model.name", 1, 'settings.model.name: unknown setting; did you mean "model"? ' + LISTS),
        ("history.threshold.x", 1, "settings.history.threshold.x: unknown setting; " + THRESHOLD),
        ("comment", 1, "settings.comment: unknown setting; " + LISTS),
        ("_x", 1, "settings._x: unknown setting; " + LISTS),
        ("a\nb", 1, 'settings["a\\nb"]: unknown setting; ' + LISTS),
        ("history.threshold", "high", 'settings.history.threshold: expected a number > 0 and <= 1, got "high"'),
        ("history", 5, "settings.history: expected an object, got 5"),
        ("freshness", "often", 'settings.freshness: expected one of "refresh", "freeze", "auto", got "often"'),
        ("model", 4, "settings.model: expected a string, got 4"),
    ],
)  # fmt: skip
def test_what_is_refused_and_how(key: str, value: object, line: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        apply_overrides(ContextSettings(), {key: value})
    assert str(caught.value) == line


@given(st.text())
def test_any_argument_is_parsed_or_refused_on_one_line(text: str) -> None:
    try:
        key, value = parse_override(text)
        apply_overrides(ContextSettings(), {key: value})
        said = ""
    except InvalidInput as error:
        said = str(error)
    assert said.isprintable()
