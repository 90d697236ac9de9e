"""One window for a data folder."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from PySide6.QtCore import QDir
from PySide6.QtNetwork import QLocalSocket

from workbench.ui.program.system import SingleInstance


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


def test_a_second_start_hands_over_its_files(qtbot):
    first = SingleInstance("/some/files", ["/mine.json"])
    assert first.listen()
    with qtbot.waitSignal(first.called, timeout=5000):
        assert SingleInstance("/some/files", ["/tmp/käse.json", "/b"]).raise_other()
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
            assert mine.raise_other()
            os.chown(place, 65534, 65534)
            assert not mine.raise_other()
        finally:
            place.unlink()
