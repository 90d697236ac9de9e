"""One window for a data folder."""

from __future__ import annotations

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
    for sent in (b"raise\n", b'{"a": 1}\n', b"[3]\n"):
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
