"""Single-shot timers."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.ui.widgets.motion import single_shot


def test_it_waits_for_its_start_and_fires_once(qtbot):
    owner, fired = QObject(), []
    timer = single_shot(owner, lambda: fired.append(1), 1)
    assert (timer.isActive(), timer.isSingleShot(), timer.interval(), timer.parent()) == (
        False,
        True,
        1,
        owner,
    )
    with qtbot.waitSignal(timer.timeout):
        timer.start()
    assert (fired, timer.isActive()) == ([1], False)
