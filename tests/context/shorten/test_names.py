"""What is surely a name, and what is none."""

from __future__ import annotations

import re

import pytest

from workbench.context.shorten.facts import Names


def names(text: str, *known: str) -> list[str]:
    words = list(re.finditer(r"[^\W\d_]+", text))
    return list(Names(text, words, 0, frozenset(known)).found())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("we asked Mara and Tom Lind", ["Mara", "Tom", "Lind"]),
        ("Mara said so. Nobody said so. It said so.", ["Mara"]),
        ("the API is OK, I think", ["API"]),
        ("# Mara In A Heading\nand nothing else", []),
        ("Start here. Then: Go on. (See below.)", []),
        ("Mara came; then Mara left", ["Mara", "Mara"]),
    ],
)
def test_a_name_is_capitalised_where_nothing_else_asks_for_it(text: str, found: list[str]):
    assert names(text) == found


def test_a_name_that_is_known_is_one_at_the_start_too():
    assert names("Mara. And so on.", "Mara") == ["Mara"]


def test_where_every_noun_is_capitalised_only_neighbours_are_names():
    text = "der Hund lief mit Anna Schmidt durch den Park und die Stadt zu dem Tor an der Wand"
    assert names(text) == ["Anna", "Schmidt"]


def test_latin_words_in_other_letters_are_names():
    text = "我今天用 numpy 做事情\nand here are none"
    words = list(re.finditer(r"[a-z]+", text))
    assert list(Names(text, words, 0, frozenset()).found()) == ["numpy"]
