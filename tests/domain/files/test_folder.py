"""What is wanted of a folder: filters, kinds, and what a followed one offers."""

from __future__ import annotations

import pytest

from workbench.domain.codec import decode, encode
from workbench.domain.files.folder import FolderEntry, FolderFilter, FolderRules, FollowedFolder, file_kind


@pytest.mark.parametrize(
    ("text", "path", "fits"),
    [
        ("", "a/b.py", True),
        ("*.py", "a/b.py", True),
        ("*.PY", "a/B.py", True),
        ("*.py", "a/b.pyc", False),
        ("*.py *.md", "README.md", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "lib/src/a.py", False),
        ("auth", "src/auth.py", True),
        ("auth src", "src/auth.py", True),
        ("auth lib", "src/auth.py", False),
        ("auth *.py", "src/auth.py", True),
        ("auth *.md", "src/auth.py", False),
        ("!tests", "tests/a.py", False),
        ("!tests", "src/a.py", True),
        ("*.py !tests", "tests/a.py", False),
        ("!*.log", "x/a.log", False),
        ("!", "x", True),
        ("[", "a[1].py", False),
        ("a[", "a", False),
    ],
)
def test_a_filter_takes_globs_words_and_what_is_not_wanted(text: str, path: str, fits: bool):
    assert FolderFilter(text).fits(path, file_kind(path)) == fits


def test_kinds_are_one_of_those_that_are_pressed():
    assert FolderFilter("", {"code"}).fits("a.py", "code")
    assert not FolderFilter("", {"code"}).fits("a.md", "text")
    assert (FolderFilter(" ").empty, FolderFilter("", {"code"}).empty) == (True, False)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("A.PY", "code"), ("x.tar.gz", "other"), ("readme", "text"), ("Dockerfile", "code"), ("a.docx", "document"),
        ("a.jpeg", "picture"), ("noending", "other"), ("a.yaml", "data"), ("a.log", "log"),
    ],
)  # fmt: skip
def test_a_name_promises_a_kind(name: str, kind: str):
    assert file_kind(name) == kind


def test_a_followed_folder_wants_what_fits_and_is_kept_whole():
    folder = FollowedFolder("/p", FolderRules(hidden=True), "*.py", ("code",), 3, frozenset({"a.py"}))
    assert folder.wants(FolderEntry("b.py", "code"))
    assert not folder.wants(FolderEntry("b.md", "text"))
    assert not folder.wants(FolderEntry("c.py", "code", standing="ignored"))
    assert not folder.wants(FolderEntry("d.py", folder=True))
    assert decode(FollowedFolder, encode(folder)) == folder
