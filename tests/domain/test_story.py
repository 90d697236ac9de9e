"""A story is plain values."""

from __future__ import annotations

from workbench.domain.trajectory import Story, StoryTurn


def test_a_story_may_be_without_a_question_that_waits():
    assert Story("Title", (StoryTurn("Q", "A"),)).draft == ""
