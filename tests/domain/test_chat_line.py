"""How a hidden chat is told from those that a list shows."""

from __future__ import annotations

import pytest

from workbench.domain.chat_line import TEMPLATE, title_from
from workbench.domain.workspace import is_template, template_of


def test_what_chats_are_made_like_is_told_by_its_id():
    assert template_of("w").startswith(TEMPLATE)
    assert is_template(template_of("w"))
    assert not is_template("w")


# What a chat is called after its first question.


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What is new?", "What is new?"),
        ("\n  \n  Indented\nsecond line", "Indented"),
        ("", ""),
        (" \n ", ""),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("word " * 20, "word " * 11 + "word…"),
        ("a " + "x" * 80, "a " + "x" * 57 + "…"),
        ("漢" * 80, "漢" * 59 + "…"),
        ("word " * 11 + "words end", "word " * 10 + "word…"),
        ("word " * 11 + "end more", "word " * 11 + "end…"),
        ("# Why **is** `x` so [slow](https://a.example)?", "Why is x so slow?"),
        ("> - *First*, the <b>bold</b> one", "First, the bold one"),
        ("1. What is new?", "What is new?"),
        ("---\n## Head\ntext", "Head"),
        ("```python\nprint(1)\n```\nWhat does this print?", "What does this print?"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("![a cat](cat.png) Who is it?", "a cat Who is it?"),
        ("What is 2*3*4 in __init__ of List<String>?", "What is 2*3*4 in __init__ of List<String>?"),
        ("a < b and c > d", "a < b and c > d"),
        ("- [ ] Buy milk", "Buy milk"),
        ("***", "***"),
        ("#hashtag and C# and -5", "#hashtag and C# and -5"),
    ],
)
def test_a_title_is_the_beginning_of_the_question(question: str, title: str):
    assert title_from(question) == title
    assert len(title) <= 60
