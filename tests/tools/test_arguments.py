"""What can be said to a tool: the same schema every time, and clear words for what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.tools.arguments import Field, Form
from workbench.tools.workspace.paths import Refused

FORM = Form(
    "copy",
    "Copy it.",
    (
        Field("path", "text", "Which.", required=True),
        Field("times", "number", "How often."),
        Field("loud", "flag", "Whether loudly."),
    ),
)
TAKES = "it takes: path, times (optional), loud (optional)."


def test_the_schema_is_compact_and_says_everything():
    definition = FORM.definition
    assert (definition.name, definition.description) == ("copy", "Copy it.")
    assert definition.schema_json == (
        '{"type":"object","properties":{"path":{"type":"string","description":"Which."},'
        '"times":{"type":"integer","description":"How often."},'
        '"loud":{"type":"boolean","description":"Whether loudly."}},'
        '"required":["path"],"additionalProperties":false}'
    )
    assert json.loads(definition.schema_json)["required"] == ["path"]


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        ({"path": "a"}, {"path": "a"}),
        ({"path": "a", "times": None}, {"path": "a"}),
        ({"path": "a", "times": 3.0, "loud": True}, {"path": "a", "times": 3, "loud": True}),
        ({"path": "a", "times": "3", "loud": "False"}, {"path": "a", "times": 3, "loud": False}),
    ],
)
def test_what_is_harmless_is_understood(given: dict[str, Any], understood: dict[str, Any]):
    assert FORM.check(given) == understood


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, f"copy needs path; {TAKES}"),
        ({"path": None}, f"copy needs path; {TAKES}"),
        ({"path": "a", "file": 1, "x\ny": 2}, f"copy does not know file, x\\u000ay; {TAKES}"),
        ({"path": 3}, "path must be a string."),
        ({"path": ["a"]}, "path must be a string."),
        ({"path": "a", "times": 0}, "times must be a whole number from 1."),
        ({"path": "a", "times": 1.5}, "times must be a whole number from 1."),
        ({"path": "a", "times": True}, "times must be a whole number from 1."),
        ({"path": "a", "times": "³"}, "times must be a whole number from 1."),
        ({"path": "a", "times": float("nan")}, "times must be a whole number from 1."),
        ({"path": "a", "times": 10**30}, "times must be a whole number from 1."),
        ({"path": "a", "loud": 1}, "loud must be true or false."),
        ({"path": "a", "loud": "yes"}, "loud must be true or false."),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, Any], words: str):
    with pytest.raises(Refused) as refusal:
        FORM.check(given)
    assert str(refusal.value) == words


@pytest.mark.parametrize("given", [None, [], "path", 3])
def test_arguments_that_are_no_object_are_refused(given: Any):
    with pytest.raises(Refused, match="must be an object"):
        FORM.check(given)
