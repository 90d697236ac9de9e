"""The tool ls."""

from __future__ import annotations

import os
from pathlib import Path

from tests.fakes.workspaces import Called, fill


def test_a_folder_is_listed_in_order(tmp_path: Path):
    tools = Called(fill(tmp_path, {"b.txt": "12345", "a/x": "", ".git/config": "", "Z": ""}))
    (tmp_path / "link").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "evil\nname").touch()
    assert tools.text("ls").splitlines() == [
        ".git/", "Z  0", "a/", "b.txt  5", "evil\\u000aname  0", "link  (a link, not read by tools)",
        "pipe  (not a regular file, not read by tools)",
    ]  # fmt: skip
    assert tools.text("ls", path="a") == "x  0"
    assert tools.preview("ls", path="a/").summary == "List a"


def test_an_empty_folder_says_so(tmp_path: Path):
    assert Called(tmp_path).text("ls", path=".") == ". is empty."


def test_a_large_folder_is_capped_with_a_count(tmp_path: Path):
    tools = Called(fill(tmp_path, {f"f{number:03}": "" for number in range(450)}))
    lines = tools.text("ls").splitlines()
    assert (len(lines), lines[-1]) == (401, "… 50 more entries; search with grep instead")


def test_what_cannot_be_listed_is_refused(tmp_path: Path):
    tools = Called(fill(tmp_path, {"file": "1"}))
    assert tools.refusal("ls", path="nothing") == "There is no nothing. Use ls to see what there is."
    assert "not a folder" in tools.refusal("ls", path="file")
    assert "absolute" in tools.refusal("ls", path="/")
