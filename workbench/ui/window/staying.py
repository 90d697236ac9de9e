"""How the program is reached without a window in sight: by an icon in the tray, and by a key that works everywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

from workbench.engine.tasks import Tasks
from workbench.ui.memory import WindowMemory
from workbench.ui.translation import tr
from workbench.ui.window.summon_key import NoPortal, has_portal, listen
from workbench.ui.window.windows import Windows

TOLD = "tray-told"


class Staying(QObject):
    """Follows the preferences: the icon and the key are there while they are wanted and the desktop has them.

    Attributes:
        has_keys: whether the desktop gives programs such keys; None while nobody asked.
        key: which key it is, in the desktop's words; empty if there is none, or nobody said.

    Signals:
        changed: one of these did.
    """

    changed = Signal()

    def __init__(self, windows: Windows, memory: WindowMemory, tasks: Tasks) -> None:
        super().__init__(windows)
        self._windows, self._memory, self._tasks = windows, memory, tasks
        self._tray: QSystemTrayIcon | None = None
        self._menu: QMenu | None = None
        self._listening: asyncio.Task[None] | None = None
        self.has_keys: bool | None = None
        self.key = ""
        windows.stays = self.stays
        windows.first.session.rendered.connect(self.follow)

    @staticmethod
    def has_tray() -> bool:
        return QSystemTrayIcon.isSystemTrayAvailable()

    def look(self) -> None:
        """Find out whether there are global keys; `changed` says when that is known."""
        if self.has_keys is None:
            self._tasks.spawn("look for the portal of global keys", self._look())

    def follow(self) -> None:
        """Make or remove the icon and the key, as the preferences say now."""
        preferences = self._windows.first.session.state.preferences
        self._keep_icon(preferences.tray and self.has_tray())
        if preferences.summon_key and self._listening is None:
            self._listening = self._tasks.spawn("listen for the summon key", self._listen())
        elif not preferences.summon_key and self._listening is not None:
            self._listening.cancel()
            self._listening, self.key = None, ""
            self.changed.emit()

    def stays(self) -> bool:
        """Whether the program goes on when its last window is closed; the first time, it says so."""
        if self._tray is None or not self.has_tray():
            return False
        if not self._memory.flag_of(TOLD):
            self._memory.keep(TOLD, True)
            words = tr("Still running. Click this icon for the window; its menu quits.")
            self._tray.showMessage(QApplication.applicationDisplayName(), words)
        return True

    def close(self) -> None:
        self._keep_icon(False)
        if self._listening is not None:
            self._listening.cancel()

    def _keep_icon(self, wanted: bool) -> None:
        if wanted == (self._tray is not None):
            return
        if self._tray is not None and self._menu is not None:
            self._tray.hide()
            self._tray.deleteLater()
            self._menu.deleteLater()
            self._tray = self._menu = None
            return
        self._tray, self._menu = QSystemTrayIcon(QApplication.windowIcon(), self), QMenu()
        self._tray.setToolTip(QApplication.applicationDisplayName())
        commands: tuple[tuple[str, Callable[[], object]], ...] = (
            (tr("Show the window"), self._windows.summon),
            (tr("Lock now"), self._windows.lock),
            (tr("Quit"), self._windows.quit),
        )
        for words, run in commands:
            self._menu.addAction(words, run)
        self._tray.setContextMenu(self._menu)
        self._tray.activated.connect(self._on_icon)
        self._tray.show()

    def _on_icon(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self._windows.summon()

    async def _look(self) -> None:
        self.has_keys = await has_portal()
        self.changed.emit()

    async def _listen(self) -> None:
        try:
            await listen(self._windows.summon, self._bound)
        except NoPortal:
            self.has_keys = False
            self.changed.emit()

    def _bound(self, key: str) -> None:
        self.has_keys, self.key = True, key
        self.changed.emit()
