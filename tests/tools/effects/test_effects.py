"""Fingerprints tell changes apart."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.workspaces import fill, tree_of
from workbench.files.writing import FileState
from workbench.tools.effects.effects import (
    Move,
    Retime,
    Rewrite,
    content_mark,
    done_from_json,
    fingerprint_of,
    rename_path,
    undo_move,
    undo_rewrite,
    undo_times,
)
from workbench.tools.effects.steps import Step, missing_parents
from workbench.tools.workspace.paths import Refused, parse_path
from workbench.tools.workspace.states import digest_of
from workbench.tools.workspace.workspace import MOST_FILE_BYTES, Workspace


def test_parts_do_not_run_into_one_another():
    assert fingerprint_of(["ab", "c"]) != fingerprint_of(["a", "bc"])
    assert fingerprint_of(["a", ""]) != fingerprint_of(["a"])
    assert fingerprint_of(["a", "b"]) == fingerprint_of(["a", "b"])


# The effect of writing and removing, and its note.


def replacing(workspace: Workspace, name: str, content: bytes) -> Rewrite:
    path = parse_path(name)
    return Rewrite((Step(path, digest_of(workspace.state(path)), FileState(content, 0o644)),))


def test_a_note_that_went_through_json_brings_the_file_back(tmp_path: Path):
    fill(tmp_path, {"a": b"\x00\xff old"})
    before, workspace = tree_of(tmp_path), Workspace(tmp_path)
    note = json.loads(json.dumps(replacing(workspace, "a", b"new").apply(workspace)))
    assert (tmp_path / "a").read_bytes() == b"new"
    assert undo_rewrite(workspace, note) == "a"
    assert tree_of(tmp_path) == before


def test_equal_changes_have_equal_fingerprints(tmp_path: Path):
    fill(tmp_path, {"a": "1"})
    workspace = Workspace(tmp_path)
    first = replacing(workspace, "a", b"new").fingerprint
    assert replacing(workspace, "a", b"new").fingerprint == first
    assert replacing(workspace, "a", b"other").fingerprint != first
    (tmp_path / "a").write_text("2")
    assert replacing(workspace, "a", b"new").fingerprint != first


@pytest.mark.parametrize(
    "written",
    [
        None,
        {},
        [1],
        [{"path": "../x", "before": None, "left": ""}],
        [{"path": "/etc/x", "before": None, "left": ""}],
    ],
)
def test_a_note_from_elsewhere_leads_nowhere_else(written: Any):
    """Langflow CVE-2026-33497: the second way in is checked like the first."""
    with pytest.raises(Refused):
        done_from_json(written)


# The effect of moving, and moving back.


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
        rename_path(Workspace(tmp_path), parse_path("a"), parse_path("b"))


# The time of a file becomes now, and what it was again.


LONG_AGO_NS = 1_000_000_000_000_000_000


def test_a_time_is_set_and_given_back(tmp_path: Path):
    fill(tmp_path, {"a": "1"})
    os.utime(tmp_path / "a", ns=(LONG_AGO_NS, LONG_AGO_NS))
    workspace = Workspace(tmp_path)
    note = Retime(parse_path("a"), LONG_AGO_NS).apply(workspace)
    assert (tmp_path / "a").stat().st_mtime_ns > LONG_AGO_NS
    assert undo_times(workspace, note) == "a"
    assert (tmp_path / "a").stat().st_mtime_ns == LONG_AGO_NS


def test_a_file_that_was_written_since_keeps_its_time(tmp_path: Path):
    fill(tmp_path, {"a": "1"})
    workspace = Workspace(tmp_path)
    with pytest.raises(Refused, match="written since"):
        Retime(parse_path("a"), LONG_AGO_NS).apply(workspace)
    note = Retime(parse_path("a"), (tmp_path / "a").stat().st_mtime_ns).apply(workspace)
    os.utime(tmp_path / "a", ns=(LONG_AGO_NS, LONG_AGO_NS))
    with pytest.raises(Refused, match="written since"):
        undo_times(workspace, note)


@pytest.mark.parametrize("before", [None, [1], ["1", "2"], 5])
def test_a_damaged_note_is_refused(before: Any, tmp_path: Path):
    with pytest.raises(Refused, match="damaged"):
        undo_times(Workspace(tmp_path), {"path": "a", "before_ns": before, "left_ns": 1})


def test_the_fingerprint_is_of_the_file_and_its_time():
    one = Retime(parse_path("a"), 1).fingerprint
    assert one == Retime(parse_path("a"), 1).fingerprint
    assert len({one, Retime(parse_path("a"), 2).fingerprint, Retime(parse_path("b"), 1).fingerprint}) == 3
