"""Notifications: of what, in which words, and on a bus of the test's own, from the call to the click."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusVirtualObject
from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.answer import Failure
from workbench.domain.message import ToolCall
from workbench.domain.outcome import Timings, TurnOutcome
from workbench.domain.tool import ToolPreview
from workbench.domain.usage import Cost, Usage
from workbench.engine.events import Event, ToolAsked, TurnEnded
from workbench.engine.state import WorkbenchState
from workbench.ui.window.desktop import INTERFACE, PATH, SERVICE, Desktop
from workbench.ui.window.notifying import Notifier, ended_words
from workbench.ui.window.windows import Windows

DONE = TurnOutcome(
    "complete",
    "Port 8443.",
    usage=Usage(completion_tokens=412),
    cost=Cost(0.0064, "2026-11-01"),
    timings=Timings(total_ms=9_400),
)
ENDED = TurnEnded(CHAT, 1, DONE)
ASKED = ToolAsked(
    CHAT, ToolCall("c", "write_file", '{"text": "secret"}'), ToolPreview("write_file", "secret")
)


class FakeDesktop(QObject):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[str, tuple[str, str]] = {}

    def notify(self, chat: str, title: str, words: str) -> None:
        self.told[chat] = (title, words)

    def withdraw(self) -> None:
        self.told.clear()


class FakeWindows(QObject):
    """Windows that can be covered."""

    returned = Signal()
    covered = False


@pytest.fixture
def desktop(qapp: QApplication) -> FakeDesktop:
    return FakeDesktop()


@pytest.fixture
def windows(qapp: QApplication) -> FakeWindows:
    return FakeWindows()


def told(windows: FakeWindows, desktop: FakeDesktop, event: Event, state: WorkbenchState) -> tuple[str, str]:
    desktop.told.clear()
    notifier = Notifier(cast(Windows, windows))
    notifier.desktop = cast(Desktop, desktop)
    notifier.take(event, state)
    return desktop.told.get(CHAT, ("", ""))


def test_an_answer_is_told_with_its_figures_and_none_of_its_words(windows: FakeWindows, desktop: FakeDesktop):
    state = sample_state()
    title = state.open[CHAT].chat.title
    words = "The answer is ready: 412 tokens, $0.0064, 9.4 s"
    assert told(windows, desktop, ENDED, state) == (title, words)
    assert told(windows, desktop, ASKED, state) == (title, "Needs your approval")
    failed = TurnOutcome("failed", failure=Failure("network", "No response from a.example."))
    assert told(windows, desktop, TurnEnded(CHAT, 1, failed), state) == (title, "The answer failed")
    closed = replace(state, open={})
    assert told(windows, desktop, ENDED, closed) == (title, words), "also of a chat that was left"
    windows.covered = True
    assert told(windows, desktop, ENDED, state)[0] == QApplication.applicationDisplayName()


def test_what_is_not_told(windows: FakeWindows, desktop: FakeDesktop, qtbot: QtBot):
    state, nothing = sample_state(), ("", "")
    assert told(windows, desktop, TurnEnded(CHAT, 1, TurnOutcome("stopped")), state) == nothing
    off = replace(state, preferences=replace(state.preferences, notify=False))
    assert told(windows, desktop, ENDED, off) == nothing
    assert told(windows, desktop, TurnEnded("gone", 1, DONE), state) == nothing
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert told(windows, desktop, ENDED, state) == nothing, "somebody looks"


def test_figures_that_nobody_knows_are_left_out():
    assert ended_words(TurnOutcome("complete")) == "The answer is ready"
    free = replace(DONE, cost=Cost(0, ""))
    assert ended_words(free) == "The answer is ready: 412 tokens, 9.4 s"


def test_coming_back_withdraws(windows: FakeWindows, desktop: FakeDesktop):
    told(windows, desktop, ENDED, sample_state())
    windows.returned.emit()
    assert not desktop.told


# On a bus of the test's own, with a portal that notes what it is told.


class Portal(QDBusVirtualObject):
    """Notes its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, str, str]] = []

    def introspect(self, _path: str) -> str:
        return ""

    def handleMessage(self, message: QDBusMessage, connection: QDBusConnection) -> bool:
        self.calls.append((message.member(), message.signature(), str(message.arguments()[0])))
        connection.send(message.createReply())
        return True


@pytest.fixture
def address() -> Iterator[str]:
    daemon = shutil.which("dbus-daemon")
    if daemon is None:
        pytest.skip("there is no dbus-daemon")
    with subprocess.Popen(
        [daemon, "--session", "--nofork", "--print-address"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().decode().strip()
        process.terminate()


@pytest.fixture
def bus(address: str, qapp: QApplication) -> Iterator[tuple[QDBusConnection, QDBusConnection]]:
    """The connections of a portal and of the program."""
    names = [f"{end}-{os.getpid()}" for end in ("portal", "program")]
    portal, program = (QDBusConnection.connectToBus(address, name) for name in names)
    if not program.isConnected():
        pytest.skip("no bus was made here")
    yield portal, program
    for name in names:
        QDBusConnection.disconnectFromBus(name)


def test_the_portal_is_asked_and_its_clicks_arrive(
    bus: tuple[QDBusConnection, QDBusConnection], qtbot: QtBot
):
    there, here = bus
    portal = Portal()
    assert there.registerService(SERVICE)
    assert there.registerVirtualObject(PATH, portal)
    desktop = Desktop(bus=here)
    desktop.notify(CHAT, "Release notes", "The answer is ready")
    qtbot.waitUntil(lambda: portal.calls == [("AddNotification", "sa{sv}", CHAT)])
    clicked = QDBusMessage.createSignal(PATH, INTERFACE, "ActionInvoked")
    foreign = QDBusMessage.createSignal(PATH, INTERFACE, "ActionInvoked")
    foreign.setArguments(["of another program", "open", []])
    clicked.setArguments([CHAT, "open", []])
    with qtbot.waitSignal(desktop.clicked) as heard:
        there.send(foreign)
        there.send(clicked)
    assert heard.args == [CHAT]
    desktop.withdraw()
    qtbot.waitUntil(lambda: portal.calls[1:] == [("RemoveNotification", "s", CHAT)])


def test_without_a_portal_the_tray_is_asked(
    bus: tuple[QDBusConnection, QDBusConnection], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
):
    shown: list[tuple[str, str]] = []
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "supportsMessages", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda _tray, *words: shown.append(words))
    desktop = Desktop(bus=bus[1])
    desktop.notify(CHAT, "Release notes", "The answer is ready")
    qtbot.waitUntil(lambda: shown == [("Release notes", "The answer is ready")])
    desktop.withdraw()
