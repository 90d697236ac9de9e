"""The tour: the sample's request as a table, an answer, a picture, and how to go on; with real parts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def test_the_tour_shows_a_request_an_answer_and_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WORKBENCH_DATA_DIR", str(tmp_path / "data"))
    picture = tmp_path / "window.png"
    command = [sys.executable, "-m", "workbench", "tour", "--picture", str(picture)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "L2_PREVIOUS" in done.stdout
    assert "project-spec.md" in done.stdout
    answer = done.stdout.rpartition("L5_USER")[2].splitlines()[2:]
    assert "".join(answer).strip()
    assert "It is sent now. You: Which endpoint" in done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "data").exists()
