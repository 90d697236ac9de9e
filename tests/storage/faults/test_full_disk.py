"""A disk that is full: said clearly, nothing acknowledged lost, and everything works again when there is room."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are needed")
@pytest.mark.parametrize("by", ["file size", "pages"])
def test_when_there_is_no_room_nothing_is_lost(tmp_path: Path, by: str) -> None:
    command = [sys.executable, "-m", "tests.storage.faults.full_disk", str(tmp_path / "history.db"), by]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert (done.stderr, done.returncode) == ("", 0)
    told = json.loads(done.stdout)
    assert len(told["acknowledged"]) > 5
    assert "Nothing that was saved before is lost. Make room on the disk" in told["refusal"]
    assert told["while full"] == told["acknowledged"]
    assert told["found"] == [*told["acknowledged"], "after"]
    assert told["problems"] == []
    assert told["again"] or by == "file size"
