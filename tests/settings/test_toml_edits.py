"""Only what changed is written anew, and what is written is what was meant, however the text was laid out."""

from __future__ import annotations

from typing import Any

import pytest
import tomlkit

from workbench.settings.settings_file import apply, edited, take_out_keys

SCATTERED = """\
# first
a = 1  # one

[t.inner]
x = 1  # in the inner one

[u]
y = 2  # untouched

[t]
z = 3  # in the outer one
"""


def plain(text: str) -> Any:
    return tomlkit.parse(text).unwrap()


def test_without_a_difference_not_a_byte_changes():
    for text in ("", SCATTERED, "a.b = 1\r\n# end", 'x = { y = "z" } # inline\n'):
        assert edited(text, plain(text), plain(text)) == text


def test_only_what_differs_changes():
    old = plain(SCATTERED)
    new = {**old, "a": 5, "u": {"y": 2, "w": [1, {"deep": True}]}}
    result = edited(SCATTERED, old, new)
    assert plain(result) == new
    for kept in (
        "# first",
        "a = 5  # one",
        "x = 1  # in the inner one",
        "y = 2  # untouched",
        "z = 3  # in the outer",
    ):
        assert kept in result


def test_what_neither_side_names_stays():
    assert plain(edited("mine = 1\na = 1\n", {"a": 1}, {"b": 2})) == {"mine": 1, "b": 2}


@pytest.mark.parametrize(
    "new",
    [
        {"a": 1, "u": {"y": 2}, "t": {}},
        {"a": 1, "u": {"y": 2}, "t": {"inner": {}}},
        {"a": 1, "u": {"y": 2}, "t": {"z": 4, "inner": {"x": 9, "more": {"n": 1}}}},
        {"t": 7},
        {},
    ],
)
def test_tables_written_in_several_places_are_not_lost(new: dict[str, Any]):
    """The library fails on some of these, or writes something else than it was told."""
    result = edited(SCATTERED, plain(SCATTERED), new)
    assert plain(result) == new
    if "u" in new:
        assert "y = 2  # untouched" in result


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("a.b.c = 1\na.d = 2\n[e]\nf = 1\n", {"a": {}}),
        ("[a]\nb.c = 1\nb.d = 2\n[a.e]\nf = 1\n", {"a": {"b": {"c": {"n": 1}}}}),
        ("[[a.b]]\nc = 1\n[a.d]\ne = 1\n", {"a": {}}),
    ],
)
def test_what_the_library_writes_is_not_taken_on_trust(text: str, new: dict[str, Any]):
    """Here it writes something else than it was told, without a word."""
    assert plain(edited(text, plain(text), new)) == new


def test_dotted_and_inline_tables_can_be_changed():
    assert plain(edited("a.b = 1\na.c = 2\n", {"a": {"b": 1, "c": 2}}, {"a": {"b": 3}})) == {"a": {"b": 3}}
    assert plain(edited("a = { b = 1, c = 2 }\n", {"a": {"b": 1, "c": 2}}, {"a": {"c": 3}})) == {
        "a": {"c": 3}
    }


def test_a_list_of_tables_can_be_replaced():
    text = "[[m]]\nn = 1\n\n[[m]]\nn = 2\n"
    assert plain(edited(text, plain(text), {"m": [{"n": 3}]})) == {"m": [{"n": 3}]}


def test_keys_are_taken_out_wherever_they_stand():
    text = 'ok = 1\napi_key = "x"\n[a.b]\ntoken = "x"\nfine = 2\n[[c]]\npassword = "x"\n'
    assert plain(edited(text, {}, {})) == {"ok": 1, "a": {"b": {"fine": 2}}}
    entries = plain(text)
    take_out_keys(entries)
    assert entries == {"ok": 1, "a": {"b": {"fine": 2}}}


def test_changes_to_plain_entries():
    entries: dict[str, Any] = {"a": 1, "t": {"x": 1, "mine": 2}}
    apply(entries, {"a": 1, "t": {"x": 1}}, {"t": {"y": 3}, "b": {"c": 4}})
    assert entries == {"t": {"mine": 2, "y": 3}, "b": {"c": 4}}
