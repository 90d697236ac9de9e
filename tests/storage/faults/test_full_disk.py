"""A disk that is full: said clearly, nothing acknowledged lost, and everything works again when there is room."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.storage.test_opening import filled

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


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are needed")
@pytest.mark.parametrize(("room", "existing"), [(50_000, True), (100_000, False)])
def test_a_backup_without_room_leaves_nothing_behind(tmp_path: Path, room: int, existing: bool) -> None:
    """It ended in a traceback, and half a database was left in the folder."""
    asyncio.run(filled(tmp_path / "data"))
    target = tmp_path / "on" / "copy"
    target.parent.mkdir()
    if existing:
        target.mkdir()
    given = [str(tmp_path / "data"), str(target), str(room)]
    command = [sys.executable, "-m", "tests.storage.faults.full_backup", *given]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert (done.stderr, done.returncode) == ("", 0)
    assert f"The backup at {target}/store.db was refused: it could not be written (" in done.stdout
    assert "make room there, or choose another place. The history" in done.stdout
    assert [path.name for path in target.parent.rglob("*")] == (["copy"] if existing else [])
