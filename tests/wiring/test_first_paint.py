"""Opening the window: what is loaded before the first paint, and what is not."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT
from workbench.ui.memory import WindowMemory
from workbench.ui.program import app
from workbench.wiring.first_paint import MEMORY_NAME, run_window, set_scale

SCRIPT = """
import sys
from pathlib import Path
from workbench.ui.program.app import FirstPaint

first = FirstPaint(Path(sys.argv[1]), None)
print(first.window.isVisible(), *sorted({name.split(".")[0] for name in sys.modules}))
"""
# Fails before the window is there, while it is open (unheard as yet), and while it is being closed.
FAILING = """
import asyncio, sys
from argparse import Namespace
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtWidgets import QApplication, QDialog
from workbench.ui.program import app as program
from workbench.wiring.first_paint import run_window

def fail(words):
    raise RuntimeError(words + " Bearer sk-canary-0123456789abcdef")

def dialogs():
    return [one for one in QApplication.topLevelWidgets() if isinstance(one, QDialog) and one.isVisible()]

async def late():
    fail("in the background")

def close(window):
    window.close()
    task = asyncio.get_running_loop().create_task(late())
    task.add_done_callback(lambda done: QTimer.singleShot(0, lambda: print("dialogs:", len(dialogs()), flush=True)))
    QTimer.singleShot(0, lambda: fail("while closing"))
    del task

class FirstPaint(program.FirstPaint):
    def __init__(self, *given):
        program.make_app(given[0])
        early = QTimer()
        early.setSingleShot(True)
        early.timeout.connect(lambda: fail("before the window"))
        early.start(0)
        super().__init__(*given)
        qWarning("a word of Qt")
        self.timer = QTimer()
        self.timer.timeout.connect(self.look)
        self.timer.start(50)

    def look(self):
        if "Sample" in self.window.windowTitle():
            self.timer.stop()
            close(self.window)

program.FirstPaint = FirstPaint
sys.exit(run_window(Namespace(demo=True, screenshot=None, data_dir=sys.argv[1], key_file=None)))
"""
OTHER_WINDOW = """
import sys
from PySide6.QtCore import QCoreApplication
from workbench.ui.program.system import SingleInstance

app = QCoreApplication([])
alone = SingleInstance(sys.argv[1])
alone.called.connect(app.quit)
input()
alone.listen()
print("listens", flush=True)
app.exec()
print(alone.take_files())
alone.close()
"""
HEAVY = {
    "asyncio",
    "qasync",
    "openai",
    "ollama",
    "sqlalchemy",
    "sqlcipher3",
    "cryptography",
    "tiktoken",
    "markdown_it",
    "pygments",
}


def test_the_first_paint_comes_before_everything_heavy():
    command = [sys.executable, "-c", SCRIPT, str(ROOT / "resources")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"QT_QPA_PLATFORM": "offscreen"}
    )
    visible, *loaded = done.stdout.split()
    assert visible == "True"
    assert set(loaded) & HEAVY == set()


def test_of_two_windows_started_at_once_the_second_leaves(
    qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Each listens only after its first paint: both had found nobody before it."""
    command = [sys.executable, "-c", OTHER_WINDOW, str(tmp_path.resolve())]

    class Late(app.FirstPaint):
        def __init__(self, resources: Path, memory: Path | None) -> None:
            super().__init__(resources, memory)
            qtbot.addWidget(self.window)
            assert other.stdin is not None
            assert other.stdout is not None
            other.stdin.write("listen\n")
            other.stdin.flush()
            assert other.stdout.readline() == "listens\n"

    monkeypatch.setattr(app, "FirstPaint", Late)
    asked = Namespace(demo=False, screenshot=None, open=["/a.json"], data_dir=str(tmp_path), key_file=None)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert run_window(asked) == 0
        assert other.communicate()[0] == "['/a.json']\n"


def run_failing(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The window with errors at every moment of its life."""
    known = {"QT_QPA_PLATFORM": "offscreen", "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", FAILING, str(folder / "data")]
    return subprocess.run(
        command, capture_output=True, text=True, env={**known, **environment}, timeout=120, cwd=folder
    )


def test_the_log_has_what_went_wrong_from_the_first_moment_to_the_last(tmp_path: Path):
    """Four messages promise it; for the window nothing was written, and a late error opened a dialog over nothing."""
    place = tmp_path / "log.txt"
    done = run_failing(tmp_path, WORKBENCH_LOG=str(place))
    written = place.read_text(encoding="utf-8")
    assert (done.returncode, done.stdout) == (0, "dialogs: 0\n")
    for words in (
        "before the window",
        "a word of Qt",
        "the window is open",
        "while closing",
        "in the background",
    ):
        assert words in written
    assert "sk-canary" not in written
    assert "while closing" not in done.stderr


def test_without_a_log_what_goes_wrong_is_on_standard_error(tmp_path: Path):
    done = run_failing(tmp_path)
    assert (done.returncode, done.stdout) == (0, "dialogs: 0\n")
    for words in ("before the window", "a word of Qt", "in late", "background failed"):
        assert words in done.stderr
    # What went wrong may quote a chat: where nobody asked for a log, the place is said and not the words.
    assert "while closing" not in done.stderr


def test_everything_is_as_large_as_it_was_chosen_from_the_next_start_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("QT_SCALE_FACTOR", "1")  # so that it is put back, whatever is written there meanwhile
    monkeypatch.delenv("QT_SCALE_FACTOR")
    set_scale(tmp_path)
    memory = WindowMemory(tmp_path / MEMORY_NAME)
    assert memory.scale == "1"
    for kept, wanted in (("37", None), ("1", None), ("2", "2")):
        memory.keep("scale", kept)
        memory.flush()
        set_scale(tmp_path)
        assert os.environ.get("QT_SCALE_FACTOR") == wanted  # noqa: TID251
