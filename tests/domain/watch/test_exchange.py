"""A watched exchange says what it was told, and no more."""

from __future__ import annotations

from workbench.domain.watch.exchange import Exchange


def test_a_header_that_was_not_sent_is_empty() -> None:
    exchange = Exchange(1, "openai", "POST", "/v1/chat/completions", 0.0, (("user-agent", "llm/0.27"),))

    assert exchange.header("user-agent") == "llm/0.27"
    assert exchange.header("x-session") == ""
