"""A folder that is attached: its text files come, everything else is named, and nothing leads out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.domain.files.test_pictures import PNG
from tests.fakes.attachments import tiny
from workbench.domain.files.attached import CannotAttach, FolderFiles
from workbench.sources import folder_walk
from workbench.sources.attach import file_in, folder_files, listed_files

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


def said(found: FolderFiles) -> tuple[str, ...]:
    return tuple(map(str, found.left_out))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_bytes(content)
    return tmp_path / "p"


def read(path: Path | str, most_bytes: int = 1000) -> FolderFiles:
    found = folder_files(str(path), tiny(most_bytes))
    assert found is not None
    return found


def test_text_files_come_under_their_paths_and_the_rest_is_named(folder: Path):
    found = read(folder)
    # What is text in another encoding is found out when it is read.
    assert (found.folder, found.paths) == (
        str(folder), ("README.md", "latin.txt", "src/main.py", "src/deep/note.txt"),
    )  # fmt: skip
    assert file_in(str(folder), "src/main.py", tiny(100)).content == b"print()"
    assert sorted(map(str, found.left_out)) == [
        ".env (hidden)",
        ".git/ (hidden, not scanned)",
        ".gitignore (hidden)",
        "data.bin (not text)",
        "logo.png (not text)",
        "node_modules/ (made by programs, not scanned)",
        "notes.log (.gitignore line 1)",
        "out/ (.gitignore line 2, not scanned)",
        "src/.gitignore (hidden)",
        "src/__pycache__/ (made by programs, not scanned)",
        "src/local.tmp (src/.gitignore line 1)",
    ]


def test_documents_come_without_being_opened(tmp_path: Path):
    (tmp_path / "spec.pdf").write_bytes(b"%PDF-1.7 and what follows")
    (tmp_path / "table.xlsx").write_bytes(b"PK\x03\x04 and what follows")
    assert read(tmp_path).paths == ("spec.pdf", "table.xlsx")


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("src/**/*.txt", ["deep/note.txt"]),
        ("src/**", ["main.py", "deep/note.txt"]),
        ("*.md", ["README.md"]),
        ("**/*.py", ["src/main.py"]),
        ("src/*", ["main.py"]),
        ("s[qr]c/m?in.[!x]y", ["src/main.py"]),
        ("nothing*", []),
    ],
)
def test_a_pattern_names_files_of_the_folder_it_begins_with(
    folder: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, paths: list[str]
):
    monkeypatch.chdir(folder)
    assert list(read(pattern).paths) == paths


def test_a_file_whose_own_name_looks_like_a_pattern_is_that_file(tmp_path: Path):
    (tmp_path / "a[1].md").write_text("x")
    assert folder_files(str(tmp_path / "a[1].md"), tiny(100)) is None


def test_links_and_pipes_are_not_followed(tmp_path: Path):
    (tmp_path / "secret").write_text("secret")
    here = tmp_path / "p"
    here.mkdir()
    (here / "link").symlink_to(tmp_path / "secret")
    (here / "way").symlink_to(tmp_path)
    os.mkfifo(here / "pipe")
    found = read(here)
    assert (found.paths, said(found)) == (
        (), ("link (leads out of the folder)", "pipe (a pipe, not a file)", "way (leads out of the folder)"),
    )  # fmt: skip


def test_there_is_a_limit_to_how_much_is_taken_and_it_is_said(tmp_path: Path):
    for number in range(5):
        (tmp_path / f"{number}.md").write_text("word")
    (tmp_path / "1.md").write_text("w" * 101)
    found = read(tmp_path, 100)
    assert len(found.paths) == 4
    assert said(found) == ("1.md (0.0 MB, over the limit of 25 MB)",)


def test_more_than_two_hundred_files_come(tmp_path: Path):
    for number in range(260):
        (tmp_path / f"{number}.md").write_text("word")
    assert len(read(tmp_path).paths) == 260


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
    assert file_in(str(folder), "src/main.py", tiny(1000)).content == b"print()"
    for path in ("gone.md", "../p/README.md", "src/../README.md", "/etc/passwd", ""):
        with pytest.raises(CannotAttach):
            file_in(str(folder), path, tiny(1000))
    (folder / "src").rename(tmp_path / "was")
    (folder / "src").symlink_to(tmp_path / "secrets")
    with pytest.raises(CannotAttach, match="cannot be read"):
        file_in(str(folder), "src/main.py", tiny(1000))


@pytest.mark.parametrize("name", ["file", "nowhere", "a\0b"])
def test_what_is_no_folder_is_none(tmp_path: Path, name: str):
    (tmp_path / "file").write_text("x")
    assert folder_files(str(tmp_path / name), tiny(100)) is None


def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path):
    if os.geteuid() == 0:
        pytest.skip("nothing is closed to the administrator")
    (tmp_path / "closed").mkdir(mode=0)
    assert said(read(tmp_path)) == ("closed/ (cannot be read)",)


@pytest.mark.parametrize("name", ["faq.md#Why?", "faq.md#How-[short]", "faq.md#*", "page[1].md#B"])
def test_a_part_is_no_pattern_whatever_its_heading_is_called(tmp_path: Path, name: str):
    (tmp_path / "faq.md").write_text("# Why?\n")
    (tmp_path / "page[1].md").write_text("# B\n")
    assert folder_files(str(tmp_path / name), tiny(100)) is None


@pytest.mark.parametrize("pattern", ["x[z-a].txt", "nothing*.py", "*.py#L1"])
def test_a_pattern_that_fits_nothing_says_so(folder: Path, pattern: str):
    found = read(f"{folder}/{pattern}")
    assert (found.paths, found.nothing(pattern).reason) == ((), "no file fits this pattern")


def test_what_brings_nothing_says_what_it_is(folder: Path):
    assert read(f"{folder}/*.bin").nothing("x").reason == "no text file fits this pattern"
    assert read(folder).nothing("x").reason == "there is no text file in it"


def test_the_programs_own_data_stays_out_of_what_is_around_it(folder: Path, tmp_path: Path):
    (tmp_path / "same").symlink_to(folder / "src")
    for own in (folder / "src", tmp_path / "same"):
        found = folder_files(str(folder), tiny(1000), str(own))
        assert found is not None
        assert found.paths == ("README.md", "latin.txt")
        assert "src/ (the program's own data)" in said(found)
        listed = listed_files(str(folder), 99, tiny(1000), str(own))
        assert listed is not None
        assert not [one for one in listed.files if one.path.startswith("src/")]
