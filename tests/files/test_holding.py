"""A folder that is held open: its own things are read, a link in it leads nowhere."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.workspaces import OpenRoot, every_way_in, fill
from workbench.files import holding
from workbench.files.checked_folders import CheckedFolder
from workbench.files.folders import DirectoryFolder
from workbench.files.holding import open_below, open_folder, read_regular


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, a folder, and links that lead out of it."""
    fill(tmp_path, {"outside/secret": "secret", "here/below/deep": "deep", "here/a": "alpha"})
    here = tmp_path / "here"
    (here / "link").symlink_to(tmp_path / "outside" / "secret")
    (here / "way").symlink_to(tmp_path / "outside")
    return here


@every_way_in
def test_what_is_in_it_is_read(open_root: OpenRoot, folder: Path):
    with closing(open_root(str(folder))) as here:
        assert here.names() == ["a", "below", "link", "way"]
        content, status = read_regular(open_below(here, ["a"]), 100)
        assert (content, status.st_size) == (b"alpha", 5)
        assert read_regular(open_below(here, ["below", "deep"]), 100)[0] == b"deep"


@every_way_in
@pytest.mark.parametrize("steps", [["link"], ["way", "secret"], ["nowhere"], ["a", "b"]])
def test_a_way_over_a_link_or_to_nothing_is_refused(open_root: OpenRoot, folder: Path, steps: list[str]):
    with closing(open_root(str(folder))) as here, pytest.raises(OSError):  # noqa: PT011  (the system chooses)
        open_below(here, steps)


@every_way_in
def test_no_folder_on_the_way_stays_open(open_root: OpenRoot, folder: Path):
    """A walk over thousands of files would otherwise end with "too many open files"."""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("open files are counted where the system shows them")
    with closing(open_root(str(folder))) as here:
        before = sorted(os.listdir("/proc/self/fd"))
        for _ in range(3):
            read_regular(open_below(here, ["below", "deep"]), 1)
            with pytest.raises(OSError):  # noqa: PT011
                open_below(here, ["below", "nothing"])
        assert sorted(os.listdir("/proc/self/fd")) == before


def test_no_more_is_read_than_shows_that_it_is_too_much(folder: Path):
    with closing(open_folder(str(folder))) as here:
        assert read_regular(open_below(here, ["a"]), 2)[0] == b"alp"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a Unix thing")
def test_a_pipe_is_no_file_and_holds_nobody_up(folder: Path):
    os.mkfifo(folder / "pipe")
    with closing(open_folder(str(folder))) as here, pytest.raises(ValueError, match="not a regular file"):
        read_regular(here.open_file("pipe"), 10)


def test_what_is_no_folder_is_refused(folder: Path):
    for name in ("a", "nowhere"):
        with pytest.raises(OSError):  # noqa: PT011
            open_folder(str(folder / name))


def test_where_folders_have_no_handles_their_paths_are_checked(folder: Path, monkeypatch: pytest.MonkeyPatch):
    with closing(open_folder(str(folder))) as here:
        assert isinstance(here, DirectoryFolder)
    monkeypatch.setattr(holding, "HAS_FOLDER_HANDLES", False)
    assert isinstance(open_folder(str(folder)), CheckedFolder)
