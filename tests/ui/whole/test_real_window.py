"""The real window on a real display that nobody sees: opened, driven by keys and mouse, closed cleanly."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT
from tests.ui.whole.conftest import XVFB

CHILD = ROOT / "tests" / "ui" / "whole" / "real_window_child.py"


pytestmark = pytest.mark.skipif(XVFB is None, reason="Xvfb is needed: a display that nobody sees")
PATIENCE_S = 900
"""A guard against hanging only; the child waits for what it needs, and says what it did not see."""


@pytest.mark.usefixtures("display")
def test_the_window_is_driven_on_a_real_display_without_a_word_of_complaint(tmp_path: Path):
    command = [sys.executable, "-W", "error", str(CHILD), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    seen = done.stdout.splitlines()
    assert (done.stderr, done.returncode) == ("", 0), f"the last that was seen: {seen[-1:]}"
    assert seen[0] == "platform: xcb"
    assert "seen: the bar follow the keys" in seen
    assert "seen: the answer end" in seen
    assert seen[-1] == "closed"
    assert len(list(tmp_path.glob("*.png"))) == 6


@pytest.mark.usefixtures("display")
def test_the_program_as_people_start_it_opens_and_ends_without_a_word_of_complaint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The window above is opened by hand; the program looked for another window first, and Qt complained each time."""
    log, complaints = tmp_path / "log.txt", tmp_path / "stderr.txt"
    monkeypatch.setenv("WORKBENCH_LOG", str(log))
    command = [sys.executable, "-W", "error", "-m", "workbench", "--data-dir", str(tmp_path / "data")]

    def told() -> str:
        return "\n".join(path.read_text() for path in (log, complaints) if path.exists())

    with complaints.open("w") as heard, subprocess.Popen(command, stderr=heard, text=True) as program:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while "the window is open" not in told():
                assert program.poll() is None, f"it ended before its window was open: {told()}"
                assert time.monotonic() < deadline, f"its window is not open after {PATIENCE_S} s: {told()}"
                time.sleep(0.1)
            program.terminate()
            program.wait(PATIENCE_S)
        finally:
            program.kill()
    assert (program.returncode, complaints.read_text()) == (0, "")
    assert [line for line in log.read_text().splitlines() if " INFO " not in line] == []
