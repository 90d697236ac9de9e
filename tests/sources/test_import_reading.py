"""Files to be imported: regular ones, of a size that can be handled, in folders two levels deep."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.ports.exchange_files import FilesFound
from workbench.sources import import_reading
from workbench.sources.import_reading import read_paths


def test_files_of_a_folder_belong_together(tmp_path: Path):
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    for name in ("b.json", "a.MD", "c.png"):
        (folder / name).write_text(name)
    (tmp_path / "single").write_text("s")
    assert read_paths([str(folder), str(tmp_path / "single")]) == FilesFound(
        ((("single", b"s"),), (("a.MD", b"a.MD"), ("b.json", b"b.json"))),
        passed_over=(f"{folder}: 1 other thing in it was not read (.png)",),
    )


def test_what_lies_deeper_is_told(tmp_path: Path):
    (tmp_path / "out" / "chat" / "deep").mkdir(parents=True)
    (tmp_path / "out" / "chat" / "a.json").write_text("{}")
    (tmp_path / "out" / "chat" / "LICENSE").write_text("x")
    assert read_paths([str(tmp_path / "out")]).passed_over == (
        f"{tmp_path / 'out' / 'chat'}: 2 other things in it were not read (folders, no ending)",
    )


def test_what_cannot_be_read_is_named(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "folder.json").mkdir()
    found = read_paths([str(tmp_path / "nowhere"), str(tmp_path / "empty"), str(tmp_path / "odd")])
    assert found.groups == ((), ())
    assert len(found.problems) == 3
    assert found.problems[1] == f"{tmp_path / 'nowhere'}: No such file or directory; left out"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a Unix thing")
def test_a_named_pipe_does_not_keep_us_waiting(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.json")
    assert read_paths([str(tmp_path / "pipe.json")]).problems == (
        f"{tmp_path / 'pipe.json'}: it is not a regular file; left out",
    )


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(import_reading, "LARGEST_FILE_BYTES", 10)
    (tmp_path / "large.json").write_bytes(b"x" * 11)
    found = read_paths([str(tmp_path / "large.json")])
    assert found.groups == ((),)
    assert found.problems[0].endswith("import it in parts; left out")


def test_a_folder_of_folders_is_read_folder_by_folder(tmp_path: Path):
    """An export of several chats looks like this, and must come back in as it went out."""
    for chat in ("one", "two"):
        (tmp_path / "out" / chat).mkdir(parents=True)
        (tmp_path / "out" / chat / "0001.json").write_text(chat)
    assert read_paths([str(tmp_path / "out")]) == FilesFound(
        ((("0001.json", b"one"),), (("0001.json", b"two"),))
    )
