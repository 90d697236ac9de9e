"""Figures as a person reads them."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QLocale

from workbench.ui.formatting import (
    about_seconds,
    clock,
    counted,
    day,
    moment,
    percent,
    seconds,
    share,
    short_tokens,
    signed_tokens,
    signed_usd,
    size,
    token_words,
    tokens,
    tokens_of,
    usd,
)

NOW = "2026-11-12T15:00:00Z"


@pytest.fixture(autouse=True)
def in_english(qapp):
    """As in Britain."""


@pytest.fixture
def in_german(qapp):
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("n", "text"), [(0, "0"), (842, "842"), (11_686, "11,686"), (1_047_576, "1,047,576")]
)
def test_counts_have_their_thousands_apart(n: int, text: str):
    assert tokens(n) == text


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0"),
        (842, "842"),
        (999, "999"),
        (1000, "1k"),
        (4314, "4.3k"),
        (11_686, "11.7k"),
        (16_000, "16k"),
        (30_486, "30.5k"),
        (999_949, "999.9k"),
        (999_950, "1M"),
        (1_047_576, "1.05M"),
        (-1234, "-1.2k"),
    ],
)
def test_short_counts_fit_into_the_strip(n: int, text: str):
    assert short_tokens(n) == text


@pytest.mark.parametrize(("n", "text"), [(14_486, "+14,486"), (-55, "−55"), (0, "0")])
def test_a_difference_has_its_sign(n: int, text: str):
    assert signed_tokens(n) == text


@pytest.mark.parametrize(("x", "text"), [(0.0, "0 %"), (0.3599, "36 %"), (1.0, "100 %"), (1.558, "156 %")])
def test_shares_are_whole_percents(x: float, text: str):
    assert percent(x) == text


def test_shares_in_a_column_have_one_place():
    assert [share(x) for x in (0.382, 0.0006, 1.175)] == ["38.2", "0.1", "117.5"]


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0, "$0"),
        (0.0041, "$0.0041"),
        (0.00413, "$0.0041"),
        (0.00001, "< $0.0001"),
        (0.25, "$0.250"),
        (12.5, "$12.50"),
        (1234.5, "$1,234.50"),
        (-0.0002, "−$0.0002"),
    ],
)
def test_prices_are_as_exact_as_they_are_small(x: float, text: str):
    assert usd(x) == text


def test_a_forecast_says_that_it_is_one():
    assert usd(0.0041, about=True) == "≈ $0.004"
    assert usd(0.0004, about=True) == "≈ $0.0004"
    assert usd(0, about=True) == "$0"


@pytest.mark.parametrize(("x", "text"), [(0.0008, "+$0.0008"), (-0.0002, "−$0.0002"), (0, "$0")])
def test_a_difference_in_price_has_its_sign(x: float, text: str):
    assert signed_usd(x) == text


@pytest.mark.parametrize(
    ("ms", "text"), [(0, "0.0 s"), (400, "0.4 s"), (13_420, "13.4 s"), (125_000, "2 min 5 s")]
)
def test_durations_are_in_seconds(ms: float, text: str):
    assert seconds(ms) == text


def test_what_is_only_expected_has_no_decimals():
    assert [about_seconds(n) for n in (0.2, 52.9, 99.4, 130.0)] == ["1 s", "53 s", "99 s", "2 min"]


def test_files_have_sizes():
    assert [size(n) for n in (820, 1_800_000)] == ["820 bytes", "1.8 MB"]


def test_the_time_of_day():
    assert clock("2026-11-12T14:06:31Z") == "14:06"


@pytest.mark.parametrize("broken", ["", "yesterday"])
def test_no_time_is_nothing_and_not_an_error(broken: str):
    assert clock(broken) == ""
    assert day(broken, NOW) == ""


@pytest.mark.parametrize(
    ("utc", "text"),
    [
        ("2026-11-12T00:00:01Z", "today"),
        ("2026-11-11T23:59:59Z", "yesterday"),
        ("2026-11-06T12:00:00Z", "Friday"),
        ("2026-11-05T12:00:00Z", "5 November"),
        ("2025-03-03T12:00:00Z", "3 March 2025"),
    ],
)
def test_a_day_is_named_from_where_one_stands(utc: str, text: str):
    assert day(utc, NOW) == text


def test_a_moment_has_its_day_and_year_whenever_it_is_read():
    assert re.fullmatch("Monday,? 3 March 2025 14:06", moment("2025-03-03T14:06:00Z"))
    assert moment("soon") == ""


def test_separators_are_the_languages_own(in_german):
    assert tokens(11_686) == "11.686"
    assert short_tokens(11_686) == "11,7k"
    assert usd(0.0041) == "$0,0041"
    assert day("2025-11-02T12:00:00Z", NOW) == "2. November 2025"


def test_of_something_shortened_both_figures_are_said():
    assert tokens_of(420, 20_545) == "420 of 20,545"
    assert (tokens_of(420, None), tokens_of(420, 420)) == ("420", "420")


def test_one_is_not_told_as_several():
    assert token_words(1) == "1 token"
    assert token_words(0) == "0 tokens"
    assert token_words(11_686) == "11,686 tokens"
    assert counted(1, "1 file of {name}", "{n} files of {name}") == "1 file of {name}"
    assert counted(1_204, "1 file of {name}", "{n} files of {name}") == "1,204 files of {name}"
