"""Pictures of scenes, through the whole program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_a_scene_is_drawn_without_a_display_and_without_a_store(tmp_path: Path):
    target = tmp_path / "main.png"
    command = [sys.executable, "-m", "workbench", "--screenshot", str(target), "--scene", "main"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert target.read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_cannot_be_written_is_said(tmp_path: Path):
    target = tmp_path / "no" / "such" / "main.png"
    command = [sys.executable, "-m", "workbench", "--screenshot", str(target), "--scene", "main"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("workbench: --screenshot")
