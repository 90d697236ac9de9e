"""The effect of writing and removing, and its note."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.workspaces import fill, tree_of
from workbench.files.writing import FileState
from workbench.tools.effects.effects import Rewrite, done_from_json, undo_rewrite
from workbench.tools.effects.steps import Step
from workbench.tools.workspace.paths import Refused, parse_path
from workbench.tools.workspace.states import digest_of
from workbench.tools.workspace.workspace import Workspace


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
