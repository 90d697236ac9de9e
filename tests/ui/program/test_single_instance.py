"""One window for a data folder."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from PySide6.QtCore import QDir, QLockFile
from PySide6.QtNetwork import QLocalSocket

from tests.fakes.other_start import beside
from workbench.ui.program import system
from workbench.ui.program.system import SingleInstance


def test_a_second_start_calls_the_first_window(qtbot):
    first = SingleInstance("/some/where")
    assert not first.raise_other()
    assert first.listen()
    with beside("raise_other", "/some/where") as told:
        with qtbot.waitSignal(first.called, timeout=5000):
            pass
        assert told.result()
    first.close()


def test_who_listens_second_hands_its_files_over_and_takes_no_name_away(qtbot):
    """Of two starts at once both had found nobody: the later one took the name away, and both stayed."""
    first = SingleInstance("/some/race")
    assert first.listen()
    for _ in range(2):
        with beside("listen", "/some/race", "/b") as told:
            qtbot.waitUntil(told.done)
            assert not told.result()
        assert first.take_files() == ["/b"]
    first.close()


def test_one_start_at_a_time_asks_and_listens(qtbot):
    """Between the question and the name another start found nobody either."""
    first = SingleInstance("/some/turns")
    turn = QLockFile(f"{QDir.tempPath()}/{first._name}.lock")
    assert turn.tryLock(0)
    with beside("listen", "/some/turns") as told:
        qtbot.wait(100)
        assert not told.done()
        first._take_name()
        turn.unlock()
        qtbot.waitUntil(told.done)
        assert not told.result()
    first.close()


def test_what_a_killed_window_left_behind_is_taken_over(qtbot):
    """Nobody answers there."""
    later = SingleInstance("/some/killed")
    place = Path(QDir.tempPath(), later._name)
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(place))
    assert later.listen()
    with beside("raise_other", "/some/killed") as told:
        qtbot.waitUntil(told.done)
        assert told.result()
    later.close()
    assert not place.exists()


def test_a_window_that_goes_takes_no_call(qtbot):
    """The later start left, and no window was there."""
    first = SingleInstance("/some/end")
    assert first.listen()
    with beside("raise_other", "/some/end", "/b") as told:
        first.close()  # whether or not the system has connected it by now: nobody has looked
        assert not told.result()
    assert first.files == []
    assert not SingleInstance("/some/end").raise_other()


def test_a_window_that_never_answers_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch, qtbot):
    monkeypatch.setattr(system, "ANSWER_MS", 50)
    first = SingleInstance("/some/hung")
    assert first.listen()
    assert not SingleInstance("/some/hung").raise_other()  # it waits in this thread, which could answer
    first.close()


def test_another_folder_is_another_window(qtbot):
    first = SingleInstance("/some/where/else")
    assert first.listen()
    assert not SingleInstance("/quite/another").raise_other()
    first.close()


def test_a_second_start_hands_over_its_files(qtbot):
    first = SingleInstance("/some/files", ["/mine.json"])
    assert first.listen()
    with beside("raise_other", "/some/files", "/tmp/käse.json", "/b") as told:
        qtbot.waitUntil(told.done)
        assert told.result()
    assert first.take_files() == ["/mine.json", "/tmp/käse.json", "/b"]
    assert first.take_files() == []
    first.close()


def test_what_is_no_list_of_files_only_raises_the_window(qtbot):
    first = SingleInstance("/some/nonsense")
    assert first.listen()
    for sent in (b"raise\n", b'{"a": 1}\n', b"[3]\n", b"[" * 100_000 + b"\n"):
        other = QLocalSocket()
        other.connectToServer(first._name)
        assert other.waitForConnected(5000)
        with qtbot.waitSignal(first.called, timeout=5000):
            other.write(sent)
            other.disconnectFromServer()
    quiet = QLocalSocket()
    quiet.connectToServer(first._name)
    assert quiet.waitForConnected(5000)
    qtbot.waitUntil(lambda: first._calling != [])
    quiet.disconnectFromServer()
    qtbot.waitUntil(lambda: first._calling == [])
    assert first.files == []
    first.close()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="another user is made by root only")
def test_another_user_cannot_pass_for_the_open_window(qtbot):
    """In the temporary folder, which all users share: the program would hand over its files, and end."""
    mine = SingleInstance("/some/squatted", ["/home/me/a plan.json"])
    place = Path(QDir.tempPath(), mine._name)
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.bind(str(place))
        theirs.listen()
        try:
            assert mine._is_ours()
            os.chown(place, 65534, 65534)
            assert not mine._is_ours()
            assert not mine.raise_other()
        finally:
            place.unlink()
