"""What is asked, in the dialect the server understands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.answers import question
from workbench.domain.tool import ToolDefinition
from workbench.providers.openai.body import Dialect, dialect_of, is_openai, request_body
from workbench.providers.wire.endpoint import Endpoint

OPENAI = Endpoint("https://api.openai.com/v1", "gpt")
OTHER = Endpoint("http://127.0.0.1:8080/v1", "m", local=True)
FULL = replace(question(), max_output_tokens=50, tools=(ToolDefinition("look"),))


def test_only_what_was_set_is_sent():
    assert request_body(question("Why?"), OTHER, dialect_of(OTHER)) == {
        "model": "m",
        "messages": [{"role": "user", "content": "Why?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_openai_is_asked_in_its_own_dialect():
    body = request_body(FULL, OPENAI, dialect_of(OPENAI))
    assert (body["max_completion_tokens"], body["prompt_cache_key"]) == (50, "chat-1")
    assert "max_tokens" not in body


def test_other_servers_are_sent_no_field_they_may_not_know():
    """Mistral and Groq refuse a whole request for one field too many."""
    body = request_body(FULL, OTHER, dialect_of(OTHER))
    assert body["max_tokens"] == 50
    assert body.keys() & {"max_completion_tokens", "prompt_cache_key"} == set()


def test_a_cache_key_can_be_asked_for_anywhere():
    asked = replace(FULL, parameters={"prompt_cache_key": "mine"})
    assert request_body(asked, OTHER, dialect_of(OTHER))["prompt_cache_key"] == "mine"


def test_a_session_s_field_is_sent_where_it_was_asked_for_and_kept_after_a_refusal():
    """Who chose it must hear that the server refuses it: without it the chat would lose its replica silently."""
    keyed, user = (replace(OTHER, session=way) for way in ("prompt_cache_key", "user"))
    assert request_body(FULL, keyed, dialect_of(keyed))["prompt_cache_key"] == "chat-1"
    assert request_body(FULL, user, dialect_of(user))["user"] == "chat-1"
    assert dialect_of(keyed).after_refusal('unknown field "prompt_cache_key"') is None


def test_a_long_chat_id_fits_into_the_cache_key():
    body = request_body(replace(FULL, conversation="x" * 100), OPENAI, dialect_of(OPENAI))
    assert len(body["prompt_cache_key"]) == 64


def test_parameters_are_passed_on_but_cannot_change_what_is_asked():
    parameters = {
        "temperature": 0,
        "stop": ["x"],
        "seed": None,
        "stream": False,
        "n": 4,
        "messages": [],
        "max_tokens": 1,
    }
    body = request_body(replace(question("Why?"), parameters=parameters), OTHER, dialect_of(OTHER))
    assert (body["temperature"], body["stop"], body["stream"]) == (0, ["x"], True)
    assert len(body["messages"]) == 1
    assert body.keys() & {"seed", "n", "max_tokens"} == set()


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("api.openai.com", True),
        ("eu.api.openai.com", True),
        ("api.openai.com.evil.example", False),
        ("xapi.openai.com", False),
    ],
)
def test_openais_own_hosts_are_known(host: str, own: bool):
    assert is_openai(Endpoint(f"https://{host}/v1", "m")) is own


@pytest.mark.parametrize(
    ("dialect", "words", "then"),
    [
        (Dialect(), "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options')}]", Dialect(usage=False)),
        (Dialect(cache_key=True), 'unknown field "prompt_cache_key"', Dialect()),
        (Dialect(), "Extra inputs: reasoning_content", Dialect(thoughts=False)),
        (
            Dialect(),
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.",
            Dialect("max_completion_tokens"),
        ),
        (Dialect("max_completion_tokens"), "Unrecognized field max_completion_tokens", Dialect("max_tokens")),
        (Dialect(), "max_tokens is too large: 99999", None),
        (Dialect(usage=False), "stream_options", None),
        (Dialect(), "temperature must be below 2", None),
        (Dialect(), "", None),
    ],
)
def test_a_refusal_of_a_field_that_was_our_choice_says_how_to_ask_instead(
    dialect: Dialect, words: str, then: Dialect | None
):
    assert dialect.after_refusal(words) == then
