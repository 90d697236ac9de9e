"""Words as search sees them, queries as people type them, and snippets whose marks are right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.search_words import Term, fold, letters_in, make_snippet, parse_query, words_of


def marked(text: str, query: str) -> list[str]:
    snippet, marks = make_snippet(text, parse_query(query))
    return [snippet[start:end] for start, end in marks]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("One two_three", ["one", "two", "three"]),
        ("Crème BRÛLÉE", ["creme", "brulee"]),
        ("Straße", ["strasse"]),
        ("日本語 text", ["日", "本", "語", "text"]),
        ("한글", ["한", "글"]),
        ("x86-64, 3.14", ["x86", "64", "3", "14"]),
        ("", []),
        ("\ud800 ok", ["ok"]),
        ("\u037a \u3099", []),
    ],
)
def test_words_are_folded(text: str, words: list[str]):
    found = words_of(text)
    assert [len(one) > 0 for one in found] == [True] * len(words)
    assert [fold(one) for one in words] == found


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("plain words", (Term(("plain",)), Term(("words",)))),
        ('"a phrase" x', (Term(("a", "phrase")), Term(("x",)))),
        ('"not closed', (Term(("not", "closed")),)),
        ("begin*", (Term(("begin",), prefix=True),)),
        ("-not", (Term(("not",), unwanted=True),)),
        ('-"not this"', (Term(("not", "this"), unwanted=True),)),
        ("well-known", (Term(("well", "known")),)),
        ("a OR b NEAR(c)", (Term(("a",)), Term(("or",)), Term(("b",)), Term(("near", "c")))),
        ("- * \" '", ()),
        ("", ()),
    ],
)
def test_a_query_is_what_a_person_means(query: str, terms: tuple[Term, ...]):
    assert parse_query(query) == terms


def test_marks_are_where_the_words_are():
    assert marked("The Crème brûlée of Paris", "creme paris") == ["Crème", "Paris"]
    assert marked("begin beginning began", "begin*") == ["begin", "beginning"]
    assert marked("one two", "one -two") == ["one"]
    assert marked("日本語の本", "日本") == ["日", "本"]


def test_of_a_phrase_only_the_phrase_is_marked():
    """Otherwise the snippet opens at some "new" pages before the "new york" that was found."""
    text = "new things. " + "filler " * 60 + "in New York today"
    assert marked(text, '"new york"') == ["New", "York"]
    assert "York" in make_snippet(text, parse_query('"new york"'))[0]
    assert marked("well known, well-knowing", "well-know*") == ["well", "known", "well", "knowing"]


def test_a_snippet_is_one_short_line():
    snippet, marks = make_snippet("a\tb\nneedle\u2028" + "x " * 500, parse_query("needle"))
    assert len(snippet) <= 160
    assert snippet.startswith("a b needle x")
    assert marks == ((4, 10),)


def test_without_a_match_the_beginning_is_shown():
    assert make_snippet("nothing here", parse_query("other")) == ("nothing here", ())


@given(st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=())))
def test_any_text_and_any_query_give_marks_inside_the_snippet(text: str, query: str):
    terms = parse_query(query)
    snippet, marks = make_snippet(text, terms)
    begun = {word for term in terms for word in term.words}
    for start, end in marks:
        assert 0 <= start < end <= len(snippet)
        assert fold(snippet[start:end]).startswith(tuple(begun))


# Letters that are found in a text in their order.


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
