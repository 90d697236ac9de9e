"""The tool touch."""

from __future__ import annotations

import os
from pathlib import Path

from tests.fakes.workspaces import Called, fill, tree_of


def test_an_empty_file_is_made(tmp_path: Path):
    tools = Called(tmp_path)
    assert tools.preview("touch", path="a/b").summary == "Create a/b, empty"
    outcome = tools.run("touch", path="a/b")
    assert (outcome.text, (tmp_path / "a/b").read_bytes()) == ("Made a/b, empty.", b"")
    assert not tools.undo(outcome).failed
    assert tree_of(tmp_path) == {}


def test_a_file_that_is_there_gets_a_new_time_only(tmp_path: Path):
    tools = Called(fill(tmp_path, {"a": "1"}))
    os.utime(tmp_path / "a", ns=(10**18, 10**18))
    assert tools.preview("touch", path="a").summary == "Set the time of a to now"
    outcome = tools.run("touch", path="a")
    assert (outcome.text, (tmp_path / "a").read_text()) == ("Touched a.", "1")
    assert (tmp_path / "a").stat().st_mtime_ns > 10**18
    assert not tools.undo(outcome).failed
    assert (tmp_path / "a").stat().st_mtime_ns == 10**18


def test_folders_and_links_are_refused(tmp_path: Path):
    fill(tmp_path, {"root/d/": "", "outside": ""})
    tools = Called(tmp_path / "root")
    (tmp_path / "root/link").symlink_to(tmp_path / "outside")
    assert tools.refusal("touch", path="d") == "d is a folder, not a file."
    assert "link" in tools.refusal("touch", path="link")
