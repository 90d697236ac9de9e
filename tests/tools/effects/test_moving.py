"""The effect of moving, and moving back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.workspaces import fill, tree_of
from workbench.tools.effects.effects import Move, content_mark, relocate, undo_move
from workbench.tools.effects.steps import missing_parents
from workbench.tools.workspace.paths import Refused, parse_path
from workbench.tools.workspace.workspace import MOST_FILE_BYTES, Workspace


def moving(workspace: Workspace, source: str, target: str) -> Move:
    path = parse_path(source)
    folders = missing_parents(workspace, parse_path(target))
    return Move(path, parse_path(target), folders, content_mark(workspace, path))


@pytest.mark.parametrize("source", ["a.txt", "folder"])
def test_moving_there_and_back_changes_nothing(source: str, tmp_path: Path):
    fill(tmp_path, {"a.txt": "1", "folder/b": "2"})
    before, workspace = tree_of(tmp_path), Workspace(tmp_path)
    note = moving(workspace, source, "new/place/x").apply(workspace)
    assert (tmp_path / "new/place/x").exists()
    assert undo_move(workspace, note) == source
    assert tree_of(tmp_path) == before


def test_a_changed_file_is_neither_moved_nor_moved_back(tmp_path: Path):
    fill(tmp_path, {"a": "1"})
    workspace = Workspace(tmp_path)
    move = moving(workspace, "a", "b")
    (tmp_path / "a").write_text("2")
    with pytest.raises(Refused, match="not as it was"):
        move.apply(workspace)
    note = moving(workspace, "a", "b").apply(workspace)
    (tmp_path / "b").write_text("3")
    with pytest.raises(Refused, match="changed since"):
        undo_move(workspace, note)


def test_the_old_place_must_be_free_and_the_made_folders_empty(tmp_path: Path):
    fill(tmp_path, {"a": "1"})
    workspace = Workspace(tmp_path)
    note = moving(workspace, "a", "new/a").apply(workspace)
    fill(tmp_path, {"new/other": "2"})
    with pytest.raises(Refused, match="other things"):
        undo_move(workspace, note)
    (tmp_path / "new/other").unlink()
    fill(tmp_path, {"a": "somebody else's"})
    before = tree_of(tmp_path)
    with pytest.raises(FileExistsError):
        undo_move(workspace, note)
    assert tree_of(tmp_path) == before


def test_a_move_that_fails_leaves_no_folders(tmp_path: Path):
    fill(tmp_path, {"a": "1"})
    workspace = Workspace(tmp_path)
    move = moving(workspace, "a", "new/a")
    before = tree_of(tmp_path)

    class Vanishing(Workspace):
        """The file goes away between the check and the move."""

        def folder(self, path):
            if (tmp_path / "new").exists() and (tmp_path / "a").exists():
                (tmp_path / "a").rename(tmp_path.parent / "gone")
            return super().folder(path)

    with pytest.raises((Refused, OSError)):
        move.apply(Vanishing(tmp_path))
    assert tree_of(tmp_path) == {name: state for name, state in before.items() if name != "a"}


def test_a_large_file_is_known_by_its_size_and_time(tmp_path: Path):
    with open(tmp_path / "big", "wb") as file:
        file.truncate(MOST_FILE_BYTES + 1)
    assert content_mark(Workspace(tmp_path), parse_path("big")).startswith("large (8388609, ")


def test_relocating_never_overwrites(tmp_path: Path):
    fill(tmp_path, {"a": "1", "b": "2"})
    with pytest.raises(FileExistsError):
        relocate(Workspace(tmp_path), parse_path("a"), parse_path("b"))
