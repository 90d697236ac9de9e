"""Settings of a trajectory merge onto those in effect, and every wrong one is named."""

from __future__ import annotations

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.node import Node
from workbench.domain.settings.context_settings import (
    KINDS,
    CompactionSettings,
    ContextSettings,
    FilterSettings,
    HistorySettings,
    PersonaSources,
)
from workbench.domain.settings.preset import merge_settings
from workbench.domain.tool import ToolDefinition


def read(**given: object) -> ContextSettings:
    return merge_settings(ContextSettings(), Node(given, "settings"))


def refusal(**given: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        read(**given)
    return str(caught.value)


def test_nothing_given_is_the_defaults() -> None:
    assert read() == ContextSettings()


def test_the_defaults_of_the_contract_written_out() -> None:
    written = read(
        model="gpt-4o",
        counter="exact",
        context_window=None,
        reserved_output_tokens=None,
        system_prompt="",
        project_instructions="",
        user_memory="",
        attachment_budget_tokens=None,
        history={
            "threshold": 0.8,
            "headroom": None,
            "keep_last_n_assistant": 10,
            "last_n_messages": None,
            "max_tokens": None,
            "recall": False,
        },
        layout="layered",
        freshness="refresh",
        compaction={"verbatim_chars": 5000, "section_chars": 500, "max_sections": 20},
        tools=[],
        include_system=True,
        include_environment=True,
        include_kinds=None,
        exclude_kinds=[],
        include_only=None,
    )

    assert written == ContextSettings()


def test_everything_can_be_set() -> None:
    assert read(
        model="gpt-4",
        counter="rfc",
        context_window=500,
        reserved_output_tokens=0,
        system_prompt="You are …",
        persona={"user": "terse"},
        project_instructions="p",
        user_memory="m",
        attachment_budget_tokens=4000,
        history={
            "threshold": None,
            "headroom": 1,
            "keep_last_n_assistant": 0,
            "last_n_messages": 4,
            "max_tokens": 9,
        },
        freshness="freeze",
        compaction={"verbatim_chars": 0, "section_chars": 1, "max_sections": 1},
        tools=[{"name": "read", "description": "reads", "input_schema": {"type": "object", "é": [1, 2]}}],
        include_system=False,
        include_environment=False,
        include_kinds=["file", "workflow", "assistant"],
        exclude_kinds=["output", "output"],
        include_only=["chunk_1"],
    ) == ContextSettings(
        model="gpt-4",
        counter="rfc",
        context_window=500,
        reserved_output_tokens=0,
        system_prompt="You are …",
        persona=PersonaSources(user="terse"),
        project_instructions="p",
        user_memory="m",
        attachment_budget_tokens=4000,
        history=HistorySettings(None, 1.0, 0, 4, 9),
        freshness="freeze",
        compaction=CompactionSettings(0, 1, 1),
        tools=(ToolDefinition("read", "reads", '{"type":"object","é":[1,2]}'),),
        filters=FilterSettings(
            include_system=False,
            include_environment=False,
            include_kinds=frozenset({"file", "workflow", "assistant"}),
            exclude_kinds=frozenset({"output"}),
            include_only=frozenset({"chunk_1"}),
        ),
    )


def test_nested_objects_merge_and_null_resets() -> None:
    base = read(
        history={"max_tokens": 5, "headroom": 0.5}, persona={"default": "a", "user": "b"}, context_window=9
    )

    changed = merge_settings(
        base, Node({"history": {"max_tokens": None}, "persona": {"user": ""}, "context_window": None})
    )

    assert changed.history == HistorySettings(headroom=0.5, max_tokens=None)
    assert changed.persona == PersonaSources(default="a")
    assert changed.context_window is None


def test_filters_not_mentioned_keep_what_was_set() -> None:
    base = read(exclude_kinds=["output"])

    assert merge_settings(base, Node({"include_system": False})).filters == FilterSettings(
        include_system=False, exclude_kinds=frozenset({"output"})
    )


def test_a_tool_needs_only_its_name() -> None:
    assert read(tools=[{"name": "ls"}]).tools == (ToolDefinition("ls", "", "{}"),)


def test_kinds_are_those_of_artifacts_chunks_and_roles_once_each() -> None:
    assert len(KINDS) == len(set(KINDS)) == 12 + 7 + 3
    assert {"clipboard", "working_flow", "tool", "system"} <= set(KINDS)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            {"layout": "tabular"},
            'settings.layout: expected one of "layered", "append_only", "auto", got "tabular"',
        ),
        ({"freshness": 1}, 'settings.freshness: expected one of "refresh", "freeze", "auto", got 1'),
        ({"history": {"recall": 1}}, "settings.history.recall: expected true or false, got 1"),
        ({"counter": "bytes"}, 'settings.counter: expected one of "exact", "rfc", "chars4", got "bytes"'),
        ({"model": ""}, 'settings.model: expected a string that is not empty, got ""'),
        ({"model": 4}, "settings.model: expected a string, got 4"),
        ({"system_prompt": None}, "settings.system_prompt: expected a string, got null"),
        ({"context_window": 0}, "settings.context_window: expected an integer >= 1, got 0"),
        ({"context_window": 5.0}, "settings.context_window: expected an integer >= 1, got 5.0"),
        ({"context_window": True}, "settings.context_window: expected an integer >= 1, got true"),
        ({"reserved_output_tokens": -1}, "settings.reserved_output_tokens: expected an integer >= 0, got -1"),
        ({"attachment_budget_tokens": "4k"}, 'settings.attachment_budget_tokens: expected an integer >= 0, got "4k"'),
        ({"history": None}, "settings.history: expected an object, got null"),
        ({"history": {"threshold": 0}}, "settings.history.threshold: expected a number > 0 and <= 1, got 0"),
        ({"history": {"headroom": 0}}, "settings.history.headroom: expected a number > 0 and <= 1, got 0"),
        (
            {"history": {"keep_last_n_assistant": None}},
            "settings.history.keep_last_n_assistant: expected an integer >= 0, got null",
        ),
        ({"history": {"last_n_messages": -1}}, "settings.history.last_n_messages: expected an integer >= 0, got -1"),
        ({"history": {"max_tokens": 1.5}}, "settings.history.max_tokens: expected an integer >= 0, got 1.5"),
        (
            {"history": {"max_tokens": 10**12 + 1}},
            "settings.history.max_tokens: expected an integer 0..1000000000000, got 1000000000001",
        ),
        (
            {"history": {"treshold": 1}},
            'settings.history.treshold: unknown field; did you mean "threshold"?',
        ),
        (
            {"compaction": {"section_chars": 0}},
            "settings.compaction.section_chars: expected an integer >= 1, got 0",
        ),
        ({"compaction": {"max_sections": 0}}, "settings.compaction.max_sections: expected an integer >= 1, got 0"),
        (
            {"compaction": {"verbatim_chars": -1}},
            "settings.compaction.verbatim_chars: expected an integer >= 0, got -1",
        ),
        ({"persona": {"user": 1}}, "settings.persona.user: expected a string, got 1"),
        ({"persona": "terse"}, 'settings.persona: expected an object, got "terse"'),
        ({"include_system": "no"}, 'settings.include_system: expected true or false, got "no"'),
        ({"exclude_kinds": None}, "settings.exclude_kinds: expected a list, got null"),
        ({"include_only": [1]}, "settings.include_only[0]: expected a string, got 1"),
        ({"filters": {}}, "settings.filters: unknown field"),
        ({"tools": [{}]}, "settings.tools[0].name: missing"),
        ({"tools": [{"name": "a", "input_schema": []}]}, "settings.tools[0].input_schema: expected an object, got []"),
        (
            {"tools": [{"name": "a"}, {"name": "a"}]},
            'settings.tools[1].name: "a" is already the name of settings.tools[0]',
        ),
        ({"tools": [{"name": "a", "strict": 1}]}, "settings.tools[0].strict: unknown field"),
    ],
)  # fmt: skip
def test_what_is_refused_and_how(given: dict[str, object], line: str) -> None:
    assert refusal(**given) == line


def test_a_wrong_kind_lists_the_right_ones() -> None:
    assert refusal(include_kinds=["files"]).startswith(
        'settings.include_kinds[0]: expected one of "file", "note", "url", '
    )


def test_remarks_are_ignored_in_settings_and_below() -> None:
    assert read(comment="x", _note=1, history={"$why": 2}, tools=[]) == ContextSettings()
