"""An open folder: names lead to what is in it, and to nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fakes.workspaces import OpenRoot, every_way_in, fill
from workbench.files.folders import Barred, DirectoryFolder


@every_way_in
def test_files_are_made_read_replaced_moved_and_removed(open_root: OpenRoot, tmp_path: Path):
    folder = open_root(str(tmp_path))
    descriptor = folder.create_file("a", 0o600)
    os.write(descriptor, b"words")
    os.close(descriptor)
    os.close(folder.create_file("b", 0o600))
    folder.replace("b", by="a")
    descriptor = folder.open_file("b")
    assert os.read(descriptor, 10) == b"words"
    os.close(descriptor)
    folder.make_folder("sub", 0o755)
    inner = folder.enter("sub")
    folder.move("b", inner, "c")
    inner.set_mode(0o700)
    assert (folder.names(), inner.names()) == (["sub"], ["c"])
    inner.remove_file("c")
    inner.sync()
    inner.close()
    folder.remove_folder("sub")
    assert folder.names() == []
    folder.close()


@every_way_in
def test_moving_onto_something_fails_and_loses_nothing(open_root: OpenRoot, tmp_path: Path):
    fill(tmp_path, {"a": "1", "b": "2", "folder/": "", "other/": ""})
    folder = open_root(str(tmp_path))
    for name, onto in (("a", "b"), ("folder", "other"), ("a", "folder")):
        with pytest.raises(FileExistsError):
            folder.move(name, folder, onto)
    folder.close()
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("1", "2")


@every_way_in
def test_a_link_is_neither_entered_nor_opened(open_root: OpenRoot, tmp_path: Path):
    fill(tmp_path, {"real/secret": "x", "root/": ""})
    (tmp_path / "root" / "folder").symlink_to(tmp_path / "real")
    (tmp_path / "root" / "file").symlink_to(tmp_path / "real" / "secret")
    folder = open_root(str(tmp_path / "root"))
    with pytest.raises(Barred, match="links are not followed"):
        folder.enter("folder")
    with pytest.raises((Barred, OSError)):
        folder.open_file("file")
    folder.close()


@every_way_in
def test_a_file_is_not_entered_and_a_missing_folder_is_missing(open_root: OpenRoot, tmp_path: Path):
    fill(tmp_path, {"a": "1"})
    folder = open_root(str(tmp_path))
    with pytest.raises(Barred):
        folder.enter("a")
    with pytest.raises(FileNotFoundError):
        folder.enter("b")
    assert folder.look("b") is None
    folder.close()


def test_an_open_folder_stays_the_one_it_was(tmp_path: Path):
    """A folder that is swapped for a link while it is open must not lead to the link's target."""
    fill(tmp_path, {"root/sub/a": "inside", "outside/a": "secret"})
    root = DirectoryFolder.at(str(tmp_path / "root"))
    sub = root.enter("sub")
    (tmp_path / "root" / "sub").rename(tmp_path / "root" / "moved")
    (tmp_path / "root" / "sub").symlink_to(tmp_path / "outside")
    descriptor = sub.open_file("a")
    assert os.read(descriptor, 10) == b"inside"
    os.close(descriptor)
    sub.close()
    root.close()


@every_way_in
def test_a_pipe_that_took_a_files_place_does_not_hold_anybody_up(open_root: OpenRoot, tmp_path: Path):
    """It may be swapped in after the look; opening one waits for a writer, for ever."""
    os.mkfifo(tmp_path / "pipe")
    folder = open_root(str(tmp_path))
    os.close(folder.open_file("pipe"))
    folder.close()
