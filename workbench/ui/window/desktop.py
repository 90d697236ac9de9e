"""Shows notifications by the desktop's portal, which knows how the desktop shows them; without one, in the tray.

`org.freedesktop.Notifications` itself, which portals speak to, takes an unsigned number, and PySide can't write one.
"""

from __future__ import annotations

from PySide6.QtCore import SLOT, QObject, Signal, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

SERVICE, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
INTERFACE = "org.freedesktop.portal.Notification"
OPEN = "open"
CLICKED = SLOT("on_action(QDBusMessage)")


class Desktop(QObject):
    """Shows notifications, one per chat: a newer one takes the place of the older.

    Signals:
        clicked: the id of the chat whose notification was clicked.
    """

    clicked = Signal(str)

    def __init__(self, parent: QObject | None = None, bus: QDBusConnection | None = None) -> None:
        super().__init__(parent)
        self._bus = QDBusConnection.sessionBus() if bus is None else bus
        self._there: set[str] = set()
        self._tray: QSystemTrayIcon | None = None
        self._told = ""
        # The stub wants bytes, which PySide refuses.
        self._bus.connect(SERVICE, PATH, INTERFACE, "ActionInvoked", self, CLICKED)  # type: ignore[call-overload]

    def notify(self, chat: str, title: str, words: str) -> None:
        """Show a notification about a chat."""
        look = {"title": title, "body": words, "default-action": OPEN}
        sent = QDBusPendingCallWatcher(self._bus.asyncCall(_call("AddNotification", chat, look)), self)

        def answered(_call: QDBusPendingCallWatcher) -> None:
            if sent.isError():
                self._notify_in_tray(chat, title, words)
            sent.deleteLater()

        self._there.add(chat)
        sent.finished.connect(answered)

    def withdraw(self) -> None:
        """Take all notifications back."""
        for chat in self._there:
            self._bus.send(_call("RemoveNotification", chat))
        self._there.clear()
        if self._tray is not None:
            self._tray.hide()

    @Slot(QDBusMessage)
    def on_action(self, message: QDBusMessage) -> None:
        """A notification was clicked, perhaps another program's: each has its own ids."""
        chat = str(message.arguments()[0])
        if chat in self._there:
            self.clicked.emit(chat)

    def _notify_in_tray(self, chat: str, title: str, words: str) -> None:
        if not (QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()):
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(QApplication.windowIcon(), self)
            self._tray.messageClicked.connect(lambda: self.clicked.emit(self._told))
        self._told = chat
        self._tray.show()
        self._tray.showMessage(title, words)


def _call(method: str, *arguments: object) -> QDBusMessage:
    made = QDBusMessage.createMethodCall(SERVICE, PATH, INTERFACE, method)
    made.setArguments(list(arguments))
    return made
