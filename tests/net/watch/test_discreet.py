"""Keys are in no header that is kept, and in no path."""

from __future__ import annotations

import pytest

from workbench.net.watch.proxy import kept_address, kept_headers, kept_path


def test_who_asked_is_kept_and_nothing_that_opens_a_door():
    sent = [
        (b"User-Agent", b"claude-cli/2.1"),
        (b"Authorization", b"Bearer sk-1"),
        (b"x-api-key", b"sk-2"),
        (b"Cookie", b"a=sk-3"),
        (b"x-goog-api-key", b"sk-4"),
        (b"api-key", b"sk-5"),
        (b"X-Whatever-Token", b"sk-6"),
        (b"X-Claude-Code-Session-Id", b"s"),
        (b"anthropic-beta", b"b" * 5000),
    ]
    kept = dict(kept_headers(sent))
    assert list(kept) == ["user-agent", "x-claude-code-session-id", "anthropic-beta"]
    assert "sk-" not in str(kept)
    assert len(kept["anthropic-beta"]) == 1000


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/v1/messages?beta=true", "/v1/messages?beta=true"),
        (
            "/v1beta/models/m:generateContent?key=sk-1&alt=sse",
            "/v1beta/models/m:generateContent?key=…&alt=sse",
        ),
        ("/x?sk-1", "/x?…"),
        ("/x?a=1&&ACCESS_TOKEN=sk-1", "/x?a=…&…&ACCESS_TOKEN=…"),
        ("/x?", "/x?"),
        ("/x", "/x"),
    ],
)
def test_parameters(path: str, kept: str):
    assert kept_path(path) == kept


def test_an_address_is_kept_without_who_may_ask_there():
    assert kept_address("https://me:sk-1@gate.example:8443/v1?key=sk-2") == "https://gate.example:8443/v1"
