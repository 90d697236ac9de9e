"""Folders without handles: what no longer lies in the workspace is noticed. What both kinds do is in test_folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.workspaces import fill
from workbench.files.folder_handles import CheckedFolder
from workbench.files.folders import Barred


def test_a_folder_swapped_for_a_link_is_noticed(tmp_path: Path):
    fill(tmp_path, {"root/sub/a": "inside", "outside/a": "secret"})
    sub = CheckedFolder.at(str(tmp_path / "root")).enter("sub")
    (tmp_path / "root" / "sub").rename(tmp_path / "root" / "moved")
    (tmp_path / "root" / "sub").symlink_to(tmp_path / "outside")
    for use in (
        lambda: sub.open_file("a"),
        sub.names,
        lambda: sub.remove_file("a"),
        lambda: sub.set_mode(0o777),
    ):
        with pytest.raises(Barred, match="any more"):
            use()
    assert (tmp_path / "outside" / "a").read_text() == "secret"


def test_another_stream_of_a_file_is_not_a_name(tmp_path: Path):
    with pytest.raises(Barred, match="colon"):
        CheckedFolder.at(str(tmp_path)).look("a.txt:hidden")


def test_the_workspace_is_a_folder(tmp_path: Path):
    fill(tmp_path, {"a": "1"})
    with pytest.raises(NotADirectoryError):
        CheckedFolder.at(str(tmp_path / "a"))


def test_the_workspace_may_be_reached_through_a_link(tmp_path: Path):
    fill(tmp_path, {"real/a": "1"})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert CheckedFolder.at(str(tmp_path / "link")).names() == ["a"]
