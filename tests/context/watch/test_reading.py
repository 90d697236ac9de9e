"""An exchange: what it was for, who sent it, what it held; nothing in it makes the reader fail."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.passing import PATHS, answered, messages, passed, said
from workbench.context.watch.reading import (
    Sender,
    body_of,
    counted_tokens,
    purpose_of,
    read_answer,
    read_request,
    sender_of,
)
from workbench.domain.watch.exchange import Exchange, WatchedFormat

FORMATS: tuple[WatchedFormat, ...] = ("openai", "responses", "anthropic", "ollama", "gemini")


def purpose(exchange: Exchange) -> str:
    return purpose_of(exchange, body_of(exchange))


@pytest.mark.parametrize(
    ("name", "path", "body", "expected"),
    [
        ("anthropic", "/v1/messages?beta=true", messages(said("user", "Why?")), "turn"),
        ("anthropic", "/v1/messages/count_tokens?beta=true", {}, "count"),
        ("anthropic", "/v1/messages/batches", {}, "other"),
        ("anthropic", "/v1/messages", messages(said("user", "quota"), max_tokens=1), "other"),
        ("openai", "/v1/chat/completions", {}, "turn"),
        ("openai", "/v1/embeddings", {}, "other"),
        ("responses", "/v1/responses", {}, "turn"),
        ("responses", "/v1/responses/input_tokens", {}, "count"),
        ("responses", "/v1/responses/resp_1/cancel", {}, "other"),
        ("ollama", "/api/chat", {"messages": [{"role": "user", "content": "Why?"}]}, "turn"),
        ("ollama", "/api/generate", {"prompt": "", "keep_alive": 0}, "other"),
        ("ollama", "/api/show", {}, "other"),
        ("gemini", "/v1beta/models/g:generateContent?key=…", {}, "turn"),
        ("gemini", "/v1beta/models/g:countTokens", {}, "count"),
    ],
)
def test_what_a_request_is_for(name: WatchedFormat, path: str, body: dict[str, Any], expected: str):
    assert purpose(passed(1, name, body, path=path)) == expected
    assert purpose(passed(1, name, body, path=path, method="GET")) == "other"


def test_what_nobody_could_look_at_is_a_turn_and_said():
    unread = passed(1, "anthropic", b"", unread="encoding")

    assert purpose(unread) == "turn"
    assert read_request(unread, body_of(unread)).odd == (
        "The request's encoding is unknown, so it was passed on unread.",
    )
    garbled = passed(1, "anthropic", b"{")
    assert read_request(garbled, body_of(garbled)).odd == (
        "The request is not JSON, so it was passed on unread.",
    )


def test_what_is_not_a_piece_is_a_parameter():
    exchange = passed(1, "anthropic", messages(said("user", "Why?"), thinking={"type": "adaptive"}))
    found = read_request(exchange, body_of(exchange))

    assert found.model == "claude-opus-4-8"
    assert found.parameters == (
        ("max_tokens", "1000"),
        ("stream", "true"),
        ("thinking", '{"type":"adaptive"}'),
    )


def test_the_address_may_name_the_model():
    exchange = passed(1, "gemini", {"contents": []})

    assert read_request(exchange, body_of(exchange)).model == "gemini-2.5-pro"


@pytest.mark.parametrize(
    ("about", "error"),
    [
        ({"status": 529, "answer": b'{"error": {"message": "Overloaded"}}'}, "Overloaded"),
        ({"status": 502, "answer": b"<html>Bad gateway</html>"}, "<html>Bad gateway</html>"),
        ({"status": 200, "answer": b"<html>Sign in</html>"}, "The answer could not be read."),
        ({"status": None, "ending": "unreachable"}, "workbench watch: The server could not be reached."),
        ({"status": None, "ending": "client_left"}, "The client left before an answer came."),
        ({"status": None, "ending": "cut"}, "The connection ended before an answer came."),
        ({"status": 204}, ""),
        ({"answer": answered()}, ""),
    ],
)
def test_an_answer_that_is_none_says_why(about: dict[str, Any], error: str):
    answer = about.pop("answer", b"")
    assert read_answer(passed(1, "anthropic", {}, answer, **about)).error == error


def test_a_count_is_read():
    assert counted_tokens(passed(1, "anthropic", {}, b'{"input_tokens": 12}')) == 12
    assert counted_tokens(passed(1, "gemini", {}, b'{"totalTokens": 13}')) == 13
    assert counted_tokens(passed(1, "anthropic", {}, b"no")) is None


CODEX = json.dumps({"thread_id": "t2", "parent_thread_id": "t1", "session_id": "s"})


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        (
            (("user-agent", "claude-cli/2.1 (external, cli)"), ("x-claude-code-session-id", "s")),
            {},
            Sender("claude-cli/2.1", "s"),
        ),
        (
            (("x-claude-code-session-id", "s"), ("x-claude-code-agent-id", "a")),
            {},
            Sender("", "s", "a"),
        ),
        ((("x-codex-turn-metadata", CODEX),), {}, Sender("", "t2", "", "t1")),
        ((("x-codex-turn-metadata", "{cut"), ("session-id", "s")), {}, Sender("", "s")),
        ((("x-session-affinity", "s2"), ("x-parent-session-id", "s1")), {}, Sender("", "s2", "", "s1")),
        ((), {"prompt_cache_key": "k"}, Sender("", "k")),
        ((), {}, Sender()),
    ],
)
def test_who_sent_it(headers: tuple[tuple[str, str], ...], body: dict[str, Any], expected: Sender):
    assert sender_of(passed(1, "responses", body, headers=headers), body) == expected


FIELDS = st.sampled_from(
    ["messages", "content", "role", "type", "text", "tools", "input", "contents", "parts", "system", "choices",
     "delta", "message", "tool_calls", "function", "index", "usage", "image_url", "source", "output", "summary",
     "content_block", "response", "item", "functionCall", "error"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(FORMATS), st.dictionaries(FIELDS, JSON, max_size=5))
def test_nothing_in_a_request_or_an_answer_makes_the_reader_fail(name: WatchedFormat, body: dict[str, Any]):
    stream = b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in (body, {"type": "x", **body}))
    for answer in (json.dumps(body).encode(), stream):
        exchange = passed(1, name, body, answer, path=PATHS[name])
        read_request(exchange, body_of(exchange))
        read_answer(exchange)


@pytest.mark.parametrize("depth", [500, 900, 960, 100_000])
def test_nesting_does_not_make_it_fail(depth: int):
    """JSON of a few hundred levels is read by the parser, and may be too deep for whoever looks at it."""
    nested = b"[" * depth + b"]" * depth
    request = b'{"messages": [{"role": "user", "content": [' + nested + b']}], "x": ' + nested + b"}"
    answer = b'{"type": "message", "content": [{"type": "tool_use", "input": {"a": ' + nested + b"}}]}"
    exchange = passed(1, "anthropic", request, answer)

    assert read_request(exchange, body_of(exchange)).format == "anthropic"
    read_answer(exchange)
