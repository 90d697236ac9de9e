"""A folder that is attached: its text files come, everything else is named, and nothing leads out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.domain.test_pictures import PNG
from tests.fakes.attachments import tiny
from workbench.domain.attached import FolderRead
from workbench.sources import folder_walk
from workbench.sources.attached_folder import read_chosen, read_folder
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


def read(path: Path | str, most_bytes: int = 1000, total_bytes: int = 10**9) -> FolderRead:
    found = read_folder(str(path), tiny(most_bytes, total_bytes), Naming())
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
        ".git/ (hidden, not scanned)",
        ".gitignore (hidden)",
        "data.bin (not text)",
        "latin.txt (not text)",
        "logo.png (not text)",
        "node_modules/ (made by programs, not scanned)",
        "notes.log (.gitignore line 1)",
        "out/ (.gitignore line 2, not scanned)",
        "src/.gitignore (hidden)",
        "src/__pycache__/ (made by programs, not scanned)",
        "src/local.tmp (src/.gitignore line 1)",
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
        (), ("link (leads out of the folder)", "pipe (a pipe, not a file)", "way (leads out of the folder)"),
    )  # fmt: skip


def test_there_is_a_limit_to_how_much_is_taken_and_it_is_said(tmp_path: Path):
    for number in range(5):
        (tmp_path / f"{number}.md").write_text("word")
    (tmp_path / "1.md").write_text("w" * 101)
    found = read(tmp_path, 100)
    assert len(found.files) == 4
    assert said(found) == ("1.md (0.0 MB, over the limit of 25 MB)",)
    found = read(tmp_path, 100, 10)
    assert (len(found.files), said(found)[-1]) == (2, "4.md (more than 500 MB in all)")


def test_more_than_two_hundred_files_come(tmp_path: Path):
    for number in range(260):
        (tmp_path / f"{number}.md").write_text("word")
    assert len(read(tmp_path).files) == 260


def test_a_folder_without_end_comes_to_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(folder_walk, "DEEPEST", 3)
    (tmp_path / "a" / "b" / "c" / "d").mkdir(parents=True)
    assert said(read(tmp_path)) == ("a/b/c/d/ (too deep, not scanned)",)
    monkeypatch.setattr(folder_walk, "MOST_ENTRIES", 2)
    assert said(read(tmp_path)) == ("a/b/c/ (2 entries are the limit)",)


def test_chosen_files_come_without_following_a_link_and_what_went_is_named(folder: Path, tmp_path: Path):
    """A folder swapped for a link between choosing and adding would have read another file of the same name."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "main.py").write_text("secret")
    chosen = ("README.md", "src/main.py", "gone.md", "../p/README.md", "data.bin")
    before = read_chosen(str(folder), chosen, tiny(1000), Naming())
    assert keys(before) == [f"{folder}/README.md", f"{folder}/src/main.py"]
    assert [one.path for one in before.left_out] == ["gone.md", "../p/README.md", "data.bin"]
    assert before.files[1].names[0] == "p/src/main.py"
    (folder / "src").rename(tmp_path / "was")
    (folder / "src").symlink_to(tmp_path / "secrets")
    after = read_chosen(str(folder), ("src/main.py",), tiny(1000), Naming())
    assert (after.files, said(after)) == ((), ("src/main.py (cannot be read)",))


@pytest.mark.parametrize("name", ["file", "nowhere", "a\0b"])
def test_what_is_no_folder_is_none(tmp_path: Path, name: str):
    (tmp_path / "file").write_text("x")
    assert read_folder(str(tmp_path / name), tiny(100), Naming()) is None


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path):
    if os.geteuid() == 0:
        pytest.skip("nothing is closed to the administrator")
    (tmp_path / "closed").mkdir(mode=0)
    assert said(read(tmp_path)) == ("closed/ (cannot be read)",)
