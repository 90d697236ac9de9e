"""The real window on a real display that nobody sees: opened, driven by keys and mouse, closed cleanly."""

from __future__ import annotations

import shutil
import subprocess
import sys
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
