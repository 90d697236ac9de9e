"""A JSON schema is checked as the standard's own library checks it, and what is not checked is refused."""

from __future__ import annotations

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.answer_checks import holds, problem_in, read_schema, search_here
from workbench.domain.errors import InvalidInput
from workbench.domain.experiment import Check

NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.sampled_from([0.5, 1.0, 2.5])
    | st.text("ab1", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(["null", "boolean", "object", "array", "string", "number", "integer"])
SIZES = st.integers(0, 3)
LEAVES = st.fixed_dictionaries({}, optional={
    "type": KINDS | st.lists(KINDS, min_size=1, max_size=2, unique=True),
    "enum": st.lists(VALUES, min_size=1, max_size=3),
    "const": VALUES, "minimum": st.integers(-2, 4), "exclusiveMaximum": st.integers(-2, 4), "minLength": SIZES,
    "maxLength": SIZES, "pattern": st.sampled_from(["^a", "b$", "1"]), "minItems": SIZES, "maxItems": SIZES,
    "uniqueItems": st.booleans(), "required": st.lists(NAMES, max_size=2, unique=True), "maxProperties": SIZES,
    "$ref": st.sampled_from(["#/$defs/text", "#/$defs/list"]),
})  # fmt: skip
SCHEMAS = st.recursive(
    st.booleans() | LEAVES,
    lambda inner: st.fixed_dictionaries({}, optional={
        "type": KINDS, "properties": st.dictionaries(NAMES, inner, max_size=2), "additionalProperties": inner,
        "items": inner, "prefixItems": st.lists(inner, min_size=1, max_size=2), "not": inner,
        "anyOf": st.lists(inner, min_size=1, max_size=2), "allOf": st.lists(inner, min_size=1, max_size=2),
        "oneOf": st.lists(inner, min_size=1, max_size=2),
    }),
    max_leaves=5,
)  # fmt: skip
DEFS = {"$defs": {"text": {"type": "string"}, "list": {"type": "array", "items": {"$ref": "#/$defs/text"}}}}


def search(pattern: str, text: str) -> bool:
    return search_here([(pattern, text)])[0]


@given(SCHEMAS, VALUES)
def test_what_passes_is_what_the_standard_lets_pass(schema: Any, value: Any):
    whole = schema if isinstance(schema, bool) else {**schema, **DEFS}
    passes = jsonschema.Draft202012Validator(whole).is_valid(value)
    assert (problem_in(value, read_schema(json.dumps(whole)), search) == "") == passes
    assert holds(Check("schema", json.dumps(whole)), json.dumps(value), search_here) == passes


@pytest.mark.parametrize(
    ("schema", "value", "words"),
    [
        ({"type": "object", "required": ["name"]}, {}, "name is missing"),
        ({"properties": {"lines": {"items": {"type": "integer"}}}}, {"lines": [1, "x"]}, "lines[1] is not integer"),
        ({"type": "object"}, "text", "the answer is not object"),
        ({"additionalProperties": False}, {"more": 1}, "more must not be there"),
        ({"enum": ["yes", "no"]}, "perhaps", 'the answer is none of "yes", "no"'),
    ],
)  # fmt: skip
def test_the_first_problem_is_named_with_its_place(schema: Any, value: Any, words: str):
    assert problem_in(value, schema, search) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "is no schema"),
        ('{"type": "float"}', "unknown type 'float'"),
        ('{"pattern": 5}', "“pattern” is a text"),
        ('{"patternProperties": {}}', "'patternProperties', which is not checked here"),
        ('{"properties": {"a": {"if": {}}}}', "properties.a uses 'if'"),
        ('{"$ref": "other.json"}', "another file"),
        ('{"$ref": "#/$defs/gone"}', "leads to nothing"),
        ('{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}', "leads to itself"),
        ('{"pattern": "("}', "a pattern that is none"),
        ('{"required": "a"}', "are lists"),
        ('{"minimum": "a"}', "is a number"),
        ('{"anyOf": {}}', "a list of schemas"),
        ('{"properties": []}', "a table of schemas"),
    ],
)
def test_what_is_not_checked_is_refused_when_it_is_read(text: str, words: str):
    with pytest.raises(InvalidInput, match=words.replace("$", r"\$").replace("(", r"\(")):
        read_schema(text)
