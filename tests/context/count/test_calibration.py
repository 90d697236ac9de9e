"""Counts that are corrected by what a provider reports."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.catalogue import WORD_MODEL
from tests.fakes.tokenizer import WordTokenizer
from tests.fakes.turns import artifact, assistant, build, segment, user, wire, word_counter
from workbench.context.count.calibration import LEAST_TURNS, CalibratedCounter, learn, rescaled, truncated
from workbench.context.count.measure import token_shares
from workbench.domain.model import Calibration, Truncation, TurnReport
from workbench.domain.settings.context_settings import ContextSettings
from workbench.domain.tool import ToolDefinition

ESTIMATED = replace(WORD_MODEL, exact=False)


def report(counted: int, told: int | None, ratio: float = 1.0) -> TurnReport:
    return TurnReport("m", "x/m", counted, ratio, told)


def calibrated(ratio: float = 1.3, spread: float = 0.04) -> CalibratedCounter:
    return CalibratedCounter(WordTokenizer(), ESTIMATED, Calibration(ratio, spread, 9))


def test_the_ratio_is_the_median_and_the_spread_covers_nine_in_ten():
    told = [report(1_000, 1_100 + n) for n in range(-5, 6)] + [report(1_000, 1_900)]
    found = learn(told)
    assert found is not None
    assert found.ratio == pytest.approx(1.1, abs=0.002)
    assert 0.005 <= found.spread <= 0.01
    assert found.turns == 12


@given(st.lists(st.integers(1_150, 1_250), min_size=3, max_size=32))
def test_nine_in_ten_are_within_the_spread_though_both_are_rounded(told: list[int]):
    found = learn([report(1_000, one) for one in told])
    assert found is not None
    within = [one for one in told if abs(one / 1_000 / found.ratio - 1) <= found.spread + 1e-9]
    assert len(within) >= 0.9 * len(told)
    assert (found.ratio, found.spread) == (round(found.ratio, 3), round(found.spread * 200) / 200)


def test_too_few_reports_teach_nothing_and_odd_ones_never():
    few = [report(1_000, 1_200)] * (LEAST_TURNS - 1)
    odd = [report(1_000, None), report(1_000, 0), report(1_000, -5), report(20, 40), report(1_000, 99_000)]
    assert learn([*few, *odd]) is None
    assert learn([*few, *odd, report(1_000, 1_200)]) == Calibration(1.2, 0.0, 3)


def test_a_count_that_was_corrected_teaches_the_ratio_of_the_bare_one():
    """Otherwise what was learnt would be forgotten as soon as it is used."""
    assert learn([report(1_200, 1_200, 1.2)] * 3) == Calibration(pytest.approx(1.2), pytest.approx(0.0), 3)  # type: ignore[arg-type]


def test_what_a_server_cut_off_teaches_nothing():
    good = [report(n, round(n * 1.1)) for n in (1_000, 2_000, 3_000, 4_000)]
    cut = [report(n, 4_096) for n in (8_000, 9_000, 10_000)]
    found = learn([*good, *cut])
    assert found is not None
    assert found.ratio == pytest.approx(1.1, abs=0.01)
    assert learn(cut) is None, "a limit is no ratio: it is the same for requests of every size"


def test_a_tokenizer_that_needs_far_less_is_learnt_once_it_shows_in_every_size():
    assert learn([report(n, round(n * 0.6)) for n in (1_000, 1_500, 2_500)]) is not None
    assert learn([report(n, round(n * 0.6)) for n in (1_000, 1_010, 1_020)]) is None


def test_a_report_far_below_the_count_is_an_alarm():
    assert truncated(report(9_300, 4_096)) == Truncation(9_300, 4_096)
    assert [truncated(report(*one)) for one in ((9_300, 7_000), (9_300, None), (9_300, 0), (200, 10))] == [
        None
    ] * 4


def test_a_server_that_merely_counts_differently_is_not_accused():
    """It read 1,343 of "about 1,799", which was all of it: our estimate was too high, and nothing had corrected it."""
    assert truncated(report(1_799, 1_343)) is None
    assert truncated(report(1_799, 1_080)) is None
    assert truncated(report(1_799, 1_000)) == Truncation(1_799, 1_000)
    corrected, exact = report(1_799, 1_343, ratio=1.2), replace(report(1_799, 1_343), card="")
    assert truncated(corrected) == truncated(exact) == Truncation(1_799, 1_343)
    # Corrected by prose, a log was counted twice too high: it was read whole.
    assert truncated(report(12_767, 7_122, ratio=2.1)) is None


def test_a_server_that_reports_only_what_was_not_cached_cuts_nothing_off():
    """Ollama did so before November 2024."""
    old = replace(report(9_300, 420), predicted_tokens=8_900)
    assert truncated(old) is None
    assert truncated(replace(old, served_tokens=0)) is not None
    assert truncated(replace(old, prompt_tokens=4_096)) == Truncation(9_300, 4_096)


def test_segments_still_sum_to_the_total():
    counter = calibrated()
    messages = [
        wire("s", "system", "Be brief.\n", segment("lib", "Alpha beta gamma.\n")),
        wire("q", "user", "one two three"),
    ]
    shares = token_shares(messages, counter)
    assert sum(shares) == counter.raw_cost(messages) + counter.reply_cost
    assert counter.total(sum(shares)) == sum(shares)
    assert (counter.exact, counter.spread, counter.additive) == (False, 0.04, True)


def test_everything_is_corrected_alike():
    bare, counter = word_counter(), calibrated(2.0)
    message = wire("q", "user", "one two three four")
    tool = ToolDefinition("read", "read a file")
    assert sum(counter.costs(message)) == 2 * sum(bare.costs(message))
    assert counter.reply_cost == 2 * bare.reply_cost
    assert counter.tool_tokens(tool) == 2 * bare.tool_tokens(tool)
    other = wire("q", "user", "one two five")
    assert counter.common_cost(message, other) == 2 * bare.common_cost(message, other)


@given(
    st.lists(st.lists(st.text("ab \n", max_size=30), min_size=1, max_size=4), min_size=1, max_size=6),
    st.floats(0.25, 4.0),
)
def test_whatever_the_ratio_segments_sum_and_none_is_negative(texts: list[list[str]], ratio: float):
    counter = calibrated(ratio)
    messages = [
        wire(f"m{n}", "user", *(segment(f"{n}.{k}", text) for k, text in enumerate(some)))
        for n, some in enumerate(texts)
    ]
    shares = token_shares(messages, counter)
    assert sum(shares) == counter.raw_cost(messages) + counter.reply_cost
    assert all(share >= 0 for share in shares)
    bare = word_counter().raw_cost(messages)
    pieces = sum(len(some) for some in texts)
    assert abs(counter.raw_cost(messages) - bare * ratio) <= pieces * 0.5 + bare * 1e-4 + 1


@given(st.floats(0.5, 3.0), st.integers(0, 12))
def test_a_whole_request_is_counted_consistently(ratio: float, exchanges: int):
    counter = calibrated(ratio)
    history = [
        one
        for n in range(exchanges)
        for one in (user(f"q{n}", "why so"), assistant(f"a{n}", "because of it"))
    ]
    built = build(
        ContextSettings(model="word-1"), counter, model=ESTIMATED, history=tuple(history),
        attached=(artifact("a.md", "Alpha beta.\n"),), question=user("q", "Well?"),
    )  # fmt: skip
    envelope = built.envelope
    assert envelope.total_tokens == sum(layer.total_tokens for layer in envelope.layers)
    assert envelope.total_tokens == counter.raw_cost(envelope.messages) + counter.reply_cost
    assert not envelope.exact


def test_rows_are_stretched_to_what_the_provider_counted():
    """Estimated at 193,614 and reported as 55,773: the rows sum to that."""
    built = build(
        ContextSettings(model="word-1"), model=ESTIMATED, attached=(artifact("a.md", "Alpha beta.\n"),),
        history=(user("q1"), assistant("a1")), question=user("q", "Well, what now?"),
    )  # fmt: skip
    envelope = built.envelope
    large = replace(
        envelope,
        layers=tuple(replace(one, tokens=tuple(n * 4_401 for n in one.tokens)) for one in envelope.layers),
        total_tokens=envelope.total_tokens * 4_401,
    )
    found = rescaled(large, 55_773)
    assert found.total_tokens == 55_773 == sum(sum(layer.tokens) for layer in found.layers)
    assert [len(layer.tokens) for layer in found.layers] == [len(layer.tokens) for layer in large.layers]
    for told in (0, -5, float("nan"), float("inf"), None):
        assert rescaled(large, told) is large


@given(st.integers(1, 10**7))
def test_stretched_rows_always_sum_and_none_is_negative(told: int):
    envelope = build(
        ContextSettings(model="word-1"), model=ESTIMATED, question=user("q", "one two three")
    ).envelope
    found = rescaled(envelope, told)
    shares = [n for layer in found.layers for n in layer.tokens]
    assert (sum(shares), found.total_tokens) == (told, told)
    assert min(shares) >= 0
