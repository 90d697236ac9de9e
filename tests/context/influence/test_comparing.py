from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.influence.weighing import kept_share


@given(st.text(max_size=40))
def test_the_same_answer_keeps_everything(text: str):
    assert kept_share(text, text) == 1.0


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_share_is_one(first: str, second: str):
    assert 0.0 <= kept_share(first, second) <= 1.0


def test_a_number_that_is_another_weighs_more_than_its_word():
    first = "The pilot paid 95 euros for the bicycle."
    same = kept_share(first, "The pilot paid 95 euros for it.")
    other = kept_share(first, "The pilot paid 59 euros for the bicycle.")
    assert 0.4 < other < same < 1.0
    assert kept_share(first, "I do not know.") == pytest.approx(0.0, abs=0.1)


def test_an_answer_without_facts_is_compared_by_its_words():
    assert kept_share("yes it is", "yes indeed") == pytest.approx(1 / 3)
    assert kept_share("", "anything") == 1.0
