"""What providers say about errors, and how much of it is shown."""

from __future__ import annotations

import json

import pytest

from workbench.domain.secrets import Secret
from workbench.providers.harness.failures import SHOWN_CHARS, ProviderWords, said_by, said_in, shown
from workbench.providers.wire.redaction import Redactor

KEY = "canary-7f3a9c51e0b2d846aa0917"
nothing = Redactor()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"error": {"message": "OpenAI", "type": "x"}}, "OpenAI"),
        ({"error": "Ollama"}, "Ollama"),
        ({"object": "error", "message": "vLLM", "code": 400}, "vLLM"),
        ({"detail": "FastAPI"}, "FastAPI"),
        ({"detail": [{"msg": "first", "loc": ["body"]}, {"msg": "second"}]}, "first second"),
        ([{"error": {"message": "Google"}}], "Google"),
        ({"error": {"message": "OpenRouter", "metadata": {"raw": "inner"}}}, "OpenRouter inner"),
        ({"status": "ok"}, ""),
        ({}, ""),
        (7, ""),
    ],
)
def test_the_sentence_is_found_wherever_it_stands(body: object, text: str):
    assert said_in(json.dumps(body).encode()).text == text


def test_a_body_that_is_no_json_is_its_own_sentence():
    assert said_in(b"Bad \xff gateway") == ProviderWords("Bad \ufffd gateway")


def test_labels_status_and_numbers_are_kept():
    error = {"message": "m", "code": 529, "type": "Overloaded_Error", "n_ctx": 8, "ok": True}
    assert said_by({"error": error}) == ProviderWords(
        "m", frozenset({"overloaded_error"}), 529, {"code": 529, "n_ctx": 8}
    )


def test_a_deep_error_ends():
    deep: object = "end"
    for _ in range(500):
        deep = {"error": deep}
    assert said_by(deep).text == ""


def test_only_a_little_is_shown_on_one_line():
    assert shown("a\n\n  b\tc", nothing) == "a b c"
    assert shown("x" * 500, nothing) == "x" * (SHOWN_CHARS - 1) + "…"


def test_what_is_invisible_is_written_out():
    assert shown("a\u202eb\u200bc\x1b[31m\x00", nothing) == "a\\u202eb\\u200bc\\u001b[31m\\u0000"


@pytest.mark.parametrize("echo", [KEY, "\u200b".join(KEY), f"\x1b{KEY}\u202e", "x" * 190 + KEY])
def test_a_key_is_never_shown_whatever_is_put_between_its_characters(echo: str):
    line = shown(f"You sent {echo}.", Redactor([Secret.of_text(KEY)]))
    assert "canary" not in line
    assert "7f3a9c" not in line
