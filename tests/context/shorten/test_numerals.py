"""Numbers in words: what they say, in which language, and what is none."""

from __future__ import annotations

import pytest

from workbench.context.shorten.numerals import language_of, numerals, zeros_of


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("we have twenty-one servers and two hundred and five racks", [21, 205]),
        ("three thousand five hundred; two, three", [3_500, 2, 3]),
        ("twenty two-person teams", [20, 2]),
        ("a hundred, five million, seventeen", [100, 5_000_000, 17]),
        ("zwei Hunde und einundzwanzig Katzen", [2, 21]),
        ("quatre-vingt-dix-sept et soixante et onze et soixante-dix-huit", [97, 71, 78]),
        ("los treinta y uno y tres mil millones", [31, 3_000_000_000]),
        (
            "三万五千元, 二〇二四年, 十五号, 一百零五, 两亿三千万, 五年",
            [35_000, 2024, 15, 105, 230_000_000, 5],
        ),
        ("万一 十分 一起 第三", []),
        ("once upon a time they seize the elf for one cent, one of them", []),
    ],
)
def test_words_that_are_surely_numbers_have_their_value(text: str, values: list[int]):
    assert [one.value for one in numerals(text, language_of(text)) if one.sure] == values


def test_an_article_may_stand_for_one_but_must_not():
    assert [(one.value, one.sure) for one in numerals("eine Woche", "de")] == [(1, False)]
    assert list(numerals("a week", "en")) == []


def test_letters_that_grow_when_they_are_made_small_move_nothing():
    assert [(one.text, one.end) for one in numerals("İİİ Twenty", "en")] == [("Twenty", 10)]


def test_a_word_counts_in_its_own_language():
    assert [one.value for one in numerals("once", "es")] == [11]
    assert list(numerals("once", "en")) == []
    assert (zeros_of("billion", "en"), zeros_of("Billion", "de"), zeros_of("Milliarden", "de")) == (9, 12, 9)
