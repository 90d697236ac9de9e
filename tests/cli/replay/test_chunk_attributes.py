"""Attributes of chunks are read as JSON values or as the text that stands in a tag."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from workbench.cli.replay.trajectory import (
    read_action,
    read_attribute,
    read_body,
    read_call_action,
    read_callee,
    read_compacted_at,
    read_error,
    read_marks,
    read_success,
)
from workbench.domain.errors import InvalidInput
from workbench.domain.reading.node import Fields, Node


def fields(**given: object) -> Fields:
    return Fields(Node(given, "history[0]"))


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(InvalidInput) as caught:
        read()
    return str(caught.value)


def test_an_action_that_is_named_wins_over_the_likely_one() -> None:
    assert read_action(fields(action="a"), ("a", "b"), "b") == "a"
    assert read_action(fields(action=None), ("a", "b"), "b") == "b"
    assert refusal(lambda: read_action(fields(action="c"), ("a", "b"), "b")) == (
        'history[0].action: expected one of "a", "b", got "c"'
    )


def test_a_tool_is_meant_unless_a_skill_is_named() -> None:
    assert read_call_action(fields(), "tool_call", "skill_call") == "tool_call"
    assert read_call_action(fields(skill="x"), "tool_call", "skill_call") == "skill_call"


def test_the_name_of_a_tool_or_a_skill_but_not_of_both() -> None:
    assert read_callee(fields(tool="read"), "tool") == "read"
    assert read_callee(fields(), "tool") is None
    assert refusal(lambda: read_callee(fields(skill="x"), "tool")) == (
        'history[0].skill: this chunk is about a tool; name it with "tool"'
    )


def test_an_attribute_is_text_or_absent() -> None:
    assert read_attribute(fields(reason="x"), "reason") == "x"
    assert read_attribute(fields(reason=None), "reason") is None
    assert refusal(lambda: read_attribute(fields(reason=1), "reason")) == (
        "history[0].reason: expected a string, got 1"
    )


@pytest.mark.parametrize(
    ("value", "success"), [(True, True), (False, False), ("true", True), ("false", False), (None, None)]
)
def test_success_as_a_value_or_as_text(value: object, success: bool | None) -> None:
    assert read_success(fields(success=value)) is success


def test_success_is_nothing_else() -> None:
    assert refusal(lambda: read_success(fields(success="yes"))) == (
        'history[0].success: expected true or false, got "yes"'
    )


@pytest.mark.parametrize(
    ("value", "error"),
    [(True, "true"), ("true", "true"), (False, None), ("false", None), (None, None), ("ENOENT", "ENOENT")],
)
def test_error_as_a_value_or_as_text(value: object, error: str | None) -> None:
    assert read_error(fields(error=value)) == error


@pytest.mark.parametrize("value", [0, 1, []])
def test_error_is_nothing_else(value: object) -> None:
    with pytest.raises(InvalidInput):
        read_error(fields(error=value))


@pytest.mark.parametrize(
    ("value", "moment"), [(1703, "1703"), ("1703...", "1703..."), (1.5, "1.5"), (None, None)]
)
def test_the_moment_of_compaction_stays_as_written(value: object, moment: str | None) -> None:
    assert read_compacted_at(Node(value)) == moment


@pytest.mark.parametrize("value", [True, [], {}])
def test_a_moment_is_a_number_or_a_string(value: object) -> None:
    with pytest.raises(InvalidInput):
        read_compacted_at(Node(value))


def test_a_body_that_is_not_text_is_json_in_the_seeds_spacing() -> None:
    assert read_body(Node({"path": "/src/é.ts", "n": [1, 2]})) == '{"path": "/src/é.ts", "n": [1, 2]}'
    assert read_body(Node(' {"raw":1} ')) == ' {"raw":1} '
    assert read_body(Node(None)) == ""


def test_marks_are_pairs_of_text() -> None:
    assert read_marks(Node({"mine": True, "level": 3, "tag": "x"})) == (
        ("mine", "true"),
        ("level", "3"),
        ("tag", "x"),
    )
    assert refusal(lambda: read_marks(Node([], "custom"))) == "custom: expected an object, got []"
