"""The tray icon and the summon key: there while they are wanted and the desktop has them, and said where it has not."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusObjectPath, QDBusVirtualObject
from PySide6.QtWidgets import QApplication, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from tests.fakes.given import RIGHT
from tests.fakes.qt_loop import in_qt_loop, until
from tests.fakes.sample_state import sample_state
from tests.ui.window.test_notifying import address as address  # noqa: PLC0414  (a fixture)
from tests.ui.window.test_session import at_work
from workbench.engine.program_intents import ChangePreferences
from workbench.ui.dialogs.settings_dialog import ChatPage
from workbench.ui.dialogs.unlock import UnlockDialog
from workbench.ui.memory import WindowMemory
from workbench.ui.window.staying import TOLD
from workbench.ui.window.summon_key import PATH, REQUEST, SERVICE, SHORTCUTS, NoPortal, has_portal, listen
from workbench.ui.window.working import Working


def prefer(working: Working, **changes: Any) -> None:
    held = working.session.state.preferences
    working.session.send(ChangePreferences(replace(held, **changes), held))


@in_qt_loop
async def test_with_the_icon_the_program_outlives_its_last_window_and_says_so_once(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
):
    said: list[str] = []
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda _icon, _title, words: said.append(words))
    qapp.setQuitOnLastWindowClosed(False)
    async with at_work(fresh=False, memory=WindowMemory(None)) as working:
        window = working.session.window
        ends: list[int] = []

        def icon() -> QSystemTrayIcon | None:
            return working.staying._tray

        window.closing.connect(lambda: ends.append(1))
        assert icon() is None, "off until it is wanted"
        prefer(working, tray=True)
        await until(lambda: icon() is not None)
        for _ in range(2):
            window.close()
            assert (window.isVisible(), ends) == (False, [])
            working.staying._on_icon(QSystemTrayIcon.ActivationReason.Trigger)
            assert window.isVisible()
        assert working.session.memory.flag_of(TOLD)
        window.close()
        working.windows.lock()
        await until(window.is_covered)
        await asyncio.sleep(0.05)
        assert not any(one.isVisible() for one in QApplication.topLevelWidgets()), "nobody is there to ask"
        working.windows.summon()
        await until(lambda: any(isinstance(one, UnlockDialog) for one in QApplication.topLevelWidgets()))
        unlock = next(one for one in QApplication.topLevelWidgets() if isinstance(one, UnlockDialog))
        unlock.tried.emit(RIGHT)
        await until(lambda: not window.is_covered())
        assert said == ["Still running. Click this icon for the window; its menu quits."]
        prefer(working, tray=False)
        await until(lambda: icon() is None)
        window.close()
        assert ends == [1]


def test_settings_say_what_the_desktop_has(qtbot: QtBot):
    page, state = ChatPage(), sample_state()
    qtbot.addWidget(page)
    page.show_state(state)
    assert not page.tray.isChecked()
    assert not page.summon.isChecked()
    page.show_desktop(True, None, "")
    assert page.tray.isEnabled()
    assert page.summon.isEnabled()
    page.show_desktop(False, False, "")
    assert page._tray_row.line.text() == "This desktop shows no tray icons."
    assert page._summon_row.line.text() == "This desktop gives programs no global key."
    assert not page.tray.isEnabled()
    assert not page.summon.isEnabled()
    page.show_desktop(True, True, "Ctrl+Alt+Space")
    assert page._summon_row.line.text() == "Ctrl+Alt+Space brings the window to the front."
    for check, field in ((page.tray, "tray"), (page.summon, "summon_key")):
        with qtbot.waitSignal(page.wishes.intent) as heard:
            check.click()
        assert getattr(heard.args[0].preferences, field) is True


class Portal(QDBusVirtualObject):
    """A portal that gives the key that is proposed, and notes what it is asked; or `refuses`."""

    def __init__(self, refuses: bool = False) -> None:
        super().__init__()
        self.refuses = refuses
        self.calls: list[tuple[str, str]] = []

    def introspect(self, _path: str) -> str:
        return ""

    def handleMessage(self, message: QDBusMessage, connection: QDBusConnection) -> bool:
        self.calls.append((message.member(), message.signature()))
        answers: dict[str, dict[str, object]] = {
            "CreateSession": {"session_handle": "/session/1"},
            "BindShortcuts": {},
        }
        if message.member() not in answers:
            connection.send(message.createReply(2))
            return True
        request = f"/request/{len(self.calls)}"
        connection.send(message.createReply(QDBusObjectPath(request)))
        answer = QDBusMessage.createSignal(request, REQUEST, "Response")
        answer.setArguments([1 if self.refuses else 0, answers[message.member()]])
        connection.send(answer)
        return True


@pytest.fixture
def there(address: str, qapp: QApplication) -> Iterator[QDBusConnection]:
    """The connection of a portal, on a bus of the test's own."""
    name = f"portal-{os.getpid()}"
    made = QDBusConnection.connectToBus(address, name)
    if not made.isConnected():
        pytest.skip("no bus was made here")
    yield made
    QDBusConnection.disconnectFromBus(name)


def test_the_portal_is_asked_for_the_key_and_its_presses_arrive(there: QDBusConnection, address: str):
    portal = Portal()
    assert there.registerService(SERVICE)
    assert there.registerVirtualObject(PATH, portal, QDBusConnection.VirtualObjectRegisterOption.SubPath)
    heard: list[str] = []

    @in_qt_loop
    async def listened() -> None:
        assert await has_portal(address)
        listening = asyncio.get_running_loop().create_task(
            listen(lambda: heard.append("pressed"), lambda key: heard.append(f"key {key}"), address)
        )
        await until(lambda: heard == ["key "])
        for session, shortcut in (
            ("/session/2", "summon"),
            ("/session/1", "other"),
            ("/session/1", "summon"),
        ):
            press = QDBusMessage.createSignal(PATH, SHORTCUTS, "Activated")
            press.setArguments([QDBusObjectPath(session), shortcut, 7, {}])
            there.send(press)
        await until(lambda: heard == ["key ", "pressed"])
        listening.cancel()
        await asyncio.wait([listening])

    listened()
    assert portal.calls[-2:] == [("CreateSession", "a{sv}"), ("BindShortcuts", "oa(sa{sv})sa{sv}")]


def test_without_a_portal_or_its_leave_there_is_no_key(there: QDBusConnection, address: str, tmp_path: Path):
    @in_qt_loop
    async def refused() -> None:
        for bus in (address, f"unix:path={tmp_path / 'nothing'}"):
            assert not await has_portal(bus)
        assert there.registerService(SERVICE)
        portal = Portal(refuses=True)
        there.registerVirtualObject(PATH, portal, QDBusConnection.VirtualObjectRegisterOption.SubPath)
        with pytest.raises(NoPortal):
            await listen(lambda: None, lambda key: None, address)

    refused()
