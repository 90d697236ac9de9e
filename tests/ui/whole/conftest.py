"""What tests of the whole window share: no window is left behind, and a data folder that asks a script."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.architecture.source_tree import ROOT
from tests.fakes.window_stage import scripted_folder


@pytest.fixture
def no_window_left(qapp: QApplication) -> Iterator[None]:
    """Closing a window does not end the loop, as in the program; the next test finds none that is left."""
    qapp.setQuitOnLastWindowClosed(False)
    yield
    for window in QApplication.topLevelWidgets():
        window.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder whose new chats ask a script."""
    return scripted_folder(tmp_path, "An answer.\n")


XVFB = shutil.which("Xvfb")


@pytest.fixture
def display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A display of its own, and folders that whoever runs the tests may write to."""
    assert XVFB is not None
    command = [XVFB, "-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp"]
    complaints = tmp_path / "xvfb.txt"
    with (
        complaints.open("w") as heard,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=heard, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            number = server.stdout.readline().strip()
            assert number, f"Xvfb gave no display: {complaints.read_text()}"
            for name in ("HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
                own = tmp_path / "own" / name.lower()
                own.mkdir(mode=0o700, parents=True)
                monkeypatch.setenv(name, str(own))
            monkeypatch.setenv("DISPLAY", f":{number}")
            monkeypatch.setenv("PYTHONPATH", str(ROOT))
            for name in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
                monkeypatch.delenv(name, raising=False)
            yield
        finally:
            server.terminate()
