"""Sessions: which ways of telling one are allowed, and what is told."""

from __future__ import annotations

import pytest

from workbench.domain.model import SESSION_FIELDS, session_headers, session_problem, session_value


@pytest.mark.parametrize("way", ["X-Session-ID", "x-litellm-session-id", "Session", *SESSION_FIELDS])
def test_a_header_or_one_of_two_fields(way: str):
    assert session_problem(way) == ""


@pytest.mark.parametrize(
    "way",
    [
        "Authorization", "authorization", "Host", "Cookie", "Set-Cookie", "Content-Length", "content-anything",
        "Accept", "Transfer-Encoding", "Proxy-Authorization", "X-Api-Key", "User-Agent", "X-Forwarded-For",
    ],
)  # fmt: skip
def test_a_header_with_a_meaning_of_its_own_is_none(way: str):
    """It would carry the chat's name in place of a key, or change what the request is."""
    assert "meaning of its own" in session_problem(way)


@pytest.mark.parametrize("way", ["", "a b", "X:Y", "X\r\nHost", "Größe", "x" * 65, "messages[0]"])
def test_what_is_no_header_at_all_is_refused(way: str):
    assert session_problem(way).startswith("expected the name of a header")


def test_the_value_is_the_chat_s_random_id_and_nothing_else():
    assert session_value("9f2c51d07ab3") == "9f2c51d07ab3"
    for odd in ("my diary\r\nx: y", "日記", "x" * 65, ""):
        assert len(session_value(odd)) == 64
        assert session_value(odd).isalnum()


def test_only_a_header_is_one():
    assert session_headers("X-Session-ID", "abc") == {"x-session-id": "abc"}
    assert [session_headers(way, "abc") for way in ("", *SESSION_FIELDS)] == [{}, {}, {}]
