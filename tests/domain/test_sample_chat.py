"""The sample chat is plain values."""

from __future__ import annotations

from workbench.domain.sample_chat import SampleChat, SampleTurn


def test_a_sample_may_be_without_a_question_that_waits():
    assert SampleChat("Title", (SampleTurn("Q", "A"),)).draft == ""
