"""One window for a data folder."""

from __future__ import annotations

from workbench.ui.program.single_instance import SingleInstance


def test_a_second_start_calls_the_first_window(qtbot):
    first = SingleInstance("/some/where")
    assert not first.raise_other()
    assert first.listen()
    with qtbot.waitSignal(first.called, timeout=5000):
        assert SingleInstance("/some/where").raise_other()
    first.close()


def test_another_folder_is_another_window(qtbot):
    first = SingleInstance("/some/where/else")
    assert first.listen()
    assert not SingleInstance("/quite/another").raise_other()
    first.close()
