"""Without any network: the window opens, a scripted model answers and doctor looks, and none of them tries to leave."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT

PATIENCE_S = 240
"""A guard against hanging only."""
# Writes down what is connected to, and which names are looked up, before that is tried.
WATCH = """
import sys
seen = open(sys.argv.pop(1), "a", buffering=1)
def note(event, given):
    if event == "socket.connect" and isinstance(given[1], tuple):
        print(given[1][0], file=seen)
    elif event == "socket.getaddrinfo":
        print(given[0], file=seen)
sys.addaudithook(note)
"""
PROGRAM = f"""{WATCH}
from workbench.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
WINDOW = f"""{WATCH}
from argparse import Namespace
from PySide6.QtCore import QTimer
from workbench.ui.program import app as program
from workbench.wiring.first_paint import run_window

class FirstPaint(program.FirstPaint):
    def __init__(self, *given):
        super().__init__(*given)
        self.timer = QTimer()
        self.timer.timeout.connect(self.look)
        self.timer.start(50)

    def look(self):
        if "Sample" in self.window.windowTitle():
            self.timer.stop()
            self.window.close()

program.FirstPaint = FirstPaint
sys.exit(run_window(Namespace(demo=True, screenshot=None, data_dir=sys.argv[1], key_file=None)))
"""
HERE = {"127.0.0.1", "localhost", "::1"}
"""Where Ollama is looked for."""


@cache
def can_be_cut_off() -> bool:
    unshare = shutil.which("unshare")
    return bool(unshare) and subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode == 0


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_be_cut_off(), reason="no program can be cut off from the network here"),
]


def cut_off(folder: Path, script: str, *argv: str) -> tuple[subprocess.CompletedProcess[str], set[str]]:
    """Run it where there is no network at all; what became of it, and whom it tried to reach."""
    seen = folder / "tried.txt"
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ},
        "QT_QPA_PLATFORM": "offscreen", "HOME": str(folder), "PYTHONPATH": str(ROOT),
        "WORKBENCH_PASSPHRASE": "correct horse battery",
    }  # fmt: skip
    command = ["unshare", "-rn", sys.executable, "-c", script, str(seen), *argv]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S
    )
    return done, set(seen.read_text().split())


def test_a_scripted_model_answers_and_nothing_is_tried(tmp_path: Path):
    (tmp_path / "said.txt").write_text("Hello from a file.")
    given = ("--data-dir", str(tmp_path / "data"), "ask", "Hello?", "--model", "scripted:said.txt")
    done, tried = cut_off(tmp_path, PROGRAM, *given)
    assert (done.returncode, tried) == (0, set())
    assert "Hello from a file." in done.stdout


def test_doctor_looks_on_this_computer_only(tmp_path: Path):
    done, tried = cut_off(tmp_path, PROGRAM, "--data-dir", str(tmp_path / "data"), "doctor", "--connections")
    assert "This run made no connection." in done.stdout or "127.0.0.1:11434" in done.stdout
    assert tried <= HERE


def test_the_window_opens_and_looks_on_this_computer_only(tmp_path: Path):
    done, tried = cut_off(tmp_path, WINDOW, str(tmp_path / "data"))
    assert (done.returncode, done.stderr) == (0, "")
    assert tried <= HERE


def test_what_is_tried_would_be_seen(tmp_path: Path):
    given = ("--data-dir", str(tmp_path / "data"), "ask", "Hello?", "--model", "server:https://192.0.2.1#m")
    done, tried = cut_off(tmp_path, PROGRAM, *given)
    assert (done.returncode, tried) == (1, {"192.0.2.1"})


def test_offline_even_that_is_not_tried(tmp_path: Path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "settings.toml").write_text("offline = true\n")
    given = ("--data-dir", str(tmp_path / "data"), "ask", "Hello?", "--model", "server:https://192.0.2.1#m")
    done, tried = cut_off(tmp_path, PROGRAM, *given)
    assert (done.returncode, tried) == (1, set())
    assert "Offline is switched on: nothing was sent." in done.stderr
