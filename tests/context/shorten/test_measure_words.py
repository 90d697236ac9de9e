"""Months, days and units mean the same in every language that is known."""

from __future__ import annotations

from workbench.context.shorten.numerals import CALENDAR, MONTHS, UNITS


def test_a_month_is_the_same_in_full_in_short_and_in_other_languages():
    assert {MONTHS[name] for name in ("december", "dec", "dezember", "décembre", "diciembre")} == {12}


def test_a_month_that_is_another_word_too_is_none_by_itself():
    assert "may" in MONTHS
    assert "may" not in CALENDAR
    assert CALENDAR["montag"] == CALENDAR["monday"] == "wd:1"


def test_a_unit_is_known_by_all_its_names():
    assert {UNITS[name] for name in ("s", "seconds", "sekunden", "segundos")} == {"s"}
