"""A folder that is held open: its own things are read, a link in it leads nowhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.sources import held_folder
from workbench.sources.held_folder import HeldFolder


@pytest.fixture(params=["by handle", "by path"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file, a folder, and links that lead out of it."""
    if request.param == "by path":
        monkeypatch.setattr(held_folder, "_BY_HANDLE", False)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret")
    here = tmp_path / "here"
    (here / "below").mkdir(parents=True)
    (here / "below" / "deep").write_text("deep")
    (here / "a").write_text("alpha")
    (here / "link").symlink_to(tmp_path / "outside" / "secret")
    (here / "way").symlink_to(tmp_path / "outside")
    return here


def text(here: HeldFolder, name: str) -> str:
    with open(here.open_file(name), encoding="utf-8") as stream:
        return stream.read()


def test_what_is_in_it_is_read(folder: Path):
    with HeldFolder.at(str(folder)) as here:
        assert here.names() == ["a", "below", "link", "way"]
        assert text(here, "a") == "alpha"
        with here.enter("below") as below:
            assert text(below, "deep") == "deep"
        assert here.status("a").st_size == 5


def test_a_link_is_not_followed(folder: Path):
    with HeldFolder.at(str(folder)) as here:
        with pytest.raises(OSError):  # noqa: PT011  (which one depends on the system)
            here.open_file("link")
        with pytest.raises(OSError):  # noqa: PT011
            here.enter("way")
        assert here.status("link").st_mode & 0o170000 == 0o120000


@pytest.mark.skipif(os.name == "nt", reason="there a folder is known by its path")
def test_swapping_the_folder_for_a_link_leads_nowhere(tmp_path: Path):
    """Opened by path, a folder that is exchanged in the middle of the reading would give away another one's files."""
    for name in ("own", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text(name)
    with HeldFolder.at(str(tmp_path / "own")) as here:
        (tmp_path / "own").rename(tmp_path / "moved")
        (tmp_path / "own").symlink_to(tmp_path / "other")
        assert text(here, "a") == "own"


def test_what_is_no_folder_is_refused(folder: Path):
    for name in ("a", "nowhere"):
        with pytest.raises(OSError):  # noqa: PT011
            HeldFolder.at(str(folder / name))
