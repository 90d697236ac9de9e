"""Paths that a model writes: what is meant is understood, what could mean another place is refused."""

from __future__ import annotations

import errno

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.tools.workspace.paths import (
    Refused,
    WorkspacePath,
    parse_changeable,
    parse_path,
    refusal_of,
    shown,
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        (".", ()),
        ("./", ()),
        ("a.txt", ("a.txt",)),
        ("./src//main.py", ("src", "main.py")),
        ("src/", ("src",)),
        ("naïve 漢字.md", ("naïve 漢字.md",)),
        (".gitignore", (".gitignore",)),
        ("می‌خواهم.txt", ("می‌خواهم.txt",)),
    ],
)
def test_a_relative_path_is_read_as_it_is_meant(text: str, parts: tuple[str, ...]):
    assert parse_path(text) == WorkspacePath(parts)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("/etc/passwd", "absolute"),
        ("//server/share", "absolute"),
        ("C:/Windows", "absolute"),
        ("c:file", "absolute"),
        ("..", ".."),
        ("a/../../b", ".."),
        ("a\\b", "backslash"),
        ("a\0b", "cannot be seen"),
        ("a\nb", "cannot be seen"),
        ("x\u202egpj.exe", "cannot be seen"),
        ("\ud800", "cannot be seen"),
        ("NUL", "device"),
        ("src/con.txt", "device"),
        ("COM1", "device"),
        ("lpt9.log", "device"),
        ("a./b", "dot or a space"),
        ("...", "dot or a space"),
        ("a ", "dot or a space"),
        ("é" * 200, "too long"),
        ("a" * 5000, "too long"),
        ("a/" * 100, "too many folders"),
    ],
)
def test_a_path_that_could_mean_another_place_is_refused(text: str, why: str):
    with pytest.raises(Refused, match=why.replace(".", r"\.")):
        parse_path(text)


@pytest.mark.parametrize("text", ["", ".", ".git/hooks/pre-commit", "sub/.GIT/config", "git~1/config"])
def test_nothing_is_changed_at_the_top_itself_or_in_git(text: str):
    """A changed hook is a program that git starts later, without anybody looking."""
    with pytest.raises(Refused):
        parse_changeable(text)


@given(st.text())
def test_any_text_is_a_place_within_or_refused(text: str):
    try:
        path = parse_path(text)
    except Refused:
        return
    assert ".." not in path.parts
    assert all(part and "/" not in part and "\0" not in part for part in path.parts)
    assert parse_path(str(path)) == path


@given(st.text(alphabet="a\n\r\u2028\u202e\0\ud800/."))
def test_a_refusal_stays_on_its_line(text: str):
    refusal = ""
    try:
        parse_path(text)
    except Refused as error:
        refusal = str(error)
    assert len(refusal.splitlines()) <= 1


def test_a_name_is_shown_on_one_line():
    assert shown("a\nb\u202ec") == "a\\u000ab\\u202ec"


def test_the_folders_on_the_way_come_outermost_first():
    path = parse_path("a/b/c.txt")
    assert [str(folder) for folder in path.parents] == ["a", "a/b"]
    assert (path.name, str(path.parent), str(path.child("d"))) == ("c.txt", "a/b", "a/b/c.txt/d")


# What the system says becomes words without places on this computer.


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            PermissionError(errno.EACCES, "Permission denied", "/home/me/secret"),
            "the system does not allow it",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "the disk is full"),
        (OSError(errno.EBUSY, "Device or resource busy"), "device or resource busy"),
        (OSError("something"), "an input or output error"),
    ],
)
def test_an_error_is_told_without_its_path(error: OSError, words: str):
    assert str(refusal_of(error)) == f"It did not work: {words}. Nothing was changed."
