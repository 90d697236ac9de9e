"""Misspelt names of settings that say where a request goes, and what is taken out of it."""

from __future__ import annotations

import pytest

from workbench.settings.settings_file import GUARDED, misplaced, near_guarded, near_inside


@pytest.mark.parametrize("name", GUARDED)
def test_one_wrong_letter_is_near(name: str):
    for at in range(len(name)):
        assert near_guarded(name[:at] + name[at + 1 :]) == name
        assert near_guarded(f"{name[:at]}x{name[at + 1 :]}") == name
    assert near_guarded(name.upper()) == name


@pytest.mark.parametrize("name", ["proxy", "https_proxy", "base_url", "openai-endpoint", "gateway_address"])
def test_what_reads_like_such_a_setting_is_near(name: str):
    assert near_guarded(name)


@pytest.mark.parametrize("name", ["colour", "modle", "font_size", "persona2", "lock", "shortcut", "x"])
def test_other_names_are_not(name: str):
    assert near_guarded(name) == ""


def test_names_inside_an_unknown_table_count_and_servers_may_be_called_as_one_likes():
    entries = {
        "net": {"deep": {"proxi": 1}, "odd": 2},
        "servers": {"proxy": "a", "server": "b", "openai": "c"},
    }
    assert list(near_inside(("net",), entries)) == [(("net", "deep", "proxi"), "proxy")]
    assert list(misplaced(entries)) == []
    assert list(misplaced({"servers": {"redaction": "off"}, "shortcuts": {"opanai_url": "x"}})) == [
        (("servers", "redaction"), "redaction"),
        (("shortcuts", "opanai_url"), "openai_url"),
    ]
