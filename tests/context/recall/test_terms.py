"""A text becomes words that can be compared, in whatever language it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.context.recall import irregular, stop_words
from workbench.context.recall.porter import english_stem, french_stem, german_stem, spanish_stem
from workbench.context.recall.terms import counted, language_of, stems_of, terms, words_of


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        *(("caresses", "caress"), ("ponies", "poni"), ("agreed", "agre"), ("plastered", "plaster")),
        *(("motoring", "motor"), ("conflated", "conflat"), ("hopping", "hop"), ("filing", "file")),
        *(("happy", "happi"), ("sky", "sky"), ("relational", "relat"), ("vietnamization", "vietnam")),
        *(
            ("triplicate", "triplic"),
            ("hopefulness", "hope"),
            ("adjustment", "adjust"),
            ("adoption", "adopt"),
        ),
        *(("probate", "probat"), ("rate", "rate"), ("controll", "control"), ("roll", "roll"), ("a1b", "a1b")),
    ],
)
def test_the_examples_of_porters_paper(word, stem):
    assert english_stem(word) == stem


@pytest.mark.parametrize(
    ("stemmer", "forms"),
    [
        (german_stem, ("haus", "hauser", "hausern")),
        (german_stem, ("kaufen", "kaufte", "gekauft", "kauf")),
        (german_stem, ("einladung", "eingeladen", "einladen")),
        (german_stem, ("ging", "gegangen", "gehe")),
        (french_stem, ("gateau", "gateaux")),
        (french_stem, ("allergie", "allergies", "allergique")),
        (french_stem, ("demenage", "demenager", "demenagement")),
        (spanish_stem, ("recomendar", "recomendo", "recomendado", "recomendacion")),
        (spanish_stem, ("dijo", "dicho", "decir")),
    ],
)
def test_forms_of_one_word_have_one_stem(stemmer, forms):
    assert len(set(map(stemmer, forms))) == 1, {form: stemmer(form) for form in forms}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("went", "go"), ("mother", "mom"), ("Café", "cafes"), ("Straße", "STRASSE"), ("e-mail", "email")),
        *(("Anna's", "Anna"), ("l’école", "ecole"), ("1,200", "1200"), ("O'Brien", "brien")),
    ],
)
def test_written_otherwise_but_the_same(one, other):
    assert {term.stems[0] for term in terms(one, "en")} & {term.stems[0] for term in terms(other, "en")}


@pytest.mark.parametrize(
    ("chunk", "words"),
    [
        ("getUserName", ("getusername", "get", "user", "name")),
        ("ERR_42", ("err_42", "err", "42")),
        ("notes/plan-b.md", ("notes/plan-b.md", "notes", "plan", "md")),
        ("3.11.4", ("3.11.4", "3", "11", "4")),
        ("won't", ()),
    ],
)
def test_names_in_code_count_as_wholes_and_by_their_parts(chunk, words):
    assert words_of(chunk) == words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What did she say about the house?", "en"),
        ("Was hat sie über das Haus gesagt?", "de"),
        ("Qu'est-ce qu'elle a dit de la maison ?", "fr"),
        ("¿Qué dijo ella de la casa?", "es"),
        ("Hamburg 42", None),
    ],
)
def test_common_words_vote_for_the_language(text, language):
    assert language_of(text) == language


def test_a_word_that_two_languages_have_is_of_the_usual_one():
    assert (language_of("die Hamburg", "de"), language_of("die Hamburg", "en")) == ("de", "en")


def test_chinese_is_compared_by_characters_and_pairs_without_those_that_only_ask():
    assert [term.word for term in terms("上海在哪里")] == ["上", "上海", "海", "海在", "在哪"]


def test_a_foreign_text_is_found_by_its_own_stems_and_by_english_ones():
    assert stems_of("hauser", "de") == (german_stem("hauser"), english_stem("hauser")) == ("haus", "hauser")


def test_no_base_is_another_form():
    """A chain of bases would bring two forms of one word to different stems."""
    for forms in (irregular.ENGLISH, irregular.GERMAN, irregular.FRENCH, irregular.SPANISH):
        assert {base for base in forms.values() if forms.get(base, base) != base} == set()


def test_stop_words_are_written_as_words_are_compared():
    everything = stop_words.ENGLISH | stop_words.GERMAN | stop_words.FRENCH | stop_words.SPANISH
    assert [word for word in everything if not (word.isascii() and word.islower() and word.isalpha())] == []


@given(st.text(st.characters(exclude_categories=()), max_size=80))
def test_any_text_gives_terms_inside_it_and_the_same_counts(text):
    found = terms(text)
    assert all(0 <= term.start < term.end <= len(text) for term in found)
    counts, length, _ = counted(text)
    assert {stem for term in found for stem in term.stems} == set(counts)
    assert length <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "🎉🎉",
        "\0",
        "\ud800",
        "שלום עולם",
        "مرحبا",
        "'''",
        "__init__",
        "..",
        "a" * 1_000_000,
        "a/" * 500_000,
    ],
)
def test_odd_texts_are_only_texts(text):
    terms(text)
    counted(text)
