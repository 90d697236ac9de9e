"""Letters that are found in a text in their order."""

from __future__ import annotations

import pytest

from workbench.domain.search_words import letters_in


@pytest.mark.parametrize(
    ("typed", "text", "places"),
    [
        ("auth", "auth.py", (0, 1, 2, 3)),
        ("AU", "the auth", (4, 5)),
        ("sa", "src/auth.py", (0, 4)),
        ("", "a", ()),
    ],
)
def test_letters_are_found_where_they_stand(typed: str, text: str, places: tuple[int, ...]):
    found = letters_in(typed, text)
    assert found is not None
    assert found[1] == places


def test_a_beginning_is_better_than_a_word_and_a_word_than_letters_in_it():
    scores = [letters_in("ref", text) for text in ("refresh", "token refresh", "preferences")]
    known = [found[0] for found in scores if found is not None]
    assert known == sorted(known, reverse=True)
    assert len(set(known)) == 3


def test_strewn_letters_are_none():
    assert letters_in("zq", "a lazy quick fox") is not None
    assert letters_in("uickx", "a quiet and lucky fox") is None
    assert letters_in("xyz", "abc") is None
