"""The lines of a .gitignore that are understood, and what they cover."""

from __future__ import annotations

import pytest

from workbench.sources.ignoring import Ignored

FILE, FOLDER = False, True


@pytest.mark.parametrize(
    ("line", "path", "folder", "covered"),
    [
        ("*.log", "a.log", FILE, True),
        ("*.log", "deep/er/a.log", FILE, True),
        ("*.log", "a.log.md", FILE, False),
        ("out", "out", FOLDER, True),
        ("out/", "out", FILE, False),
        ("out/", "deep/out", FOLDER, True),
        ("/out", "out", FOLDER, True),
        ("/out", "deep/out", FOLDER, False),
        ("docs/*.html", "docs/a.html", FILE, True),
        ("docs/*.html", "docs/deep/a.html", FILE, False),
        ("docs/*.html", "deep/docs/a.html", FILE, False),
        ("**/cache/tmp", "cache/tmp", FOLDER, True),
        ("**/cache/tmp", "a/b/cache/tmp", FOLDER, True),
        ("**/one", "a/one", FILE, True),
        ("gen/**", "gen", FOLDER, True),
        ("gen/**", "deep/gen", FOLDER, True),
        ("data[0-9]?", "data1x", FILE, True),
        ("\\#odd", "#odd", FILE, True),
        ("  ", "a", FILE, False),
        ("# a", "# a", FILE, False),
        ("!keep.log", "keep.log", FILE, False),
        ("a/**/b", "a/x/b", FILE, False),
        ("/", "a", FOLDER, False),
        ("**", "a", FILE, False),
        ("a//b", "a/b", FILE, False),
        ("*.log   ", "a.log", FILE, True),
    ],
)
def test_a_line_covers_what_git_would_leave_out(line: str, path: str, folder: bool, covered: bool):
    assert Ignored().with_file((), line).covers(tuple(path.split("/")), folder) == covered


def test_a_file_holds_below_the_folder_it_lies_in():
    rules = Ignored().with_file(("sub",), "/a\nb\n").with_file((), "c\n")
    assert rules.covers(("sub", "a"), FILE)
    assert rules.covers(("sub", "deep", "b"), FILE)
    assert rules.covers(("sub", "c"), FILE)
    assert not rules.covers(("a",), FILE)
    assert not rules.covers(("b",), FILE)
