"""Every mistake in a JSON document is named by its path and what was expected, on one line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.errors import InvalidInput
from workbench.domain.reading.node import LARGEST_INTEGER, Fields, Node, join_path, nullable, show


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(InvalidInput) as caught:
        read()
    return str(caught.value)


def test_the_contracts_own_example() -> None:
    node = Node({"turns": [0, 0, 0, {"attach": [{"priority": "high"}]}]})
    turn = node.fields(["turns"]).require("turns").items()[3]
    priority = turn.fields(["attach"]).require("attach").items()[0].fields(["priority"]).require("priority")

    assert refusal(lambda: priority.integer(0, 10)) == (
        'turns[3].attach[0].priority: expected an integer 0..10, got "high"'
    )


def test_path_and_reason_are_kept_apart() -> None:
    error = Node(1, "a.b").expected("a string")

    assert (error.path, error.reason) == ("a.b", "expected a string, got 1")


def test_the_root_has_a_path_too() -> None:
    assert refusal(lambda: Node([]).fields([])) == "$: expected an object, got []"


@pytest.mark.parametrize("value", [True, False, 5.0, "5", None, [], -1, 11, float("nan"), 10**30])
def test_what_is_not_an_integer_in_range(value: object) -> None:
    assert refusal(lambda: Node(value, "n").integer(0, 10)) == (
        f"n: expected an integer 0..10, got {show(value)}"
    )


def test_an_open_range_names_its_lower_end_and_its_top_only_when_passed() -> None:
    assert refusal(lambda: Node(-1, "n").integer(0)) == "n: expected an integer >= 0, got -1"
    assert refusal(lambda: Node(10**12 + 1, "n").integer(0)) == (
        "n: expected an integer 0..1000000000000, got 1000000000001"
    )
    assert Node(LARGEST_INTEGER).integer(0) == LARGEST_INTEGER


@pytest.mark.parametrize(
    "value", [0, 0.0, 1.01, -0.5, True, "0.5", None, float("nan"), float("inf"), 10**400]
)
def test_what_is_not_a_fraction(value: object) -> None:
    assert refusal(lambda: Node(value, "n").number(0, 1)).startswith(
        "n: expected a number > 0 and <= 1, got "
    )


def test_one_is_a_fraction_however_it_is_written() -> None:
    assert [Node(one).number(0, 1) for one in (1, 1.0, 0.25)] == [1.0, 1.0, 0.25]


def test_truth_values_are_not_numbers_or_words() -> None:
    assert Node(True).flag() is True
    assert refusal(lambda: Node(1, "f").flag()) == "f: expected true or false, got 1"
    assert refusal(lambda: Node("true", "f").flag()) == 'f: expected true or false, got "true"'


def test_text_is_repaired_and_nothing_else_is_text() -> None:
    assert Node("a\ud800b").text() == "a\ufffdb"
    assert refusal(lambda: Node(None, "t").text()) == "t: expected a string, got null"
    assert refusal(lambda: Node("", "t").name()) == 't: expected a string that is not empty, got ""'


def test_a_choice_lists_its_options() -> None:
    assert Node("b").choice(("a", "b")) == "b"
    assert refusal(lambda: Node(["a"], "c").choice(("a", "b"))) == 'c: expected one of "a", "b", got ["a"]'


def test_lists() -> None:
    assert [item.path for item in Node([1, 2], "x").items()] == ["x[0]", "x[1]"]
    assert refusal(lambda: Node("ab", "x").items()) == 'x: expected a list, got "ab"'


def test_an_unknown_field_suggests_the_nearest() -> None:
    node = Node({"atach": []}, "turns[0]")

    assert refusal(lambda: node.fields(["attach", "detach"])) == (
        'turns[0].atach: unknown field; did you mean "attach"?'
    )
    assert refusal(lambda: Node({"zzz": 1}).fields(["attach"])) == "zzz: unknown field"


def test_remarks_are_ignored_anywhere_and_others_where_allowed() -> None:
    remarks = {"_x": 1, "$schema": 2, "comment": 3}

    assert Node(remarks).fields([]) == Fields(Node(remarks))
    assert Node({"name": 1}).fields([], ["name"]) == Fields(Node({"name": 1}))
    assert refusal(lambda: Node({"name": 1}).fields([])) == "name: unknown field"


def test_missing_given_and_null_fields() -> None:
    fields = Node({"a": None}, "x").fields(["a", "b"])

    assert fields.get("a") == Node(None, "x", ("a",))
    assert fields.given("a") is None
    assert fields.get("b") is None
    assert refusal(lambda: fields.require("b")) == "x.b: missing"


def test_defaults_stand_in_for_absent_fields_only() -> None:
    fields = Node({"a": None, "l": ["x"]}).fields(["a", "b", "l"])

    assert fields.read("b", Node.text, "default") == "default"
    assert nullable(Node.text)(Node(None)) is None
    assert nullable(Node.text)(Node("x")) == "x"
    assert refusal(lambda: fields.read("a", Node.text, "default")) == "a: expected a string, got null"
    assert fields.read_all("l", Node.text) == ("x",)
    assert fields.read_all("b", Node.text) == ()


def test_json_is_written_compact_or_spaced() -> None:
    assert Node({"b": [1, "é\ud800"], "a": 2}).json() == '{"b":[1,"é\ufffd"],"a":2}'
    assert Node({"b": 1, "a": 2}).json((", ", ": "), sort_keys=True) == '{"a": 2, "b": 1}'


def test_json_that_cannot_be_written_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)

    assert refusal(lambda: Node(endless, "e").json()).startswith(
        "e: expected a JSON value that can be written"
    )
    assert refusal(lambda: Node(float("nan"), "e").json()) == (
        "e: expected a JSON value that can be written, got NaN"
    )


def test_paths() -> None:
    assert join_path("", "a") == "a"
    assert join_path("a", "b") == "a.b"
    assert join_path("a", 3) == "a[3]"
    assert join_path("a", "b c\n") == 'a["b c\\n"]'
    assert join_path("", "$schema") == "$schema"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\nb", '"a\\nb"'),
        ("\u2028\u202e\x7f\x85\ud800", '"\\u2028\\u202e\\u007f\\u0085\\ud800"'),
        ({"a": [1, None, True]}, '{"a":[1,null,true]}'),
        ("x" * 100, '"' + "x" * 58 + "…"),
        ("x" * 58, '"' + "x" * 58 + '"'),
        (["x" * 100], '["' + "x" * 57 + "…"),
        (float("inf"), "Infinity"),
        ({1, 2}, '"{1, 2}"'),
    ],
)
def test_values_are_shown_on_one_line_and_cut(value: object, shown: str) -> None:
    assert show(value) == shown


def test_a_huge_integer_is_shown_without_writing_it_out() -> None:
    """Writing it would raise: Python limits how many digits it converts."""
    assert len(show(10**5000)) <= 60


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON_VALUES)
def test_whatever_is_shown_is_one_short_printable_line(value: object) -> None:
    assert show(value).isprintable()
    assert len(show(value)) <= 60


@given(st.lists(st.text() | st.integers(0, 9)))
def test_whatever_the_keys_a_path_is_one_line(keys: list[str | int]) -> None:
    path = ""
    for key in keys:
        path = join_path(path, key)
    assert path.isprintable()
