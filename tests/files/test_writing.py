"""A file is written whole or not at all: its owner's alone by its path, with the permissions it had in a folder."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from tests.fakes.workspaces import OpenRoot, every_way_in, fill
from workbench.files import writing
from workbench.files.folders import Barred, DirectoryFolder
from workbench.files.writing import (
    FileState,
    create_private,
    identity,
    sync_file,
    sync_folder,
    temporary_name,
    write_in,
    write_named,
    write_whole,
)


@every_way_in
def test_a_new_file_gets_the_usual_mode(open_root: OpenRoot, tmp_path: Path):
    (tmp_path / "usual").touch()
    folder = open_root(str(tmp_path))
    left = write_in(folder, "new", FileState(b"words"), None)
    folder.close()
    usual = stat.S_IMODE((tmp_path / "usual").stat().st_mode)
    assert left == FileState(b"words", usual)
    assert ((tmp_path / "new").read_bytes(), os.listdir(tmp_path).sort()) == (b"words", None)
    assert sorted(os.listdir(tmp_path)) == ["new", "usual"]


@every_way_in
def test_a_replaced_file_gets_the_wanted_mode_and_time(open_root: OpenRoot, tmp_path: Path):
    fill(tmp_path, {"a": "old"})
    folder = open_root(str(tmp_path))
    wanted = FileState(b"new", 0o750, 1_700_000_000_000_000_000)
    write_in(folder, "a", wanted, folder.look("a"))
    folder.close()
    found = (tmp_path / "a").stat()
    assert (stat.S_IMODE(found.st_mode), found.st_mtime_ns) == (0o750, 1_700_000_000_000_000_000)


def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(tmp_path: Path):
    fill(tmp_path, {"a": "old", "b": "there"})
    folder = DirectoryFolder.at(str(tmp_path))
    looked = folder.look("a")
    (tmp_path / "a").write_text("theirs, and longer")
    with pytest.raises(Barred, match="another program"):
        write_in(folder, "a", FileState(b"ours"), looked)
    with pytest.raises(FileExistsError):
        write_in(folder, "b", FileState(b"ours"), None)
    folder.close()
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("theirs, and longer", "there")
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_leftover_of_an_earlier_attempt_is_not_in_the_way(tmp_path: Path):
    leftover = f".workbench-{os.getpid()}-0.tmp"
    fill(tmp_path, {leftover: "half"})
    folder = DirectoryFolder.at(str(tmp_path))
    write_in(folder, "a", FileState(b"whole"), None)
    folder.close()
    assert ((tmp_path / "a").read_text(), (tmp_path / leftover).read_text()) == ("whole", "half")


def test_a_file_is_recognised_without_reading_it(tmp_path: Path):
    fill(tmp_path, {"a": "1"})
    before = identity((tmp_path / "a").stat())
    assert identity((tmp_path / "a").stat()) == before
    (tmp_path / "a").write_text("22")
    assert identity((tmp_path / "a").stat()) != before


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_file_is_replaced_whole_and_closed_to_others(tmp_path: Path):
    path = tmp_path / "keys.json"
    path.write_bytes(b"old")
    temporary_name(path).write_bytes(b"left behind by a kill, open to all")
    temporary_name(path).chmod(0o666)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert mode(path) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["keys.json"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path):
    path = tmp_path / "keys.json"
    path.write_bytes(b"old")
    temporary_name(path).mkdir()
    with pytest.raises(OSError):  # noqa: PT011  (which one is the system's choice)
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


def test_a_person_s_file_is_replaced_whole_with_its_mode_and_through_its_link(tmp_path: Path):
    file, link = tmp_path / "case.json", tmp_path / "link.json"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_named(link, b"new")
    assert (file.read_bytes(), link.is_symlink(), file.stat().st_mode & 0o777) == (b"new", True, 0o640)
    write_named(tmp_path / "another", b"new")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["another", "case.json", "link.json"]
    with pytest.raises(IsADirectoryError):
        write_named(tmp_path, b"new")


def test_a_file_that_may_not_be_written_is_not_replaced_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "case.json").write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # an administrator may write everything
    with pytest.raises(PermissionError):
        write_named(tmp_path / "case.json", b"new")
    assert (tmp_path / "case.json").read_bytes() == b"old"


def test_a_full_disk_leaves_a_person_s_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It was opened and cut before anything was written: a case lost its turns."""

    def full(stream: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "case.json").write_bytes(b"old")
    monkeypatch.setattr(writing, "sync_stream", full)
    with pytest.raises(OSError, match="No space"):
        write_named(tmp_path / "case.json", b"new")
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"old"]


def test_syncing_changes_nothing(tmp_path: Path):
    (tmp_path / "f").write_bytes(b"x")
    sync_file(tmp_path / "f")
    sync_folder(tmp_path)
    assert (tmp_path / "f").read_bytes() == b"x"


def test_a_new_file_is_its_owner_s_and_takes_nobody_s_place(tmp_path: Path):
    with create_private(tmp_path / "a") as stream:
        stream.write(b"mine")
    assert (mode(tmp_path / "a"), (tmp_path / "a").read_bytes()) == (0o600, b"mine")
    with pytest.raises(FileExistsError):
        create_private(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"mine"
