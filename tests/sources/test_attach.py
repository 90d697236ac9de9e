"""Attaching from files: text and pictures come, everything else is refused with a reason, and nothing hangs."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

from tests.domain.files.test_pictures import PNG
from tests.fakes.attachments import tiny
from tests.fakes.loop import in_loop
from workbench.domain.files.attached import (
    MOST_ATTACHED_BYTES,
    Attached,
    AttachedPicture,
    CannotAttach,
    FolderFiles,
)
from workbench.domain.files.folder import FolderEntry
from workbench.sources import folder_walk
from workbench.sources.attach import FileAttachments, ThreadedScan, file_in, folder_files, listed_files
from workbench.sources.extract.process import ChildExtractor
from workbench.sources.folder_walk import FolderWalk


def attach(path: Path | str, most_bytes: int = MOST_ATTACHED_BYTES) -> Attached:
    return asyncio.run(_attach(str(path), most_bytes))


async def _attach(path: str, most_bytes: int) -> Attached:
    reader = FileAttachments(ChildExtractor(), lambda: tiny(most_bytes))
    try:
        return await reader.read(path)
    finally:
        await reader.close()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", ""),
        ("ünï\r\n".encode(), "ünï\r\n"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("漢字".encode("utf-16"), "漢字"),
        ("漢字".encode("utf-16-be").join([b"\xfe\xff", b""]), "漢字"),
    ],
)
def test_text_is_decoded_and_kept_byte_for_byte(content: bytes, text: str, tmp_path: Path):
    (tmp_path / "a.txt").write_bytes(content)
    attached = attach(tmp_path / "a.txt")
    assert (attached.artifact.text, attached.content) == (text, content)


def test_the_key_is_the_path_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("x")
    os.utime(tmp_path / "sub" / "a.txt", (1_700_000_000, 1_700_000_000))
    monkeypatch.chdir(tmp_path / "sub")
    assert [attach(path).artifact.key for path in ("./a.txt", "../sub//a.txt")] == ["a.txt", "../sub/a.txt"]
    assert attach("a.txt").modified_utc == "2023-11-14T22:13:20Z"


def test_a_link_that_the_user_names_is_followed(tmp_path: Path):
    (tmp_path / "real.txt").write_text("x")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    assert attach(tmp_path / "link.txt").artifact.text == "x"


def test_a_picture_is_described(tmp_path: Path):
    (tmp_path / "a.dat").write_bytes(PNG)
    attached = attach(tmp_path / "a.dat")
    assert attached.picture == AttachedPicture("image/png", 640, 480)
    assert (attached.artifact.kind, attached.artifact.text) == (
        "image",
        "A picture: image/png, 640 × 480 pixels.",
    )


def test_what_is_no_file_is_refused_with_what_it_is(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "socket"))
    for path, why in (
        (tmp_path, "it is a folder"),
        (tmp_path / "pipe", "it is a pipe, not a file"),
        (tmp_path / "socket", "it is a socket, not a file"),
        (Path("/dev/zero"), "it is a device, not a file"),
        (tmp_path / "none" / "x", "there is no such file"),
        (tmp_path / ("x" * 300), "file name too long"),
        ("a\0b", "the path cannot be used"),
        ("", "there is no such file"),
    ):
        with pytest.raises(CannotAttach) as error:
            attach(path)
        assert str(error.value).startswith(f"{path} was not attached: {why}. ")
    listening.close()


@pytest.mark.parametrize("content", [b"\x00\x01\x02", b"\x7fELF\x02\x01\x01\x00", b"\xff\xfea"])
def test_what_is_not_text_is_refused(content: bytes, tmp_path: Path):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(CannotAttach, match="was not attached: it is "):
        attach(tmp_path / "a")


def test_text_in_another_encoding_comes_with_its_name(tmp_path: Path):
    """A file that somebody wrote years ago was refused as no text."""
    words = "Der Käse kostet fünf Kronen, und die Brötchen sind größer als früher.\n" * 4
    (tmp_path / "latin1.txt").write_bytes(words.encode("latin-1"))
    attached = attach(tmp_path / "latin1.txt")
    assert (attached.artifact.text, attached.read_as.kind) == (words, "text")
    assert words.encode(attached.read_as.encoding) == attached.content


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path):
    """Open WebUI CVE-2024-12537: input without a limit takes the whole program down."""
    with open(tmp_path / "big", "wb") as file:
        file.truncate(10**12)
    with pytest.raises(CannotAttach, match="1,000,000,000,000 bytes, and the limit is 25,000,000"):
        attach(tmp_path / "big")


def test_a_file_that_says_it_is_empty_and_is_not_has_the_same_limit():
    """Files in /proc have no size and any length."""
    if not os.path.exists("/proc/self/smaps"):
        pytest.skip("there is no such file here")
    with pytest.raises(CannotAttach, match="the limit is 100"):
        attach("/proc/self/smaps", most_bytes=100)


# A scan in a thread: whoever stops waiting for it can close it at once.


class SlowWalk:
    """A walk that is in the middle of its entries until it is let go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self._entries = self._walk()

    def _walk(self) -> Generator[tuple[FolderEntry, ...], None, None]:
        self.begun.set()
        self.go_on.wait()
        yield ()

    def more(self) -> tuple[FolderEntry, ...]:
        return tuple(next(self._entries, ()))

    def close(self) -> None:
        self._entries.close()


@in_loop
async def test_closing_waits_for_what_nobody_waits_for_any_more(tmp_path: Path):
    walk = SlowWalk()
    scan = ThreadedScan(cast("FolderWalk", walk))
    looking = asyncio.get_running_loop().create_task(scan.more())
    await asyncio.to_thread(walk.begun.wait)
    looking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looking
    closing = asyncio.get_running_loop().create_task(scan.close())
    await asyncio.sleep(0.01)
    walk.go_on.set()
    await closing


# A folder that is attached: its text files come, everything else is named, and nothing leads out of it.


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
