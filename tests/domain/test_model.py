"""A model card is a value: it compares by content and cannot be changed in place."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from tests.fakes.catalogue import WORD_MODEL
from workbench.domain.model import (
    SESSION_FIELDS,
    Calibration,
    ModelCard,
    ModelFacts,
    ModelLearnt,
    ModelListing,
    Truncation,
    TurnReport,
    session_headers,
    session_problem,
    session_value,
    with_declared,
)

CARD = ModelCard(
    name="gpt-4o",
    provider="openai",
    context_window_tokens=128_000,
    max_output_tokens=16_384,
    tokenizer="o200k_base",
    exact=True,
    message_tokens=3,
    reply_tokens=3,
    cache_rules="openai",
    as_of="2026-11-15",
)


def test_equal_facts_are_equal_cards():
    assert replace(CARD) == CARD
    assert hash(replace(CARD)) == hash(CARD)
    assert replace(CARD, exact=False) != CARD


def test_a_card_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        CARD.context_window_tokens = 1  # type: ignore[misc]


def test_what_a_person_says_stays_whatever_a_server_says_later():
    assumed = replace(CARD, window_assumed=True)
    said = ModelFacts(context_window=8192).on(assumed)
    assert (said.context_window_tokens, said.window_assumed, said.declared) == (
        8192,
        False,
        ("context_window_tokens",),
    )
    refined = with_declared(replace(assumed, context_window_tokens=4096, images=False), said)
    assert (refined.context_window_tokens, refined.images, refined.window_assumed) == (8192, False, False)
    assert ModelFacts().on(assumed) is assumed
    assert ModelFacts(tools=False).on(assumed).window_assumed


def test_a_cache_for_an_hour_has_rules_of_its_own_where_there_is_one():
    hour = ModelFacts(cache_lifetime="1h")
    card = hour.on(replace(CARD, cache_rules="anthropic"))
    assert (card.cache_rules, card.declared) == ("anthropic-1h", ("cache_rules",))
    assert with_declared(replace(CARD, cache_rules="anthropic"), card).cache_rules == "anthropic-1h"
    assert hour.on(replace(CARD, cache_rules="openai")).cache_rules == "openai"
    assert (
        ModelFacts(cache_lifetime="5m").on(replace(CARD, cache_rules="anthropic")).cache_rules == "anthropic"
    )


def test_a_chat_chooses_the_lifetime_of_its_cache_over_what_is_declared():
    short, hour = (replace(CARD, cache_rules=rules) for rules in ("anthropic", "anthropic-1h"))
    assert short.lasting("1h").cache_rules == hour.lasting("1h").cache_rules == "anthropic-1h"
    assert short.lasting("5m").cache_rules == hour.lasting("5m").cache_rules == "anthropic"
    assert (short.lasting(None), hour.lasting(None)) == (short, hour)
    assert replace(CARD, cache_rules="openai").lasting("1h").cache_rules == "openai"
    assert replace(short, declared=("tools",)).lasting("1h").declared == ("tools", "cache_rules")
    assert short.lasting("1h") is short.lasting("1h")


# Models as they are offered.


def test_a_usable_model_needs_no_advice():
    assert ModelListing("word-1", WORD_MODEL, usable=True).advice == ""


# Sessions: which ways of telling one are allowed, and what is told.


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


# What is learnt of a model.


def test_nothing_is_learnt_at_first():
    assert ModelLearnt() == ModelLearnt(0, 0, None)
    assert Calibration().ratio == TurnReport("m").ratio == 1.0
    assert Truncation(9, 4).read_tokens == 4
