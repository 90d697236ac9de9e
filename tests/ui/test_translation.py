"""What is shown is in one language: words of the window, and sentences of the engine with their values."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.domain.errors import InvalidInput
from workbench.domain.translation import counted, joined, tr, translated, with_noted_values, with_values_noted
from workbench.files.language import in_language, language_of, supported, use_language
from workbench.ui.translation import tr as shown

GERMAN = {
    "there is no preset {name!r}": "es gibt keine Vorlage {name!r}",
    "{n:,} tokens": "{n:,} Token",
    "Refused: {why}": "Abgelehnt: {why}",
    "{number:,} chat": "{number:,} Chat",
    "{number:,} chats": "{number:,} Chats",
}


def german(text: str) -> str:
    return translated(text, lambda words: GERMAN.get(words, words), str.maketrans(",.", ".,"))


def test_a_sentence_is_english_wherever_it_is_kept_and_can_be_shown_in_another_language():
    sentence = tr("there is no preset {name!r}", name="a{b}")
    assert sentence == "there is no preset 'a{b}'"
    assert json.dumps({"error": sentence}) == '{"error": "there is no preset \'a{b}\'"}'
    assert german(sentence) == "es gibt keine Vorlage 'a{b}'"
    assert german("a foreign text with {braces}") == "a foreign text with {braces}"


def test_a_sentence_within_another_is_translated_with_it():
    inner = tr("there is no preset {name!r}", name="x")
    assert german(tr("Refused: {why}", why=inner)) == "Abgelehnt: es gibt keine Vorlage 'x'"
    assert german(tr("Refused: {why}", why=InvalidInput("", inner))) == "Abgelehnt: es gibt keine Vorlage 'x'"
    assert german(tr("Refused: {why}").format(why=inner)) == "Abgelehnt: es gibt keine Vorlage 'x'"
    assert (
        german(joined([inner, "and", tr("{n:,} tokens", n=12345)]))
        == "es gibt keine Vorlage 'x' and 12.345 Token"
    )


def test_no_words_are_not_looked_up():
    """A catalogue gives its own head for them."""
    assert translated(joined([]), lambda words: words or "Project-Id-Version") == ""
    assert translated(tr(""), lambda words: words or "Project-Id-Version") == ""


def test_numbers_have_both_forms_and_the_separators_of_the_language():
    assert (counted(1, "chat"), counted(2000, "chat")) == ("1 chat", "2,000 chats")
    assert (german(counted(1, "chat")), german(counted(2000, "chat"))) == ("1 Chat", "2.000 Chats")


def test_a_copy_can_be_translated_too():
    sentence = tr("{n:,} tokens", n=1234)
    for made in (copy.deepcopy(sentence), str(sentence)):
        assert german(made) == "1.234 Token"


def test_a_note_is_english_and_can_be_shown_in_another_language_when_it_is_read_again():
    inner = tr("there is no preset {name!r}", name="x")
    note = {
        "message": tr("Refused: {why}", why=inner),
        "plain": "as it is",
        "usd": None,
        "lines": ["a", inner],
        "advice": tr("{n:,} tokens"),
        "why": tr("Refused: {why}", why=tr("{n:,} tokens")),
    }
    kept = json.loads(json.dumps(with_values_noted(note)))
    assert kept["message"] == "Refused: there is no preset 'x'"
    read = with_noted_values(kept)
    assert read == note
    assert german(read["message"]) == "Abgelehnt: es gibt keine Vorlage 'x'"
    assert german(read["lines"][1]) == "es gibt keine Vorlage 'x'"
    assert german(read["advice"]) == "{n:,} Token"
    assert german(read["why"]) == "Abgelehnt: {n:,} Token"
    plain = {"plain": "as it is", "tokens": 3}
    assert with_values_noted(plain) == plain


@pytest.mark.parametrize(
    "said",
    [
        3, [], {"message": 3}, {"message": ["Refused: {why}", {"why": "another"}]}, {"message": ["{why", {"why": 1}]},
        {"message": ["{why:999999999}", {"why": "x"}]}, {"message": ["{why.__class__}", {"why": "x"}]},
        {"message": ["{why[0]}", {"why": "x"}]}, {"message": ["Refused: {gone}", {}]},
        {"message": ["Refused: {why:d}", {"why": "x"}]}, {"other": ["Refused: {why}", {"why": "x"}]},
    ],
)  # fmt: skip
def test_a_note_whose_values_do_not_make_its_text_is_only_the_text(said: object):
    read = with_noted_values({"message": "Refused: x", "said": said})
    assert read == {"message": "Refused: x"}
    assert type(read["message"]) is str


@pytest.mark.parametrize(
    ("environment", "tag"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "zh_TW.UTF-8"}, "en"),
        ({"LANG": "de_DE", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_GB", "LANGUAGE": "fr:de:en"}, "de"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
    ],
)
def test_the_system_s_language_is_taken_where_there_is_one(environment: dict[str, str], tag: str):
    assert language_of(environment) == tag


def test_tags_are_written_in_several_ways():
    found = [supported(tag) for tag in ("de", "de-CH", "zh-Hans-CN", "zh-Hant", "zh", "pt_BR", "en_XA")]
    assert found == ["de", "de", "zh_CN", "en", "zh_CN", "en", "en_XA"]


@pytest.fixture
def pseudo() -> Iterator[None]:
    use_language("en_XA", Path())
    yield
    use_language("en", Path())


@pytest.mark.usefixtures("pseudo")
def test_the_pseudo_language_is_longer_and_keeps_values():
    assert (
        shown("Refused: {why}")
        .format(why=tr("no {name} here", name="name"))
        .startswith("[Réfûséd: [ñö name héré")
    )
    assert in_language(tr("Run `workbench keys` with --force")).startswith(
        "[Rûñ `workbench keys` wîth --force"
    )
