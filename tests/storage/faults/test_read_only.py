"""A folder or file that may not be written: said clearly, nothing changed, and fine again when it may."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that anybody can reach; pytest's own are for their owner only."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    (made / "data").mkdir()
    yield made / "data"
    shutil.rmtree(made)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another thing there")
@pytest.mark.parametrize("what", ["folder", "file"])
def test_what_may_not_be_written_is_told_and_left_alone(folder: Path, what: str) -> None:
    command = [sys.executable, "-m", "tests.storage.faults.read_only", str(folder), what]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert (done.stderr, done.returncode) == ("", 0)
    told = json.loads(done.stdout)
    assert told["told"].startswith("open: StoreFull: ")
    assert "make its folder writable" in told["told"]
    assert told["read"] == "['c'] ['m1'] 1 []"
    assert told["beside"] == []
    assert (told["unchanged"], told["later"]) == (True, "written")
