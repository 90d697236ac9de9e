"""A file is written whole or not at all, with the permissions it had."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.fakes.workspaces import OpenRoot, every_way_in, fill
from workbench.tools.workspace.file_writing import identity, write_file
from workbench.tools.workspace.folders import DirectoryFolder
from workbench.tools.workspace.refusals import Refused
from workbench.tools.workspace.states import FileState


@every_way_in
def test_a_new_file_gets_the_usual_mode(open_root: OpenRoot, tmp_path: Path):
    (tmp_path / "usual").touch()
    folder = open_root(str(tmp_path))
    left = write_file(folder, "new", FileState(b"words"), None)
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
    write_file(folder, "a", wanted, folder.look("a"))
    folder.close()
    found = (tmp_path / "a").stat()
    assert (stat.S_IMODE(found.st_mode), found.st_mtime_ns) == (0o750, 1_700_000_000_000_000_000)


def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(tmp_path: Path):
    fill(tmp_path, {"a": "old", "b": "there"})
    folder = DirectoryFolder.at(str(tmp_path))
    looked = folder.look("a")
    (tmp_path / "a").write_text("theirs, and longer")
    with pytest.raises(Refused, match="somebody else"):
        write_file(folder, "a", FileState(b"ours"), looked)
    with pytest.raises(FileExistsError):
        write_file(folder, "b", FileState(b"ours"), None)
    folder.close()
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("theirs, and longer", "there")
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_leftover_of_an_earlier_attempt_is_not_in_the_way(tmp_path: Path):
    leftover = f".workbench-{os.getpid()}-0.tmp"
    fill(tmp_path, {leftover: "half"})
    folder = DirectoryFolder.at(str(tmp_path))
    write_file(folder, "a", FileState(b"whole"), None)
    folder.close()
    assert ((tmp_path / "a").read_text(), (tmp_path / leftover).read_text()) == ("whole", "half")


def test_a_file_is_recognised_without_reading_it(tmp_path: Path):
    fill(tmp_path, {"a": "1"})
    before = identity((tmp_path / "a").stat())
    assert identity((tmp_path / "a").stat()) == before
    (tmp_path / "a").write_text("22")
    assert identity((tmp_path / "a").stat()) != before
