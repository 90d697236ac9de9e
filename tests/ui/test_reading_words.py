"""What files and their parts are called in the window."""

from __future__ import annotations

import pytest

from workbench.domain.files.document import DOCUMENT_KINDS, ReadAs, Section
from workbench.domain.shown.parts_view import Picked
from workbench.ui.reading_words import (
    anchor_words,
    anchors_line,
    extent_words,
    kind_words,
    picked_words,
    read_as_words,
    selection_title,
    typed_anchor,
)


def test_every_kind_has_a_name():
    assert all(kind_words(kind) for kind in DOCUMENT_KINDS)


def test_an_encoding_is_named_where_it_is_not_the_usual_one():
    assert read_as_words(ReadAs("text", "utf-8")) == "plain text"
    assert read_as_words(ReadAs("text", "cp1252")) == "plain text, cp1252"
    assert read_as_words(ReadAs("pdf", pages=3)) == "text layer"


def test_how_long_a_file_is():
    assert extent_words(ReadAs("pdf", pages=84), "") == "84 pages"
    assert extent_words(ReadAs("text"), "one\ntwo") == "2 lines"
    assert extent_words(ReadAs("text"), "one\n") == "1 line"


def test_parts_are_called_as_people_say():
    assert anchor_words("p3-5") == "pp. 3–5"
    assert anchor_words("L7") == "line 7"
    assert anchor_words("4.2-Clock-skew") == "4.2 Clock skew"
    assert anchors_line(("3.3-Lifetime-and-skew", "4.2-Clock-skew", "p28")) == "3.3, 4.2, p. 28"
    assert anchors_line(("1-Introduction",)) == "1 Introduction"
    assert anchors_line(("p1", "p2", "p3", "p4")) == "p. 1, p. 2, p. 3 and 1 more"


def test_pages_are_counted_where_they_are_known():
    part = Section("Terms", "Terms", 1, 0, 9, 5, 7)
    assert picked_words(Picked(("Terms", "p7-8")), 84, (part,)) == "4 of 84 pages"
    assert picked_words(Picked(("Terms", "p7-8")), 84) == "2 parts"
    assert picked_words(Picked((), whole=True), 84) == "whole file"


@pytest.mark.parametrize(
    ("typed", "pages", "wanted"),
    [
        ("120-180", False, "L120-180"),
        ("L120–L180", False, "L120-180"),
        ("lines 9", False, "L9"),
        ("3-5", True, "p3-5"),
        ("p. 5-3", True, "p3-5"),
        ("lines 3-5", True, "L3-5"),
        ("what", False, ""),
        ("", False, ""),
    ],
)
def test_what_is_typed_is_a_part(typed: str, pages: bool, wanted: str):
    assert typed_anchor(typed, pages) == wanted


def test_a_selection_says_where_it_is_from_and_never_where_that_lies():
    assert selection_title("src/auth.py", 88, "a\nb\nc\nd\n") == "src/auth.py, lines 88–91"
    assert selection_title("src/auth.py", 88, "a") == "src/auth.py, line 88"
    assert selection_title("/home/ada/secret/auth.py", 1, "a") == "auth.py, line 1"
    assert selection_title("C:\\Users\\ada\\auth.py", 1, "a") == "auth.py, line 1"
    assert selection_title("book.xlsx#Sales!A1:B2", 0, "a") == "book.xlsx#Sales!A1:B2"
