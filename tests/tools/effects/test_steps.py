"""Steps: checked together, made together, taken back together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.workspaces import OpenRoot, every_way_in, fill, tree_of, workspace_in
from workbench.files.writing import FileState
from workbench.tools.effects.steps import Step, apply_steps, check_steps, missing_parents, undo_steps
from workbench.tools.workspace.paths import Refused, parse_path
from workbench.tools.workspace.states import FolderState, State, digest_of
from workbench.tools.workspace.workspace import Workspace


def step(workspace: Workspace, path: str, result: State) -> Step:
    return Step(parse_path(path), digest_of(workspace.state(parse_path(path))), result)


@every_way_in
def test_steps_are_made_in_order_and_undone_in_reverse(open_root: OpenRoot, tmp_path: Path):
    fill(tmp_path, {"old/a": "1", "b": "2"})
    (tmp_path / "old").chmod(0o711)
    before = tree_of(tmp_path)
    workspace = workspace_in(tmp_path, open_root)
    steps = [
        step(workspace, "old/a", None),
        step(workspace, "old", None),
        step(workspace, "new", FolderState()),
        step(workspace, "new/c", FileState(b"3")),
        step(workspace, "b", FileState(b"22", 0o600)),
    ]
    done = apply_steps(workspace, steps)
    assert sorted(tree_of(tmp_path)) == ["b", "new", "new/c"]
    apply_steps(workspace, undo_steps(done))
    assert tree_of(tmp_path) == before


def test_one_wrong_place_and_nothing_is_changed(tmp_path: Path):
    fill(tmp_path, {"a": "1", "b": "2"})
    workspace = Workspace(tmp_path)
    steps = [step(workspace, "a", None), step(workspace, "b", None)]
    (tmp_path / "b").write_text("changed")
    before = tree_of(tmp_path)
    with pytest.raises(Refused, match="b is not as it was"):
        apply_steps(workspace, steps)
    assert tree_of(tmp_path) == before


def test_a_failure_on_the_way_takes_back_what_was_done(tmp_path: Path):
    """The third step cannot be made: its folder is a file by then. What the first two did must not stay."""
    fill(tmp_path, {"a": "1", "b": "2"})
    before = tree_of(tmp_path)
    workspace = Workspace(tmp_path)
    steps = [
        step(workspace, "a", FileState(b"one", 0o644)),
        step(workspace, "new", FileState(b"a file")),
        step(workspace, "new/inside", FileState(b"x")),
    ]
    with pytest.raises(Refused):
        apply_steps(workspace, steps)
    assert tree_of(tmp_path) == before


def test_a_folder_with_other_things_in_it_is_not_removed(tmp_path: Path):
    fill(tmp_path, {"folder/a": "1", "folder/other": "2"})
    workspace = Workspace(tmp_path)
    steps = [step(workspace, "folder/a", None), step(workspace, "folder", None)]
    with pytest.raises(Refused, match="other things"):
        apply_steps(workspace, steps)
    assert check_steps(workspace, steps, gone=[parse_path("folder/other")])
    assert (tmp_path / "folder" / "a").exists()


def test_the_folders_that_are_missing_are_found(tmp_path: Path):
    fill(tmp_path, {"a/": ""})
    steps = missing_parents(Workspace(tmp_path), parse_path("a/b/c/file"))
    assert [str(one.path) for one in steps] == ["a/b", "a/b/c"]
