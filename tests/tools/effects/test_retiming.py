"""The time of a file becomes now, and what it was again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.workspaces import fill
from workbench.tools.effects.effects import Retime, undo_times
from workbench.tools.workspace.paths import Refused, parse_path
from workbench.tools.workspace.workspace import Workspace

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
