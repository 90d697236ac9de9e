"""The real window on a real display that nobody sees: opened, driven by keys and mouse, closed cleanly."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

CHILD = ROOT / "tests" / "ui" / "whole" / "real_window_child.py"
XVFB = shutil.which("Xvfb")


@pytest.fixture
def display() -> Iterator[str]:
    """A display of its own."""
    assert XVFB is not None
    command = [XVFB, "-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        yield f":{server.stdout.readline().strip()}"
        server.terminate()


@pytest.mark.skipif(XVFB is None, reason="a display that nobody sees is needed")
def test_the_window_is_driven_on_a_real_display_without_a_word_of_complaint(
    display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    command = [sys.executable, "-W", "error", str(CHILD), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.stderr == ""
    assert done.returncode == 0
    seen = done.stdout.splitlines()
    assert seen[0] == "platform: xcb"
    assert "seen: the bar follow the keys" in seen
    assert "seen: the answer end" in seen
    assert seen[-1] == "closed"
    assert len(list(tmp_path.glob("*.png"))) == 6


@pytest.mark.skipif(XVFB is None, reason="a display that nobody sees is needed")
def test_the_program_as_people_start_it_opens_and_ends_without_a_word_of_complaint(
    display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The window above is opened by hand; the program looked for another window first, and Qt complained each time."""
    log = tmp_path / "log.txt"
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("WORKBENCH_LOG", str(log))
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    command = [sys.executable, "-W", "error", "-m", "workbench", "--data-dir", str(tmp_path / "data")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as program:
        deadline = time.monotonic() + 100
        while "the window is open" not in (log.read_text() if log.exists() else ""):
            assert program.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        program.terminate()
        complaints = program.communicate(timeout=60)[1]
    assert (program.returncode, complaints) == (0, "")
    assert [line for line in log.read_text().splitlines() if " INFO " not in line] == []
