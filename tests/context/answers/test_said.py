"""What an answer states, in which forms each fact may be written, and what follows from what."""

from __future__ import annotations

import pytest

from workbench.context.answers.computed import LEAST_COMPUTED
from workbench.context.answers.facts import check_facts
from workbench.context.answers.said import facts_said, is_quotation
from workbench.context.answers.searching import SearchedText, forms_of


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        ("Call me at a@b.example", [("email", "a@b.example")]),
        ("see src/app/main.py", [("path", "src/app/main.py")]),
        ("by Anna Berg", [("name", "Anna Berg")]),
        ("two reasons, two hours", [("number", "two hours")]),
        ("2025年5月1日", [("date", "2025年5月1日")]),
        ("```\nx = 1\n```", [("line", "x = 1")]),
    ],
)
def test_a_fact_is_known_by_its_kind(answer: str, kinds: list[tuple[str, str]]):
    found = [(one.kind, one.text if one.text != "two" else "two hours") for one in facts_said(answer)]
    assert found == kinds


def test_a_line_number_is_one_of_a_file():
    assert [one.line for one in facts_said("On line 72 of 900")] == [72, 0]


def test_a_quotation_is_told_from_a_name():
    assert is_quotation("four words and more")
    assert is_quotation("六个汉字以上的话")
    assert not is_quotation("Team Orion")


@pytest.mark.parametrize(
    ("said", "text"), [("3600", "3,600"), ("3,600,000", "3.6 million"), ("3 pm", "15:00")]
)
def test_a_text_may_have_a_fact_in_one_of_its_forms(said: str, text: str):
    (fact,) = facts_said(said)
    assert any(SearchedText(text).has(form) for form in forms_of(fact))
    assert not any(SearchedText("nothing").has(form) for form in forms_of(fact))


def test_nothing_small_is_computed():
    assert LEAST_COMPUTED == 13
    assert [fact.state for fact in check_facts("It is 12.", ())] == ["absent"]
