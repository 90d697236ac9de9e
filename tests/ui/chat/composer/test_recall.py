"""Going back through the questions of a chat."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.chat.composer.recollection import Recall


def recall_of(*questions: str) -> Recall:
    recall = Recall()
    recall.learn(questions)
    return recall


def test_up_goes_back_and_down_comes_back_to_the_draft():
    recall = recall_of("first", "second")
    assert [recall.older("draft"), recall.older("second"), recall.older("first")] == ["second", "first", None]
    assert [recall.newer(), recall.newer(), recall.newer()] == ["second", "draft", None]


def test_down_without_up_is_nothing():
    assert recall_of("first").newer() is None


def test_without_questions_there_is_nothing_to_recall():
    assert recall_of().older("draft") is None


def test_what_was_changed_is_a_draft_of_its_own():
    recall = recall_of("first", "second")
    browsing = [recall.is_browsing]
    recall.older("draft")
    browsing.append(recall.is_browsing)
    recall.leave()
    browsing.append(recall.is_browsing)
    assert browsing == [False, True, False]
    assert recall.older("second, changed") == "second"
    assert recall.newer() == "second, changed"


def test_the_same_question_twice_in_a_row_is_offered_once():
    recall = recall_of("a", "a", "b", "a")
    assert [recall.older("") for _ in range(4)] == ["a", "b", "a", None]


def test_what_is_asked_now_can_be_recalled_before_it_is_in_the_chat():
    """If sending fails, the words are still there."""
    recall = recall_of("first")
    recall.add("just sent")
    assert recall.older("") == "just sent"


@given(st.lists(st.text(min_size=1, max_size=3)), st.text(max_size=3), st.integers(1, 12))
def test_as_often_down_as_up_is_where_one_began(questions: list[str], draft: str, steps: int):
    recall = recall_of(*questions)
    went = [text for _ in range(steps) if (text := recall.older(draft)) is not None]
    came = [text for _ in range(steps) if (text := recall.newer()) is not None]
    assert came == ([*reversed(went[:-1]), draft] if went else [])
