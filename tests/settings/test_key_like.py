"""What looks like a key is found by its name or by itself, and words of people are not taken for one."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.settings.key_like import cut, dotted, key_like

KEYS = (
    "sk-proj-4f9A8Bx0", "sk-ant-api03-abcDEF0", "sk-xanthocanary-1", "gsk_9aBcdefghi", "hf_a1b2c3d4e5",
    "xai-0123456789", "AIzaSyA1234567", "AKIA0123456789ABCDEF", "ghp_0123456789ab", "eyJhbGciOi1.e30.x",
    "Bearer abcdefgh", "see sk-proj-4f9A8Bx0 for it", "https://me:pass@host/v1", "https://token@host",
)  # fmt: skip
WORDS = (
    "", "builtin", "openai:gpt-4o", "sk-learn-pipelines", "task-1234567890", "You are terse.", "/home/me/.ssh/id_1",
    "https://models.example:8443/v1", "http://127.0.0.1:8080", "eyJ", "me@example.org", "disk-0123456789",
)  # fmt: skip


@pytest.mark.parametrize("value", KEYS)
def test_a_key_is_known_by_itself(value: str):
    assert list(key_like({"model": value})) == [("model",)]
    assert list(key_like({"a": {"b": ["x", {"c": value}]}})) == [("a", "b", 1, "c")]
    assert list(key_like({value: True})) == [(value,)]


@pytest.mark.parametrize("value", WORDS)
def test_words_are_not_taken_for_a_key(value: str):
    assert list(key_like({"model": value, "context": {"system_prompt": value, "tools": [value]}})) == []


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "apikey",
        "API-KEY",
        "openai.token",
        "key",
        "openai_api_keys",
        "password",
        "Authorization",
        "secret",
    ],
)
def test_a_key_is_known_by_its_name(name: str):
    assert list(key_like({name: "anything at all"})) == [(name,)]
    assert list(key_like({name: ["anything"]})) == [(name, 0)]


@pytest.mark.parametrize(
    "entries",
    [
        {"max_tokens": 5, "first_token_s": 3.0, "api_key": ""},
        {"servers": {"token": "https://token.example/v1"}},
        {"tokenizer": "o200k", "keyboard": "x", "monkey": "x", "author": "x"},
        {"tools": [{"name": "login", "schema": {"properties": {"password": {"type": "string"}}}}]},
    ],
)
def test_numbers_addresses_and_other_words_are_settings(entries: dict[str, Any]):
    assert list(key_like(entries)) == []


def test_an_entry_is_taken_out_and_a_list_as_a_whole():
    entries = {"a": {"key": "x", "b": 1}, "c": [1, {"key": "x"}]}
    for place in list(key_like(entries)):
        cut(entries, place)
    assert entries == {"a": {"b": 1}}


def test_a_place_names_no_key_and_acts_on_no_terminal():
    assert dotted(("a", 1, "sk-xanthocanary-1", "\x1b[2J")) == "a.1.….'\\x1b[2J'"
