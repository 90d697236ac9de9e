"""A file as it is attached; what is refused stands in test_attach.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.domain.files.test_pictures import PNG
from workbench.domain.files.attached import CannotAttach, NamedFile
from workbench.domain.files.document import Document, ReadAs
from workbench.sources.attached_file import as_attached, attached_file, written_utc


def test_text_and_pictures_come_under_their_path(tmp_path: Path):
    status = os.stat(tmp_path)
    assert attached_file("a//b.md", b"\xef\xbb\xbfwords", status).artifact.key == "a/b.md"
    text, picture = attached_file("b", b"words", status), attached_file("p", PNG, status)
    assert (text.artifact.kind, text.artifact.text, text.picture) == ("file", "words", None)
    assert picture.picture is not None
    assert (picture.artifact.kind, picture.artifact.text) == ("image", picture.picture.described)


def test_anything_else_is_refused(tmp_path: Path):
    with pytest.raises(CannotAttach, match="neither text"):
        attached_file("x", b"a\0b", os.stat(tmp_path))


def test_the_time_is_the_files_own(tmp_path: Path):
    os.utime(tmp_path, ns=(0, 1_700_000_000_900_000_000))
    assert written_utc(os.stat(tmp_path)) == "2023-11-14T22:13:20Z"


def test_a_picture_has_no_parts():
    document = Document("A picture.", ReadAs("image"))
    with pytest.raises(CannotAttach, match="it is a picture, it has no parts"):
        as_attached("p.png#L1", NamedFile("p.png", "/w/p.png", PNG, "", "L1"), document)


def test_a_scan_says_where_it_lies_whatever_it_was_called():
    document = Document("", ReadAs("pdf", pages=3), scanned=True)
    with pytest.raises(CannotAttach) as refused:
        as_attached("scan.pdf", NamedFile("scan.pdf", "/papers/scan.pdf", b"", ""), document)
    (one,) = refused.value.left_out
    assert (one.path, one.place, one.pages) == ("scan.pdf", "/papers/scan.pdf", 3)
