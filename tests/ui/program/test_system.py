"""A signal from the system ends the program as closing the window does."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from workbench.ui.program.loop import EndSignals


@pytest.mark.skipif(sys.platform == "win32", reason="there a process cannot send itself a signal")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_becomes_a_signal_of_qt(qtbot, number):
    before = signal.getsignal(number)
    ends = EndSignals()
    with qtbot.waitSignal(ends.received, timeout=5000):
        os.kill(os.getpid(), number)
    ends.close()
    assert signal.getsignal(number) is before
