"""What a chat is called after its first question."""

from __future__ import annotations

import pytest

from workbench.engine.chats.changes import title_from


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What is new?", "What is new?"),
        ("\n  \n  Indented\nsecond line", "Indented"),
        ("", ""),
        (" \n ", ""),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("word " * 20, "word " * 10 + "word…"),
        ("a " + "x" * 80, "a " + "x" * 57 + "…"),
    ],
)
def test_a_title_is_the_beginning_of_the_question(question: str, title: str):
    assert title_from(question) == title
    assert len(title) <= 60
