"""Tools on demand: two definitions for all, and calls that are those of the tools themselves."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.message import ToolCall
from workbench.domain.on_demand import DESCRIBE, NO_NAMES, USE, as_sent, called_tool, definitions_text
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition

SCHEMA = json.dumps(
    {"type": "object", "properties": {name: {"type": "string", "description": "x" * 90} for name in "abcd"}}
)
TOOLS = tuple(
    ToolDefinition(name, f"{name.title()}s a file. " + "More about it. " * 20, SCHEMA)
    for name in ("read", "write", "list")
)
ON = ContextSettings(tools=TOOLS, tools_on_demand=True)


def test_every_tool_is_listed_with_its_first_sentence():
    describe, use = as_sent(ON).tools
    assert (describe.name, use.name) == (DESCRIBE, USE)
    assert describe.description.endswith(
        "\n- read: Reads a file.\n- write: Writes a file.\n- list: Lists a file."
    )
    for one in (describe, use):
        assert json.loads(one.schema_json)["type"] == "object"


@pytest.mark.parametrize(
    "settings",
    [
        replace(ON, tools_on_demand=False),
        replace(ON, tools=()),
        replace(ON, tools=(ToolDefinition("ls", "Lists."),)),
    ],
)
def test_without_the_switch_or_where_it_would_be_longer_nothing_changes(settings: ContextSettings):
    assert as_sent(settings) is settings


def test_twice_is_once():
    assert as_sent(as_sent(ON)) == as_sent(ON)


@pytest.mark.parametrize(
    ("arguments", "inner"),
    [
        ('{"name": "read", "arguments": {"path": "ä.md"}}', ("read", '{"path":"ä.md"}')),
        ('{"name": "read", "arguments": "{\\"path\\": 1}"}', ("read", '{"path": 1}')),
        ('{"name": "read", "path": "a.md"}', ("read", '{"path":"a.md"}')),
        ('{"name": "read"}', ("read", "{}")),
        ('{"arguments": {}}', (USE, '{"arguments": {}}')),
        ('{"name": 1, "arguments": {}}', (USE, '{"name": 1, "arguments": {}}')),
        ('{"name": "read", "arguments": [1]}', (USE, '{"name": "read", "arguments": [1]}')),
        ("[" * 100_000, (USE, "[" * 100_000)),
        ("", (USE, "")),
    ],
)
def test_a_call_is_that_of_the_tool_however_it_is_written(arguments: str, inner: tuple[str, str]):
    assert called_tool(ToolCall("c1", USE, arguments)) == ToolCall("c1", *inner)


def test_a_call_by_its_own_name_is_left_as_it_is():
    call = ToolCall("c1", "read", '{"name": "write", "arguments": {}}')
    assert called_tool(call) is call


def test_definitions_are_given_whole_and_once():
    text = definitions_text(TOOLS, {"names": ["write", "fly", "write", 3]})
    first, second = text.split("\n")
    assert json.loads(first) == {
        "name": "write",
        "description": TOOLS[1].description,
        "arguments": json.loads(SCHEMA),
    }
    assert second == "There is no tool 'fly'."
    assert definitions_text(TOOLS, {"names": "read"}).startswith('{"name": "read"')
    assert definitions_text(TOOLS, {}) == "Name the tools in names, as an array."


@pytest.mark.parametrize("names", [None, 5, True, {"read": 1}, [None]])
def test_names_of_a_wrong_kind_are_asked_for_again(names: object):
    """A model that wrote null was told that the tool itself had failed."""
    assert definitions_text(TOOLS, {"names": names}) == NO_NAMES


@given(
    st.dictionaries(
        st.text(max_size=5) | st.just("names"),
        st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists, max_leaves=3),
    )
)
def test_whatever_a_model_asks_there_is_an_answer(arguments: dict[str, object]):
    assert definitions_text(TOOLS, arguments)
