"""What caches will serve of watched requests, by each kind of rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.context.watch.foreseeing import Held, Sent, asked_lifetime_s
from workbench.context.watch.pieces import Pieces, Place
from workbench.context.watch.prefix import beginnings
from workbench.domain.caching import CacheRules
from workbench.domain.watch.exchange import WatchedFormat
from workbench.domain.watch.request import WatchedPiece, WatchedRequest

PREFIX = CacheRules("p", "prefix", "", "", minimum_tokens=100, step_tokens=10, lifetime_s=300)
SLOT = CacheRules("s", "prefix", "", "", keeps_answers=True, newest_only=True, rereads=True)
UNITS = CacheRules("u", "units", "", "", keeps_answers=True)
MARKS = CacheRules("m", "breakpoints", "", "", minimum_tokens=100, lifetime_s=300, lookback=3)
NEWEST = CacheRules("n", "breakpoints", "", "", marks_newest=True)


def sent(words: str, at: float = 0.0, marks: str = "", tokens: int = 105) -> Sent:
    """A request of one-letter messages, each of so many tokens; a letter in `marks` ends with a mark."""
    into = Pieces()
    for n, letter in enumerate(words):
        into.add(Place(f"m[{n}]", "user", n), "question", letter, mark="5m" if letter in marks else "")
    pieces = tuple(replace(one, tokens=tokens) for one in into.all())
    request = WatchedRequest("anthropic", "m", pieces)
    return Sent("p", pieces, beginnings(request, "p"), at)


def said(letter: str) -> tuple[WatchedPiece, ...]:
    into = Pieces()
    into.add(Place("a", "user", 0), "answer", letter)
    return into.as_answer()


def read(rules: CacheRules, then: list[Sent], now: Sent, answer: str = "") -> tuple[int, str | None]:
    held = Held()
    for one in then:
        held.take(rules, one, said(answer) if answer else ())
    found = held.foresee(rules, now).forecast
    assert found.predicted_read_tokens + found.predicted_write_tokens + found.fresh_tokens == now.total_tokens
    return found.predicted_read_tokens, found.limit


@pytest.mark.parametrize(
    ("rules", "then", "now", "expected"),
    [
        (PREFIX, [], sent("ab"), (0, None)),
        (PREFIX, [sent("ab")], sent("abc"), (210, None)),
        (PREFIX, [sent("ab")], sent("axc"), (100, None)),
        (PREFIX, [sent("ab", tokens=20)], sent("abc", tokens=20), (0, "below_minimum")),
        (PREFIX, [sent("ab")], sent("abc", 301), (0, "cold")),
        (PREFIX, [sent("ab"), sent("ab", 200)], sent("abc", 400), (210, None)),
        (SLOT, [sent("ab")], sent("ab"), (209, None)),
        (SLOT, [sent("ab"), sent("xy")], sent("abc"), (0, None)),
        (UNITS, [sent("ab")], sent("abc"), (210, None)),
        (UNITS, [sent("ab")], sent("axc"), (0, None)),
        (MARKS, [sent("abc", marks="ac")], sent("abcd", marks="ad"), (315, None)),
        (MARKS, [sent("abc", marks="ac")], sent("abxd", marks="ad"), (105, None)),
        (MARKS, [sent("abc")], sent("abcd", marks="d"), (0, None)),
        (MARKS, [sent("abc", marks="c")], sent("abcdefg", marks="g"), (0, "lookback_exceeded")),
        (MARKS, [sent("abc", marks="c")], sent("abcd", 301, marks="d"), (0, "cold")),
        (NEWEST, [sent("abc")], sent("abcd"), (315, None)),
    ],
)
def test_what_is_read(rules: CacheRules, then: list[Sent], now: Sent, expected: tuple[int, str | None]):
    assert read(rules, then, now) == expected


def test_an_answer_is_held_where_the_rules_say_so():
    assert read(SLOT, [sent("ab")], sent("abcd"), "c") == (315, None)
    assert read(UNITS, [sent("ab")], sent("abcd"), "c") == (315, None)
    assert read(PREFIX, [sent("ab")], sent("abcd"), "c") == (210, None)


def test_a_text_that_changed_within_is_served_up_to_there():
    held = Held()
    held.take(PREFIX, sent("ab"), ())

    assert held.foresee(PREFIX, replace(sent("ax"), partly_tokens=50)).forecast.predicted_read_tokens == 150


def test_a_mark_for_an_hour_outlives_five_minutes():
    held, one = Held(), sent("abc", marks="c")
    hours = replace(
        one, pieces=tuple(replace(piece, mark="1h" if piece.mark else "") for piece in one.pieces)
    )
    held.take(MARKS, hours, ())

    assert held.foresee(MARKS, sent("abcd", 3000, marks="d")).forecast.predicted_read_tokens == 315
    assert held.foresee(MARKS, sent("abcd", 4000, marks="d")).unexpired_tokens == 315


@pytest.mark.parametrize(
    ("name", "parameters", "seconds"),
    [
        ("openai", (("prompt_cache_retention", '"24h"'),), 86_400),
        ("openai", (), None),
        ("ollama", (("keep_alive", '"10m"'),), 600),
        ("ollama", (("keep_alive", "30"),), 30),
        ("ollama", (("keep_alive", "-1"),), 315_360_000),
        ("ollama", (("keep_alive", "0"),), 1),
        ("ollama", (("keep_alive", '"soon"'),), None),
    ],
)
def test_a_request_may_say_for_how_long(
    name: WatchedFormat, parameters: tuple[tuple[str, str], ...], seconds: int | None
):
    assert asked_lifetime_s(WatchedRequest(name, "m", (), parameters)) == seconds
