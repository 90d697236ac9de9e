"""What a search looks at, in which order, and what it says it left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fakes.workspaces import fill
from workbench.tools.workspace import candidates as limits
from workbench.tools.workspace.candidates import Candidates
from workbench.tools.workspace.paths import Refused, parse_path
from workbench.tools.workspace.workspace import Workspace


def found(candidates: Candidates, path: str = ".") -> list[str]:
    return [str(one.path) for one in candidates.find(parse_path(path))]


def test_text_files_come_in_order_and_the_rest_is_named(tmp_path: Path):
    fill(
        tmp_path,
        {"b.txt": "1", "a/z.txt": "2", "a/b.txt": "3", ".git/config": "4", ".env": "5", "x.bin": b"\0"},
    )
    fill(tmp_path, {"node_modules/m.js": "6"})
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/etc/passwd")
    with open(tmp_path / "large", "wb") as file:
        file.truncate(9_000_000)
    candidates = Candidates(Workspace(tmp_path))
    assert found(candidates) == [".env", "a/b.txt", "a/z.txt", "b.txt"]
    assert candidates.note() == (
        "Not searched: .git/ (hidden), large (too large), link (a link), node_modules/ (hidden), "
        "pipe (not a regular file), x.bin (not text)"
    )


def test_what_is_named_outright_is_searched_although_it_is_hidden(tmp_path: Path):
    fill(tmp_path, {".git/config": "1"})
    assert found(Candidates(Workspace(tmp_path)), ".git") == [".git/config"]
    assert found(Candidates(Workspace(tmp_path)), ".git/config") == [".git/config"]


@pytest.mark.parametrize(
    ("glob", "names"), [("*.py", ["a.py", "d/b.py"]), ("d/*.py", ["d/b.py"]), ("?.py", ["a.py", "d/b.py"])]
)
def test_a_glob_is_for_names_or_for_paths(glob: str, names: list[str], tmp_path: Path):
    fill(tmp_path, {"a.py": "", "a.txt": "", "d/b.py": ""})
    assert found(Candidates(Workspace(tmp_path), glob)) == names


def test_too_much_at_once_is_cut_where_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fill(tmp_path, {f"{number}.txt": "x" for number in range(9)})
    monkeypatch.setattr(limits, "MOST_FILES", 5)
    candidates = Candidates(Workspace(tmp_path))
    assert found(candidates) == ["0.txt", "1.txt", "2.txt", "3.txt", "4.txt"]
    assert candidates.note() == "Not searched: everything from 5.txt on (too much at once)"


def test_many_omissions_are_counted(tmp_path: Path):
    fill(tmp_path, {f"{number:02}.bin": b"\0" for number in range(20)})
    candidates = Candidates(Workspace(tmp_path))
    assert found(candidates) == []
    assert candidates.note().endswith("11.bin (not text) and 8 more")


def test_a_place_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(Refused, match="no file x"):
        found(Candidates(Workspace(tmp_path)), "x")
