"""Spelling by the dictionaries of this computer, with two small ones of hunspell's."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.sources.spelling import open_speller

AFFIXES = "SET UTF-8\nTRY aeioutslrn\n"


@pytest.fixture(autouse=True)
def dictionaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two dictionaries in a folder of enchant's, and nobody's own words."""
    folder = tmp_path / "hunspell"
    folder.mkdir()
    for tag, words in (("qaa_QA", "turtle\ndon't\nround"), ("qab_QB", "Bogen\nrund")):
        (folder / f"{tag}.aff").write_text(AFFIXES, encoding="utf-8")
        (folder / f"{tag}.dic").write_text(f"{len(words.split())}\n{words}\n", encoding="utf-8")
    monkeypatch.setenv("ENCHANT_CONFIG_DIR", str(tmp_path))
    return tmp_path


def test_a_word_is_known_if_one_language_has_it():
    speller = open_speller(("qaa_QA", "qab_QB"))
    assert speller.languages == ("qaa_QA", "qab_QB")
    assert [word for word in ("turtle", "Bogen", "turtel") if not speller.knows(word)] == ["turtel"]


def test_an_apostrophe_may_be_typographic():
    assert open_speller(("qaa_QA",)).knows("don’t")


def test_suggestions_come_from_all_languages():
    offered = open_speller(("qaa_QA", "qab_QB")).suggest("runt")
    assert {"rund"} <= set(offered)
    assert len(offered) <= 5


def test_a_learnt_word_is_known_the_next_time_too():
    open_speller(("qaa_QA",)).learn("qwertyish")
    assert open_speller(("qaa_QA",)).knows("qwertyish")


def test_a_language_without_its_country_finds_a_dictionary():
    assert open_speller(("qaa", "qab-QB")).languages == ("qaa_QA", "qab_QB")


def test_a_language_that_nobody_has_is_left_out():
    speller = open_speller(("qzz_ZZ",))
    assert speller.languages == ()
    assert {"qaa_QA", "qab_QB"} <= set(speller.available)
