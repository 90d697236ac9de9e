"""A watched exchange says what it was told, and no more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.domain.watch.exchange import HIDDEN, Exchange, without_keys


def test_a_header_that_was_not_sent_is_empty() -> None:
    exchange = Exchange(1, "openai", "POST", "/v1/chat/completions", 0.0, (("user-agent", "llm/0.27"),))

    assert exchange.header("user-agent") == "llm/0.27"
    assert exchange.header("x-session") == ""


# Keys that stand in a body are not kept; what is said about keys is.


@pytest.mark.parametrize(
    "body",
    [
        {"mcp_servers": [{"type": "url", "url": "https://x", "authorization_token": "s3cret-1"}]},
        {
            "tools": [
                {"type": "mcp", "headers": {"Authorization": "Bearer s3cret-1", "X-API-Key": "s3cret-1"}}
            ]
        },
        {"tools": [{"type": "mcp", "authorization": 's3c"ret-1'}]},
        {"api_key": "s3cret-1", "apiKey": "s3cret-1"},
    ],
)
@pytest.mark.parametrize("spaces", [(", ", ": "), (",", ":"), (",\n", " :  ")])
def test_keys_are_hidden(body: dict[str, Any], spaces: tuple[str, str]):
    found = without_keys(json.dumps(body, separators=spaces).encode())

    assert b"s3c" not in found
    assert HIDDEN in json.dumps(json.loads(found), ensure_ascii=False)


@pytest.mark.parametrize(
    "body",
    [
        {
            "messages": [
                {"role": "user", "content": 'Why is {"api_key": "abc", "authorization": "x"} refused?'}
            ]
        },
        {"tools": [{"input_schema": {"properties": {"api_key": {"type": "string"}, "authorization": True}}}]},
        {"key": "value", "max_tokens": 5},
    ],
)
def test_what_is_no_key_stays_byte_for_byte(body: dict[str, Any]):
    written = json.dumps(body).encode()

    assert without_keys(written) == written


def test_bytes_that_are_no_json_stay():
    assert without_keys(b"\xff\x00{") == b"\xff\x00{"
