"""Prose in short: headings, then first sentences, then more of every section."""

from __future__ import annotations

import pytest

from tests.fakes.long_texts import long_prose
from workbench.context.shorten.fit import plan_prose

PARTS = "\n".join(
    f"## Part {n}\n\nThe point of part {n}. It has details. And more of them, which nobody needs at first.\n\n"
    f"A second paragraph of part {n} says something else. It goes on.\n"
    for n in range(20)
)


def test_headings_come_first():
    short = plan_prose(PARTS).cut(450)
    assert [line for line in short.split("\n") if line.startswith("##")] == [
        f"## Part {n}" for n in range(20)
    ]


def test_then_the_first_sentence_of_every_section():
    short = plan_prose(PARTS).cut(1_000)
    assert all(f"The point of part {n}." in short for n in range(20))
    assert short.count("And more of them") < 10


def test_then_more_of_every_section_not_all_of_the_first():
    short = plan_prose(PARTS).cut(2_000)
    told = [n for n in range(20) if f"part {n}. It has details. And more" in short]
    assert told
    assert max(told) > 12


def test_the_place_where_something_is_left_out_is_marked():
    short = plan_prose(PARTS).cut(1_000)
    assert "## Part 19\n\nThe point of part 19. […]" in short
    assert short.count("[…]") >= 20


def test_without_headings_the_first_sentence_of_every_paragraph_stays():
    text = "\n\n".join(f"Paragraph {n} begins so. {'It has many more words. ' * 8}" for n in range(40))
    short = plan_prose(text).cut(1_400)
    assert all(f"Paragraph {n} begins so." in short for n in range(40))


def test_a_heading_in_fenced_code_is_none():
    text = f"# One\n\nWords.\n\n```\n# a comment\n```\n\n{'More words here. ' * 100}\n"
    assert [text[start:end] for start, end in plan_prose(text).tiers[0].spans] == ["# One\n"]


@pytest.mark.parametrize("sign", ["。", "！"])
def test_sentences_end_as_they_are_written(sign: str):
    text = "\n".join(
        f"# 章 {n}\n\n第一句{n}{sign}第二句说得很长很长很长很长很长很长很长{sign}\n" for n in range(30)
    )
    short = plan_prose(text).cut(600)
    assert all(f"第一句{n}{sign}" in short for n in range(30))


def test_with_room_for_all_of_it_nothing_is_missing():
    assert plan_prose(PARTS).cut(100_000) == PARTS.strip("\n")


def test_a_long_document_fills_every_length():
    plan = plan_prose(long_prose(5, 900))
    for chars in range(1_000, 30_000, 2_500):
        assert 0.9 * chars <= len(plan.cut(chars)) <= chars
