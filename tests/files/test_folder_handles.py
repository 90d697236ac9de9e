"""A folder that is held open, by the way that its system has."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.fakes.workspaces import fill
from workbench.files import folder_handles
from workbench.files.folder_handles import CheckedFolder, open_folder
from workbench.files.folders import DirectoryFolder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, a folder, and links that lead out of it."""
    fill(tmp_path, {"outside/secret": "secret", "here/below/deep": "deep", "here/a": "alpha"})
    here = tmp_path / "here"
    (here / "link").symlink_to(tmp_path / "outside" / "secret")
    (here / "way").symlink_to(tmp_path / "outside")
    return here


def test_what_is_no_folder_is_refused(folder: Path):
    for name in ("a", "nowhere"):
        with pytest.raises(OSError):  # noqa: PT011
            open_folder(str(folder / name))


def test_where_folders_have_no_handles_their_paths_are_checked(folder: Path, monkeypatch: pytest.MonkeyPatch):
    with closing(open_folder(str(folder))) as here:
        assert isinstance(here, DirectoryFolder)
    monkeypatch.setattr(folder_handles, "HAS_FOLDER_HANDLES", False)
    assert isinstance(open_folder(str(folder)), CheckedFolder)
