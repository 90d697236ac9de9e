"""Entries become preferences one by one: a wrong one is named and has its default, the others hold."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from workbench.domain.reading.node import JsonPath
from workbench.domain.request import Timeouts
from workbench.domain.settings.app_preferences import Preferences
from workbench.settings.form import check_form, mistake_in, position_of, read_form, unknown_names, write_form
from workbench.settings.key_like import dotted


def read(entries: dict[str, Any]) -> tuple[Preferences, dict[str, str]]:
    """The preferences, and what was said about them."""
    told: dict[str, str] = {}

    def complain(place: JsonPath, words: str) -> None:
        told[dotted(place)] = words

    return read_form(entries, complain), told


def test_without_entries_the_defaults_hold():
    assert read({}) == (Preferences(), {})
    assert read(write_form(Preferences())) == (Preferences(), {})


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"model": 1}, "model"),
        ({"model": ""}, "model"),
        ({"max_tool_rounds": -1}, "max_tool_rounds"),
        ({"max_tool_rounds": True}, "max_tool_rounds"),
        ({"max_tool_rounds": "8"}, "max_tool_rounds"),
        ({"redaction": "loud"}, "redaction"),
        ({"timeouts": {"connect_s": 0, "idle_s": 9}}, "timeouts.connect_s"),
        ({"timeouts": {"first_token_s": float("inf"), "idle_s": 9}}, "timeouts.first_token_s"),
        ({"timeouts": {"first_token_s": float("nan"), "idle_s": 9}}, "timeouts.first_token_s"),
        ({"timeouts": 5}, "timeouts"),
        ({"tools_enabled": "all"}, "tools_enabled"),
        ({"tools_enabled": ["read", 5]}, "tools_enabled.1"),
        ({"servers": {"x": 1}}, "servers.x"),
        ({"sessions": {"x": "Authorization"}}, "sessions.x"),
        ({"sessions": {"x": "no header"}}, "sessions.x"),
        ({"context": {"when": date(2026, 1, 1)}}, "context.when"),
        ({"context": []}, "context"),
    ],
)
def test_a_wrong_entry_is_named_and_the_others_hold(wrong: dict[str, Any], place: str):
    found, told = read({"workspace": "/here", **wrong})
    assert list(told) == [place]
    assert found.workspace == "/here"
    assert (found.model, found.max_tool_rounds, found.redaction) == ("builtin", 8, "warn")
    assert found.timeouts in (Timeouts(), Timeouts(idle_s=9))
    assert (found.tools_enabled, found.context) == ((), {})


def test_a_complaint_does_not_quote_what_was_written():
    _, told = read(
        {"redaction": "xanthocanary", "max_tool_rounds": "xanthocanary", "servers": {"a": ["xanthocanary"]}}
    )
    assert len(told) == 3
    assert "xanthocanary" not in str(told)


def test_what_is_none_is_written_as_false_and_read_back():
    context = {
        "history": {"threshold": None, "max_tokens": None},
        "include_system": False,
        "context_window": None,
    }
    written = write_form(Preferences(context=context))
    assert written["context"]["history"] == {"threshold": False, "max_tokens": False}
    assert read(written)[0].context == context


def test_everything_that_could_not_be_read_back_is_said():
    told: list[str] = []
    wrong = write_form(Preferences(model="", max_tool_rounds=1000, timeouts=Timeouts(connect_s=-1)))
    check_form(wrong, lambda place, words: told.append(dotted(place)))
    assert told == ["model", "max_tool_rounds", "timeouts.connect_s"]
    assert wrong["model"] == ""


def test_names_that_are_no_setting_are_known_and_what_was_probably_meant():
    wrong = {"modle": 1, "model": 2, "zzz": 3, "timeouts": {"idle": 1, "idle_s": 2}, "context": {"zzz": 1}}
    assert list(unknown_names(wrong)) == [
        (("modle",), '; did you mean "model"?'),
        (("zzz",), ""),
        (("timeouts", "idle"), '; did you mean "timeouts.idle_s"?'),
    ]
    assert list(unknown_names({"timeouts": 1})) == []


def test_what_is_no_json_is_taken_out_alone():
    """The entry beside it in the same table holds."""
    found, told = read({"context": {"history": {"threshold": date(2026, 1, 1), "headroom": 0.5}}})
    assert list(told) == ["context.history.threshold"]
    assert found.context == {"history": {"headroom": 0.5}}


def test_half_a_character_is_written_as_the_sign_for_it():
    """A text field may hold one; a file in UTF-8 cannot, and saving must not fail for it."""
    written = write_form(Preferences(workspace="a\ud800", context={"user_memory": "\ud800"}))
    assert (written["workspace"], written["context"]) == ("a\ufffd", {"user_memory": "\ufffd"})


# Where something stands in a TOML text.


TEXT = '''\
# model = 1
model = "a"   # [servers]
note = """
[timeouts]
idle_s = 5
"""
list = [
  "x = 1", # }
  2,
]
[timeouts]
  idle_s = 5
context.model = "b"
"connect_s"='[x'
[models."a:b"]
tools = true
[[extra]]
key = 1
[servers]
lab = { url = "x" }
'''


@pytest.mark.parametrize(
    ("place", "position"),
    [
        (("model",), (2, 1)),
        (("list", 1), (7, 1)),
        (("timeouts",), (11, 2)),
        (("timeouts", "idle_s"), (12, 3)),
        (("timeouts", "context", "model"), (13, 1)),
        (("timeouts", "connect_s"), (14, 1)),
        (("models", "a:b", "tools"), (16, 1)),
        (("extra", 0, "key"), (18, 1)),
        (("servers", "lab", "url"), (20, 1)),
        (("absent",), None),
    ],
)
def test_an_entry_is_found_where_it_is_written(place: JsonPath, position: tuple[int, int] | None):
    assert position_of(place, TEXT) == position
    assert position_of(place, TEXT.replace("\n", "\r\n")) == position


@pytest.mark.parametrize(
    ("content", "position"),
    [
        (b'model = "a"\n', None),
        (b"model = \n", (1, 9)),
        (b'model = "a"\nx y\n', (2, 3)),
        (b"a = [1,\n", (2, 1)),
        ("ü = 1\n".encode(), (1, 1)),
        ("# ü\nü\xff".encode("latin-1"), (1, 3)),
    ],
)
def test_a_mistake_is_found_where_it_is(content: bytes, position: tuple[int, int] | None):
    assert mistake_in(content) == position
