"""What a step costs, in words."""

from __future__ import annotations

import pytest

from workbench.domain.shown.envelope_view import PriceTag
from workbench.ui.price_words import price_line, price_lines, short_price

DEAR = PriceTag(784, 3_210, 14_820, 0.005, 0.0001, warm_s=220)


@pytest.mark.parametrize(
    ("tag", "words", "tone"),
    [
        (DEAR, "+784 tokens, re-reads 3,210 of 14,820 cached, +$0.0050", "warn"),
        (
            PriceTag(784, 3_210, 14_820, 0.0, 0.0, local=True),
            "+784 tokens, re-reads 3,210 of 14,820 cached",
            "warn",
        ),
        (PriceTag(0, 0, 14_820, 0.0, 0.0), "re-reads nothing", "ok"),
        (PriceTag(-40, 0, 14_820, -0.001, -0.0001), "−40 tokens, re-reads nothing", "ok"),
        (PriceTag(0, 0, 0, 0.0, 0.0, cold=True), "free now: the cache is cold", "ok"),
        (PriceTag(9, 0, 0, 0.001, 0.0), "+9 tokens, free now: nothing is cached, +$0.0010", "ok"),
        (PriceTag(9), "+9 tokens", "neutral"),
        (PriceTag(), "changes nothing in the next request", "neutral"),
        (PriceTag(900, 0, 10, fits=False), "the request would not fit any more", "err"),
    ],
)
def test_a_price_in_a_line(qapp: object, tag: PriceTag, words: str, tone: str):
    said = price_line(tag)
    assert (said.words, said.tone) == (words, tone)


def test_a_price_in_columns(qapp: object):
    lines = price_lines(DEAR)
    assert lines == ("+$0.0050 now", "+784 tokens, re-reads 3,210", "then +$0.0001 per turn",
                     "free in 3:40, when cold", "warn")  # fmt: skip
    assert price_lines(PriceTag(784, 3_210, 14_820)).cold == "free when cold"


def test_on_this_computer_there_are_no_dollars(qapp: object):
    lines = price_lines(PriceTag(784, 3_210, 14_820, 0.0, 0.0, local=True))
    assert "$" not in "".join(lines)
    assert (lines.now, lines.read) == ("re-reads 3,210 of 14,820 cached", "+784 tokens")


def test_a_button_says_its_price_in_short(qapp: object):
    assert short_price(DEAR) == "+$0.0050"
    assert short_price(PriceTag(784, 3_210, 14_820, 0.0, 0.0, local=True)) == "re-reads 3,210"
    assert short_price(PriceTag(5, 0, 0)) == "free now"
    assert short_price(PriceTag(0, 0, 9)) == ""


def test_what_is_free_or_not_known_is_said(qapp: object):
    free = price_lines(PriceTag(5, 0, 0, 0.0, 0.0, cold=True))
    assert (free.now, free.cold, free.tone) == ("free now", "free now: the cache is cold", "ok")
    assert price_lines(PriceTag(5)).cold == "cache unknown"
    assert price_lines(PriceTag()).now == "same token count"
    assert price_lines(PriceTag(5, 0, 9))[:2] == ("re-reads nothing", "+5 tokens")
    assert price_lines(PriceTag(5, 0, 9, 0.001)).read == "+5 tokens, re-reads nothing"
    assert price_lines(PriceTag(5, 0, 9, fits=False)).tone == "err"
