"""The tool edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.workspaces import Called, fill


def test_a_passage_becomes_another_and_nothing_else_changes(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a.py": b"\xef\xbb\xbfone\r\ntwo\nthree\r\n"}))
    (tmp_path / "a.py").chmod(0o744)
    preview = tools.preview("edit", path="a.py", old="one\ntwo", new="1\n2")
    assert preview.summary == "Edit a.py: 1 passage"
    assert "-two" in preview.diff.splitlines()
    assert tools.text("edit", path="a.py", old="one\ntwo", new="1\n2") == "Edited a.py: 1 passage replaced."
    assert (tmp_path / "a.py").read_bytes() == b"\xef\xbb\xbf1\r\n2\nthree\r\n"
    assert (tmp_path / "a.py").stat().st_mode & 0o777 == 0o744


def test_every_occurrence_on_request(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a": "x y x\nx\n"}))
    assert tools.refusal("edit", path="a", old="x", new="z") == (
        "a holds this passage 3 times (lines 1, 1, 2). "
        "Give more lines around it so that it occurs once, or set all to true."
    )
    assert tools.text("edit", path="a", old="x", new="z", all=True) == "Edited a: 3 passages replaced."
    assert (tmp_path / "a").read_text() == "z y z\nz\n"


def test_a_passage_that_is_not_there_is_shown_its_neighbours(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a": "def first():\n    pass\n\ndef second(one, two):\n    return 1\n"}))
    assert tools.refusal("edit", path="a", old="def second(one,two):", new="x") == (
        "a does not hold this passage. 0 matches. The nearest lines are:\n"
        "2:     pass\n3: \n4: def second(one, two):\n5:     return 1\n6: "
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"path": "a", "old": "", "new": "x"}, "old is empty"),
        ({"path": "a", "old": "x", "new": "x"}, "the same"),
        ({"path": "b", "old": "x", "new": "y"}, "no file b"),
        ({"path": "latin", "old": "x", "new": "y"}, "not UTF-8"),
        ({"path": "binary", "old": "x", "new": "y"}, "binary"),
        ({"path": "folder", "old": "x", "new": "y"}, "is a folder"),
        ({"path": "a", "old": "x", "new": "\ud800"}, "surrogate"),
        ({"path": "a", "old": "x", "new": "y" * 9_000_000}, "8,388,608"),
    ],
)
def test_what_cannot_be_edited_is_refused(arguments: dict[str, str], words: str, tmp_path: Path):
    tools = Called(
        fill(tmp_path, {"a": "x", "latin": "é x".encode("latin-1"), "binary": b"x\0", "folder/": ""})
    )
    assert words in tools.refusal("edit", **arguments)
