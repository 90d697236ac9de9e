"""kill -9 at any moment loses nothing that was acknowledged, and leaves nothing half done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.effort import tries

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(sys.platform == "win32", reason="forks are needed")
@pytest.mark.parametrize(
    ("scene", "kills"),
    [("writes", tries(45)), ("import", tries(20)), ("migration", tries(20)), ("backup", tries(15))],
)
def test_nothing_is_lost_when_killed_during(scene: str, kills: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.storage.faults.kills", scene, str(tmp_path), str(kills)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200)
    assert (done.stdout, done.returncode) == ("", 0)
