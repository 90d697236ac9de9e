"""Sums of requests by any grouping, the most that one can cost, and words about caps."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.spending import PRICE, spent
from workbench.domain.spending import (
    GROUPINGS,
    Limit,
    Spent,
    dollars,
    grouped,
    left_words,
    most_tokens,
    most_usd,
    reply_limit,
    reread_causes,
    sum_of,
)
from workbench.domain.usage import Usage, cost_of

COUNTS = ("requests", "input_tokens", "cached_tokens", "output_tokens", "reread_tokens", "unpriced_requests")
AMOUNTS = ("usd", "saved_usd", "reread_usd", "predicted_usd", "cached_usd", "output_usd")
MODELS = ("openai:gpt-4o", "anthropic:claude-x", "builtin", "server:http://lab#m")
HERE = timezone(timedelta(hours=-5))


def local(utc: str) -> datetime:
    """New York in winter, whatever the zone of this computer is."""
    return datetime.fromisoformat(utc).astimezone(HERE)


@st.composite
def requests(draw: st.DrawFn) -> Spent:
    when = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=draw(st.integers(0, 900_000)))
    model = draw(st.sampled_from(MODELS))
    made = spent(
        None, when.isoformat().replace("+00:00", "Z"), model, workspace=draw(st.sampled_from(("", "w", "v"))),
        program=draw(st.sampled_from(("workbench", "claude-cli"))), price=PRICE if model == MODELS[0] else None,
    )  # fmt: skip
    prompt = draw(st.integers(0, 200_000))
    usage = Usage(prompt, draw(st.integers(0, prompt)), draw(st.none()), draw(st.integers(0, 9_000)))
    made = made.with_usage(usage, draw(st.sampled_from(("reported", "predicted"))))
    return replace(made, reread_tokens=draw(st.integers(0, 900)), reread_usd=0.001 if made.usd else None)


@given(st.lists(requests(), max_size=40))
def test_the_sums_are_equal_however_they_are_grouped(some: list[Spent]):
    total = sum_of("total", some)
    for by in GROUPINGS:
        rows = grouped(some, by, local)
        assert len({row.key for row in rows}) == len(rows)
        for name in COUNTS:
            assert sum(getattr(row, name) for row in rows) == getattr(total, name)
        for name in AMOUNTS:
            known = [getattr(row, name) for row in rows if getattr(row, name) is not None]
            assert (sum(known) if known else None) == pytest.approx(getattr(total, name) if known else None)


def test_days_weeks_and_months_are_local():
    some = [spent(1.0, "2027-01-01T04:59:59Z"), spent(2.0, "2027-01-01T05:00:00Z")]
    keys = {by: [row.key for row in grouped(some, by, local)] for by in ("day", "week", "month")}
    assert keys == {
        "day": ["2026-12-31", "2027-01-01"],
        "week": ["2026-W53"],
        "month": ["2026-12", "2027-01"],
    }


def test_an_unknown_price_is_unknown_and_never_nothing():
    unknown = sum_of("x", [spent(None, model="openai:new")])
    assert (unknown.usd, unknown.saved_usd, unknown.unpriced_requests) == (None, None, 1)
    some = sum_of("x", [spent(None, model="openai:new"), spent(0.5)])
    assert (some.usd, some.unpriced_requests) == (0.5, 1)
    here = sum_of("x", [spent(0.0, model="gguf:/m.gguf")])
    assert (here.usd, here.unpriced_requests, here.local) == (0.0, 0, True)


def test_a_price_is_tokens_times_the_list():
    usage = Usage(1_000_000, 400_000, None, 100_000)
    one = spent(price=PRICE).with_usage(usage, "reported")
    cost = cost_of(usage, PRICE)
    assert cost is not None
    assert one.usd == cost.usd == pytest.approx(0.6 * 2.5 + 0.4 * 1.25 + 0.1 * 10)
    assert one.saved_usd == pytest.approx(0.4 * 1.25)
    assert one.cached_usd == pytest.approx(0.5)
    assert one.output_usd == pytest.approx(1.0)


def test_a_record_without_a_price_gets_the_one_that_is_known_now_and_keeps_what_was_paid():
    old = spent(0.5, input_tokens=1_000_000, cached_tokens=400_000)
    assert old.saved_usd is None
    assert old.priced(PRICE).usd == 0.5
    assert old.priced(PRICE).saved_usd == pytest.approx(0.5)
    assert spent(None, input_tokens=1_000_000).priced(PRICE).usd == pytest.approx(2.5)
    assert spent(None).priced(None).usd is None


def test_the_most_is_the_whole_request_uncached_and_the_longest_answer():
    card = replace(WORD_MODEL, provider="anthropic", context_window_tokens=10_000, max_output_tokens=4_000)
    dear = replace(PRICE, cache_write=5.0)
    assert most_usd(card, dear, 1_000, 2_000) == pytest.approx((1_000 * 5 + 2_000 * 10) / 1e6)
    assert most_usd(card, None, 1_000, 2_000) is None
    assert most_usd(replace(card, provider="builtin"), None, 1_000, 2_000) == 0.0
    assert (most_tokens(1_000, exact=True), most_tokens(1_000, exact=False)) == (1_000, 1_250)
    assert [reply_limit(card, asked, 7_000) for asked in (500, 9_000, None)] == [500, 3_000, 3_000]


def test_amounts_are_in_cents_and_what_is_left_is_never_rounded_up():
    assert [dollars(usd) for usd in (0, 0.004, 0.125, 3.1, 1234.5)] == [
        "$0.00", "$0.0040", "$0.12", "$3.10", "$1,234.50",
    ]  # fmt: skip
    day = Limit("day", 5.0)
    assert left_words(day, 4.871) == "$0.12 of $5.00 left today"
    assert left_words(replace(day, cap="month"), 4.999999) == "$0.00 of $5.00 left this month"
    assert left_words(replace(day, cap="chat"), 7.0) == "$0.00 of $5.00 left in this chat"


def test_what_was_read_again_is_told_by_cause_the_dearest_first():
    some = [
        spent(reread_tokens=10, reread_usd=0.1, cause="cold"),
        spent(reread_tokens=30, reread_usd=0.2, cause="tools"),
        spent(reread_tokens=5, reread_usd=0.3, cause="cold"),
        spent(),
    ]
    found = [(one.cause, one.times, one.tokens, one.usd) for one in reread_causes(some)]
    assert found == [("cold", 2, 15, pytest.approx(0.4)), ("tools", 1, 30, 0.2)]
