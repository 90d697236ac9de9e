"""Text made safe: long words can be broken, nothing hidden acts, and the original can always be had back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, QUrl
from PySide6.QtGui import QImage, QTextDocument

from workbench.ui.chat.text.safe_browser import SafeDocument
from workbench.ui.chat.text.safe_text import (
    BREAK,
    LONGEST_RUN,
    MARKS_KEPT,
    MOST_WRITTEN_OUT,
    SIGN,
    safe,
    safe_pieces,
    visible,
)

HOSTILE = st.text(alphabet=st.sampled_from("ab \n\u202e\u2066\u0301\u200d\ufeff😀中\x00\t"), max_size=600)


def original(text: str) -> str:
    return "".join(piece.original for piece in safe_pieces(text))


@given(HOSTILE | st.text(max_size=400))
def test_the_originals_joined_are_the_text(text: str):
    assert original(text) == text


@given(HOSTILE)
def test_what_is_shown_has_no_long_run_and_nothing_that_reorders(text: str):
    shown = safe(text)
    # A written-out sign is longer than what it stands for, so a run may grow, but only by a known factor.
    assert all(len(run) <= 9 * LONGEST_RUN for run in re.split(rf"[\s{BREAK}]", shown))
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00]", shown)


def test_a_word_without_end_gets_places_to_be_broken():
    pieces = safe_pieces("a" * (2 * LONGEST_RUN + 5))
    assert [piece.text for piece in pieces] == ["a" * LONGEST_RUN, BREAK, "a" * LONGEST_RUN, BREAK, "a" * 5]


def test_an_override_is_written_out():
    assert safe("exe.\u202egnp") == "exe.⟨U+202E⟩gnp"


def test_a_tower_of_marks_is_cut_to_a_few():
    assert safe("a" + "\u0301" * 50) == "a" + "\u0301" * MARKS_KEPT


def test_what_languages_and_emoji_need_stays():
    for text in ("می‌خواهم", "👩‍👩‍👧", "שלום\u200f", "ångström", "हिन्दी", "a\tb"):
        assert safe(text) == text


def test_code_keeps_its_long_words():
    assert visible("a" * 500) == "a" * 500
    assert visible("if x:\u2066") == "if x:⟨U+2066⟩"


def test_an_empty_text_has_no_pieces():
    assert safe_pieces("") == []


def test_more_hidden_signs_than_anyone_reads_are_one_sign_each():
    text = "\u202ea" * (MOST_WRITTEN_OUT + 1)
    (piece,) = safe_pieces(text)
    assert piece.text.replace(BREAK, "") == f"{SIGN}a" * (MOST_WRITTEN_OUT + 1)
    assert piece.original == text
    assert visible(text) == f"{SIGN}a" * (MOST_WRITTEN_OUT + 1)


IMAGE = QTextDocument.ResourceType.ImageResource.value


@pytest.fixture
def picture(tmp_path: Path, qapp: object) -> Path:
    path = tmp_path / "picture.png"
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    image.fill(0)
    assert image.save(str(path))
    return path


def test_a_picture_on_the_disk_is_not_read(picture: Path):
    """A stock document would show it: and with /dev/zero it would never come back."""
    stock = QTextDocument().resource(IMAGE, QUrl.fromLocalFile(str(picture)))
    assert stock is not None
    found = SafeDocument().resource(IMAGE, QUrl.fromLocalFile(str(picture)))
    assert isinstance(found, QImage)
    assert (found.width(), found.pixelColor(0, 0).alpha()) == (1, 0)


@pytest.mark.parametrize(
    "name",
    ["file:///etc/passwd", "http://127.0.0.1:9/x", "qrc:/x", ":/x", "x.css", "\\\\server\\share\\x", ""],
)
def test_every_other_wish_is_answered_with_nothing(qapp: object, name: str):
    for kind in QTextDocument.ResourceType:
        answer = SafeDocument().loadResource(kind.value, QUrl(name))
        assert isinstance(answer, QImage | QByteArray)
        if isinstance(answer, QByteArray):
            assert answer.isEmpty()


def test_markup_that_names_a_picture_loads_none(picture: Path):
    document = SafeDocument()
    document.setHtml(f"<img src='{QUrl.fromLocalFile(str(picture)).toString()}'>")
    document.setTextWidth(200)
    assert document.size().height() < 30
