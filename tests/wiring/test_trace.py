"""A trace of the real window: every step between a key and the pixels it changes, in the order they happen."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT
from workbench.domain.errors import InvalidInput
from workbench.ports.tracing import BUILD, KEY, PUBLISH, REDUCE, REPAINT, VIEW_VALUES
from workbench.wiring.log import TRACE, open_trace

TYPING = """
import sys
from argparse import Namespace
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from workbench.ui.program import app as program
from workbench.wiring.first_paint import run_window

class FirstPaint(program.FirstPaint):
    def __init__(self, *given):
        super().__init__(*given)
        self.before = 0
        self.timer = QTimer()
        self.timer.timeout.connect(self.look)
        self.timer.start(50)

    def look(self):
        window = self.window
        if "Sample" not in window.windowTitle():
            return
        tokens = window.inspector.block.bar.bar().total_tokens
        if not self.before and tokens:
            self.before = tokens
            QTest.keyClicks(window.chat.composer.text, " canary")
        elif self.before and tokens != self.before:
            self.timer.stop()
            QTimer.singleShot(200, window.close)

program.FirstPaint = FirstPaint
sys.exit(run_window(Namespace(demo=True, screenshot=None, data_dir=sys.argv[1], key_file=None)))
"""


def test_a_keystroke_can_be_followed_to_its_paint(tmp_path: Path):
    place = tmp_path / "trace.json"
    known = {"QT_QPA_PLATFORM": "offscreen", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", TYPING, str(tmp_path / "data")]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**known, TRACE: str(place)},
        timeout=120,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    written = place.read_text(encoding="utf-8")
    assert "canary" not in written
    steps = json.loads(written)
    at = next(one["ts"] for one in steps if one["name"] == KEY)
    for name in (BUILD, VIEW_VALUES, REDUCE, PUBLISH, REPAINT):
        after = [one for one in steps if one["name"] == name and one["ts"] > at]
        assert after, name
        assert all(one["dur"] >= 0 and one["tdur"] >= 0 for one in after)
        if name != REDUCE:  # what was typed is noted before anything is built
            at = min(one["ts"] for one in after)


def test_without_the_variable_nothing_is_noted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(TRACE, raising=False)
    with open_trace() as trace:
        assert trace is None


def test_a_file_that_cannot_be_written_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv(TRACE, str(tmp_path / "none" / "trace.json"))
    with pytest.raises(InvalidInput, match="cannot be written"), open_trace():
        pass
