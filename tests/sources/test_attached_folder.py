"""A folder that is attached: its text files come, everything else is named, and nothing leads out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.domain.test_pictures import PNG
from workbench.domain.attached import FolderRead
from workbench.sources import attached_folder
from workbench.sources.attached_folder import read_folder
from workbench.sources.naming import Naming

FILES = {
    "README.md": b"read me",
    "src/main.py": b"print()",
    "src/deep/note.txt": "漢字".encode("utf-16"),
    "src/__pycache__/main.pyc": b"\0",
    "node_modules/x/index.js": b"x",
    ".git/config": b"[core]",
    ".env": b"KEY=secret",
    "logo.png": PNG,
    "data.bin": b"\x00\x01",
    "latin.txt": b"caf\xe9",
    "notes.log": b"noise",
    "out/page.html": b"<p>",
    "src/local.tmp": b"t",
    ".gitignore": b"*.log\n/out/\n",
    "src/.gitignore": b"*.tmp\n",
}


def said(found: FolderRead) -> tuple[str, ...]:
    return tuple(map(str, found.left_out))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_bytes(content)
    return tmp_path / "p"


def read(path: Path | str, most_bytes: int = 1000) -> FolderRead:
    found = read_folder(str(path), most_bytes, Naming())
    assert found is not None
    return found


def keys(found: FolderRead) -> list[str]:
    return [one.artifact.key for one in found.files]


def test_text_files_come_under_their_paths_and_the_rest_is_named(folder: Path):
    found = read(folder)
    assert keys(found) == [f"{folder}/{name}" for name in ("README.md", "src/main.py", "src/deep/note.txt")]
    assert [one.artifact.text for one in found.files] == ["read me", "print()", "漢字"]
    assert sorted(map(str, found.left_out)) == [
        ".env (hidden)",
        ".git/ (hidden)",
        "data.bin (not text)",
        "latin.txt (not text)",
        "logo.png (not text)",
        "node_modules/ (made by programs)",
        "notes.log (ignored)",
        "out/ (ignored)",
        "src/__pycache__/ (made by programs)",
        "src/local.tmp (ignored)",
    ]


def test_a_relative_path_stays_relative(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder.parent)
    assert keys(read("p/"))[0] == "p/README.md"


def test_links_and_pipes_are_not_followed(tmp_path: Path):
    (tmp_path / "secret").write_text("secret")
    here = tmp_path / "p"
    here.mkdir()
    (here / "link").symlink_to(tmp_path / "secret")
    (here / "way").symlink_to(tmp_path)
    os.mkfifo(here / "pipe")
    found = read(here)
    assert (found.files, said(found)) == (
        (), ("link (a link)", "pipe (not a regular file)", "way (a link)"),
    )  # fmt: skip


def test_there_is_a_limit_to_how_much_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for number in range(5):
        (tmp_path / f"{number}.md").write_text("word")
    (tmp_path / "1.md").write_text("w" * 101)
    monkeypatch.setattr(attached_folder, "MOST_FILES", 2)
    found = read(tmp_path, 100)
    assert keys(found) == [f"{tmp_path}/0.md", f"{tmp_path}/2.md"]
    assert said(found) == ("1.md (too large)", "everything from 3.md on (2 files are the limit)")
    monkeypatch.setattr(attached_folder, "MOST_FILES", 200)
    monkeypatch.setattr(attached_folder, "MOST_FOLDER_BYTES", 10)
    found = read(tmp_path, 100)
    assert (len(found.files), said(found)[-1]) == (2, "4.md (more than 0 MB in all)")


def test_a_folder_without_end_comes_to_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(attached_folder, "DEEPEST", 3)
    (tmp_path / "a" / "b" / "c" / "d").mkdir(parents=True)
    assert said(read(tmp_path)) == ("a/b/c/d/ (too deep)",)
    monkeypatch.setattr(attached_folder, "MOST_ENTRIES", 2)
    assert said(read(tmp_path)) == ("everything from a/b/c on (200 files are the limit)",)


@pytest.mark.parametrize("name", ["file", "nowhere", "a\0b"])
def test_what_is_no_folder_is_none(tmp_path: Path, name: str):
    (tmp_path / "file").write_text("x")
    assert read_folder(str(tmp_path / name), 100, Naming()) is None


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path):
    if os.geteuid() == 0:
        pytest.skip("nothing is closed to the administrator")
    (tmp_path / "closed").mkdir(mode=0)
    assert said(read(tmp_path)) == ("closed/ (cannot be read)",)
