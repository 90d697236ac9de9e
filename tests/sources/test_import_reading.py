"""Files to be imported: regular ones, of a size that can be handled, in folders two levels deep."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.domain.errors import InvalidInput
from workbench.ports.exchange_files import FilesFound, NamedFile
from workbench.sources import exchange_files
from workbench.sources.exchange_files import read_paths


def contents(found: FilesFound) -> list[list[NamedFile]]:
    return [[(file.name, file.load()) for file in group.files] for group in found.groups]


def test_files_of_a_folder_belong_together(tmp_path: Path):
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    for name in ("b.json", "a.MD", "c.png"):
        (folder / name).write_text(name)
    (tmp_path / "single").write_text("s")
    found = read_paths([str(folder), str(tmp_path / "single")])
    assert contents(found) == [[("single", b"s")], [("a.MD", b"a.MD"), ("b.json", b"b.json")]]
    assert found.passed_over == (f"{folder}: 1 other thing in it was not read (.png)",)
    beside = {name: file.load() for name, file in found.groups[1].beside.items()}
    assert beside == {"a.MD": b"a.MD", "b.json": b"b.json", "c.png": b"c.png"}


def test_what_lies_deeper_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exchange_files, "_DEEPEST", 1)
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
    assert found.groups == ()
    assert found.problems == (
        f"{tmp_path / 'nowhere'}: No such file or directory; left out",
        f"{tmp_path / 'empty'}: there is no file in it to import",
        f"{tmp_path / 'odd'}: there is no file in it to import",
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a Unix thing")
def test_a_named_pipe_does_not_keep_us_waiting(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.json")
    assert read_paths([str(tmp_path / "pipe.json")]).problems == (
        f"{tmp_path / 'pipe.json'}: it is not a regular file; left out",
    )


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exchange_files, "LARGEST_FILE_BYTES", 10)
    (tmp_path / "large.json").write_bytes(b"x" * 11)
    found = read_paths([str(tmp_path / "large.json")])
    assert found.groups == ()
    assert found.problems[0].endswith("import it in parts; left out")


def test_a_folder_of_folders_is_read_folder_by_folder(tmp_path: Path):
    """An export of several chats looks like this, and must come back in as it went out."""
    for chat in ("one", "two"):
        (tmp_path / "out" / chat).mkdir(parents=True)
        (tmp_path / "out" / chat / "0001.json").write_text(chat)
    assert contents(read_paths([str(tmp_path / "out")])) == [[("0001.json", b"one")], [("0001.json", b"two")]]


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(exchange_files, "MOST_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.json").write_text("{}")
    found = read_paths([str(tmp_path)])
    assert (found.groups, len(found.problems)) == ((), 1)
    assert "more than 3 files" in found.problems[0]


def test_a_file_that_goes_away_meanwhile_is_said(tmp_path: Path):
    (tmp_path / "a.json").write_text("{}")
    (group,) = read_paths([str(tmp_path / "a.json")]).groups
    (tmp_path / "a.json").unlink()
    with pytest.raises(InvalidInput, match="No such file"):
        group.files[0].load()


def test_a_link_in_a_folder_is_not_followed(tmp_path: Path):
    """Whoever gave somebody the folder must not choose what else is read."""
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.json").write_text("{}")
    (tmp_path / "out" / "b.json").symlink_to(tmp_path / "secret")
    found = read_paths([str(tmp_path / "out")])
    assert contents(found) == [[("a.json", b"{}")]]
    assert set(found.groups[0].beside) == {"a.json"}
    assert found.passed_over == (f"{tmp_path / 'out'}: 1 other thing in it was not read (links)",)
