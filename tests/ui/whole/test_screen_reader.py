"""The real window over AT-SPI, as a screen reader has it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.source_tree import ROOT
from tests.ui.whole.conftest import XVFB

CHILD = ROOT / "tests" / "ui" / "whole" / "screen_reader_child.py"
PATIENCE_S = 300
SYSTEM = "/usr/bin/python3"
_CAN = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"


@cache
def missing() -> str:
    """What is not on this machine; empty where a screen reader could run."""
    if XVFB is None or shutil.which("dbus-run-session") is None:
        return "Xvfb and dbus-run-session are needed"
    if not Path("/usr/libexec/at-spi-bus-launcher").exists() or not Path(SYSTEM).exists():
        return "at-spi2-core is needed"
    done = subprocess.run([SYSTEM, "-c", _CAN], capture_output=True, timeout=60)
    return "" if done.returncode == 0 else "python3-pyatspi is needed"


@pytest.fixture
def listened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Qt tells everything, also where it finds no screen reader."""
    if missing():
        pytest.skip(missing())
    monkeypatch.setenv("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1")
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")


@pytest.mark.usefixtures("display", "listened")
def test_whatever_can_have_the_focus_has_a_name_and_a_role():
    command = ["dbus-run-session", "--", SYSTEM, str(CHILD), sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stderr[-2000:]
    found = json.loads(lines[-1])
    assert found["problems"] == []
    assert found["focusable"] > 60
    assert {"Message", "Send", "Segments of the request", "Chats", "Budget"} <= set(found["names"])
