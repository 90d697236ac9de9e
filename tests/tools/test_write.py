"""The tool write."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.workspaces import Called, fill, tree_of


def test_a_new_file_is_made_with_its_folders(tmp_path: Path):
    tools = Called(tmp_path)
    preview = tools.preview("write", path="a/b/c.txt", content="x\ny\n")
    assert preview.summary == "Create a/b/c.txt with 4 bytes"
    assert preview.diff.splitlines()[-2:] == ["+x", "+y"]
    outcome = tools.run("write", path="a/b/c.txt", content="x\ny\n")
    assert outcome.text == "Wrote a/b/c.txt: 4 bytes."
    assert (tmp_path / "a/b/c.txt").read_text() == "x\ny\n"
    assert not tools.undo(outcome).failed
    assert tree_of(tmp_path) == {}


def test_the_mode_the_mark_and_the_line_ends_stay(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a.cmd": b"\xef\xbb\xbfold\r\nlines\r\n"}))
    (tmp_path / "a.cmd").chmod(0o755)
    tools.text("write", path="a.cmd", content="new\nones\n")
    assert tree_of(tmp_path) == {"a.cmd": (0o755, b"\xef\xbb\xbfnew\r\nones\r\n")}


def test_a_file_that_is_not_text_is_replaced_only_with_a_word_about_it(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a.bin": b"\0\xff"}))
    preview = tools.preview("write", path="a.bin", content="text")
    assert (preview.summary, preview.diff) == (
        "Replace all of a.bin, which is not text: 2 bytes become 4",
        "",
    )
    assert not tools.undo(tools.run("write", path="a.bin", content="text")).failed
    assert (tmp_path / "a.bin").read_bytes() == b"\0\xff"


def test_what_cannot_be_written_is_refused(tmp_path: Path):
    fill(tmp_path, {"outside": "secret", "root/a": "1", "root/folder/": ""})
    tools = Called(tmp_path / "root")
    (tmp_path / "root/link").symlink_to(tmp_path / "outside")
    with open(tmp_path / "root/big", "wb") as file:
        file.truncate(9_000_000)
    assert tools.refusal("write", path="a", content="1") == "a holds exactly this already."
    assert tools.refusal("write", path="folder", content="1") == "folder is a folder; name a file in it."
    assert "links are not followed" in tools.refusal("write", path="link", content="1")
    assert "not a folder" in tools.refusal("write", path="a/b", content="1")
    assert "only they can be brought back" in tools.refusal("write", path="big", content="1")
    assert "8,388,608" in tools.refusal("write", path="b", content="x" * 9_000_000)
    assert "surrogate" in tools.refusal("write", path="b", content="\ud800")
    assert "git" in tools.refusal("write", path=".git/hooks/pre-commit", content="#!/bin/sh")
    assert (tmp_path / "outside").read_text() == "secret"


def test_a_name_from_a_tool_leads_nowhere_else(tmp_path: Path):
    """LibreChat GHSA-qrm5-r67f-6692: a file name that a tool was given must not climb out."""
    tools = Called(fill(tmp_path / "root", {"a": "1"}))
    for path in ("../x", "/tmp/x", "a/../../x", "..\\x", "C:\\x", "./../x"):
        tools.refusal("write", path=path, content="1")
    assert sorted(tree_of(tmp_path)) == ["root", "root/a"]
