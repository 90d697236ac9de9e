"""The arithmetic of cached shares: sums, prices, and what was spared or lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from workbench.context.cache.shares import (
    TurnFigures,
    foretold_figures,
    layout_shares,
    sent_figures,
    share_line,
    together,
    was_sent,
    with_losses_of,
)
from workbench.domain.caching import CacheForecast
from workbench.domain.shown.turn_view import LineName, Saving, TurnRow
from workbench.domain.usage import Price

PRICE = Price("word-1", 10.0, 20.0, "2026-01-01", cached=1.0)
LOCAL = replace(WORD_MODEL, provider="builtin")


def row(number: int = 1, **changes: Any) -> TurnRow:
    given: dict[str, Any] = {"total_tokens": 100, "layout": "append_only", **changes}
    return TurnRow(number, f"q{number}", f"a{number}", "?", "", "word-1", **{"state": "complete", **given})


def test_a_turn_counts_as_reported_and_else_as_predicted():
    told = sent_figures(row(prompt_tokens=200, cached_tokens=50, predicted_tokens=90), WORD_MODEL, None)
    assert (told.tokens, told.read_tokens, told.share) == (200, 50, 0.25)
    silent = sent_figures(row(predicted_tokens=90), WORD_MODEL, None)
    assert (silent.tokens, silent.read_tokens, silent.share) == (100, 90, 0.9)
    assert sent_figures(row(), WORD_MODEL, None).share is None
    assert sent_figures(row(prompt_tokens=10, cached_tokens=50), WORD_MODEL, None).share == 1.0


def test_a_turn_with_tools_is_all_its_requests_where_nobody_reported_them():
    """Its last request alone was compared with the sum of all of them in another layout."""
    own = TurnFigures(1_000, 600)
    silent = sent_figures(row(requests=3, predicted_tokens=90), WORD_MODEL, None, own)
    assert (silent.tokens, silent.read_tokens) == (1_000, 600)
    half = sent_figures(row(requests=3, prompt_tokens=500, predicted_tokens=90), WORD_MODEL, None, own)
    assert (half.tokens, half.read_tokens) == (500, 300)
    told = sent_figures(row(requests=3, prompt_tokens=500, cached_tokens=40), WORD_MODEL, None, own)
    assert (told.tokens, told.read_tokens) == (500, 40)
    single = sent_figures(row(predicted_tokens=90), WORD_MODEL, None, own)
    assert (single.tokens, single.read_tokens) == (100, 90)


def test_prices_are_those_of_the_request_alone_and_nothing_is_paid_for_what_runs_here():
    told = row(prompt_tokens=1_000_000, cached_tokens=500_000, completion_tokens=9_000_000)
    assert sent_figures(told, WORD_MODEL, PRICE).usd == pytest.approx(5.5)
    assert sent_figures(told, LOCAL, PRICE).usd == 0.0
    assert sent_figures(told, WORD_MODEL, None).usd is None
    writing = replace(PRICE, cache_write=12.5)
    expected = CacheForecast("anthropic", 500_000, 500_000)
    assert foretold_figures(1_000_000, expected, WORD_MODEL, writing).usd == pytest.approx(6.75)
    assert foretold_figures(1_000_000, expected, WORD_MODEL, PRICE).usd == pytest.approx(5.5)
    assert foretold_figures(10, None, WORD_MODEL, PRICE) == TurnFigures(10, None, None)


def test_what_nobody_knows_of_one_request_is_not_known_of_its_turn():
    assert together([TurnFigures(10, 5, 0.25), TurnFigures(20, 10, 0.5)]) == TurnFigures(30, 15, 0.75)
    assert together([TurnFigures(10, 5, 0.1), TurnFigures(20, None, None)]) == TurnFigures(30, None, None)


def test_a_request_that_failed_before_an_answer_was_not_read_for_sure():
    assert [was_sent(row(state=state)) for state in ("running", "failed", "complete", "stopped")] == [
        False, False, True, True,
    ]  # fmt: skip
    assert was_sent(row(state="failed", prompt_tokens=5))


def test_a_cache_that_had_lost_our_prefix_had_lost_any_other():
    """A server that was started anew, or had thrown it out, serves no layout what it does not hold."""
    own, other = TurnFigures(100, 80), TurnFigures(1_000_000, 600_000, 4.6)

    def met(read: int | None, by: TurnFigures = own, some: TurnFigures = other) -> TurnFigures:
        return with_losses_of(TurnFigures(100, read), by, some, WORD_MODEL, PRICE)

    assert met(0) == TurnFigures(1_000_000, 0, 10.0)
    assert met(40) == TurnFigures(1_000_000, 300_000, 7.3)
    assert met(80) is other
    assert met(90) is other, "a cache may serve more than the rules say"
    assert met(None) is other
    assert met(0, TurnFigures(100, 0)) is other
    assert met(0, own, TurnFigures(9, None)).read_tokens is None


def test_sums_are_over_the_turns_that_are_known():
    line = share_line("layered", [TurnFigures(100, 50, 0.5), TurnFigures(900, None, None)])
    assert line.shares == (0.5, None)
    assert (line.total_share, line.uncached_tokens, line.usd) == (0.5, 50, 0.5)
    assert share_line("layered", [TurnFigures(9, None)]).total_share is None


def shares(sent: list[TurnFigures], **others: list[TurnFigures]) -> Saving | None:
    names: tuple[LineName, ...] = ("append_only", "layered", "trim_last")
    lines = [(name, others[name]) for name in names if name in others]
    rows = [row(number) for number in range(1, len(sent) + 1)]
    made = layout_shares(rows, [("sent", sent), *lines])
    assert made.turns == tuple(range(1, len(sent) + 1))
    assert made.lines[0].layout == "append_only"
    return made.saving


def test_what_was_spared_is_told_against_layers_and_may_be_a_loss():
    sent, layered = [TurnFigures(100, 80, 0.25)], [TurnFigures(120, 50, 0.75)]
    trimmed = [TurnFigures(100, 0, 1.0)]
    assert shares(sent, layered=layered, trim_last=trimmed) == Saving("layered", 50, 0.5)
    assert shares(layered, layered=sent, trim_last=trimmed) == Saving("layered", -50, -0.5)
    assert shares(sent, append_only=layered, trim_last=trimmed) == Saving("append_only", 50, 0.5)
    assert shares(sent, trim_last=trimmed) is None


def test_nothing_was_spared_where_the_shares_say_the_opposite():
    """With nothing cached as sent and 2 % by layers, 164 tokens were said to be saved: the requests were shorter."""
    sent, layered = [TurnFigures(1_000, 0, 1.0)], [TurnFigures(1_188, 24, 1.2)]
    assert shares(sent, layered=layered) == Saving("layered", 0, None)


def test_another_layout_is_told_in_the_tokens_of_the_provider():
    """It counted a quarter less than we do, and that looked like tokens that were saved."""
    sent, own, other = TurnFigures(750, 0), TurnFigures(1_000, 0), TurnFigures(1_000, 20, 0.5)
    met = with_losses_of(sent, own, other, WORD_MODEL, PRICE)
    assert met == TurnFigures(750, 15, 0.375)
    assert shares([sent], layered=[met]) == Saving("layered", -15, None)
    lucky = with_losses_of(TurnFigures(750, 300), TurnFigures(1_000, 800), other, WORD_MODEL, PRICE)
    assert (lucky.tokens, lucky.read_tokens) == (750, 7), "half of what it was to serve"


def test_dollars_are_left_out_where_a_price_is_missing_or_nothing_is_paid():
    free = [TurnFigures(100, 80, 0.0)]
    assert shares(free, layered=[TurnFigures(120, 50, 0.0)]) == Saving("layered", 50, None)
    unknown = [TurnFigures(100, 80, None)]
    assert shares(unknown, layered=[TurnFigures(120, 50, 0.5)]) == Saving("layered", 50, None)


def test_a_turn_that_is_known_on_one_side_only_is_no_part_of_what_was_spared():
    sent = [TurnFigures(100, 80), TurnFigures(100, None)]
    assert shares(sent, layered=[TurnFigures(100, 50), TurnFigures(100, 0)]) == Saving("layered", 30, None)
    assert shares([TurnFigures(1, None)], layered=[TurnFigures(1, 0)]) is None


figures = st.builds(
    lambda tokens, part: TurnFigures(tokens, None if part is None else int(tokens * part), tokens / 1e6),
    st.integers(0, 10_000),
    st.none() | st.floats(0, 1),
)


@given(st.lists(figures, max_size=30))
def test_shares_are_between_nothing_and_all(some: list[TurnFigures]):
    line = share_line("layered", some)
    assert all(share is None or 0 <= share <= 1 for share in (*line.shares, line.total_share))
    assert line.uncached_tokens >= 0
    assert len(line.shares) == len(some)
