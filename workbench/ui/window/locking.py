"""The lock: after a while without a key or a click, or when wished, nothing is seen until it is opened again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtWidgets import QApplication, QWidget

from workbench.domain.errors import WorkbenchError, WrongSecret
from workbench.engine.tasks import Tasks
from workbench.ports.keys import KeyKeeper
from workbench.ui.dialogs.unlock import UnlockDialog
from workbench.ui.translation import translator
from workbench.ui.waiting import first_of, opened
from workbench.ui.widgets.timer import single_shot
from workbench.ui.window.session import Session

_tr = translator("Lock")

MINUTE_MS = 60_000
_ACTIVITY = (
    QEvent.Type.KeyPress,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseMove,
    QEvent.Type.Wheel,
    QEvent.Type.TouchBegin,
)


class Lock(QObject):
    """Covers everything and asks for the passphrase or the recovery code; answers that arrive go on arriving.

    The store stays open, so that they are kept; what was being written stays where it is, out of sight.
    """

    def __init__(self, session: Session, keys: Callable[[], KeyKeeper], tasks: Tasks) -> None:
        super().__init__(session)
        self._session, self._window, self._keys, self._tasks = session, session.window, keys, tasks
        self._busy = False
        self._aside: list[QWidget] = []
        self.idle = single_shot(self, self.lock)
        self._minutes = 0
        session.rendered.connect(self._follow)
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self._watch)
        self._watch(self._window.windowHandle())

    def lock(self) -> None:
        """Lock, where there is something to open it with."""
        if not self._busy:
            self._busy = True
            self._tasks.spawn("lock the window", self._until_opened())

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """A key or a click begins the wait anew; seen at the windows themselves, which get few events."""
        if event.type() in _ACTIVITY and self.idle.isActive():
            self.idle.start()
        return False

    def _watch(self, window: QWindow | None) -> None:
        if window is not None:
            window.removeEventFilter(self)
            window.installEventFilter(self)

    def _follow(self) -> None:
        minutes = self._session.state.preferences.lock_after_minutes
        if minutes != self._minutes:
            self._minutes = minutes
            self.idle.setInterval(minutes * MINUTE_MS)
            if minutes:
                self.idle.start()
            else:
                self.idle.stop()

    async def _until_opened(self) -> None:
        try:
            if not await asyncio.to_thread(self._can_be_opened):
                self._session.tell(_tr("Can’t lock: no passphrase is set. Add one in Settings, Privacy."))
                return
            self._cover()
            if await self._ask():
                self._uncover()
            else:
                self._window.close()
        finally:
            self._busy = False
            if self._minutes:
                self.idle.start()

    def _can_be_opened(self) -> bool:
        """Whether there is a passphrase to ask for; what only the keyring opens would open by itself."""
        try:
            kinds = {one.kind for one in self._keys().status().protectors}
        except WorkbenchError:
            return False
        return "passphrase" in kinds

    async def _ask(self) -> bool:
        dialog = UnlockDialog(_tr("Locked. Type the passphrase, or the recovery code."), self._window)
        with opened(dialog):
            while True:
                name, said = await first_of(tried=dialog.tried, quit=dialog.quit_wished)
                if name == "quit":
                    return False
                dialog.set_busy(True)
                try:
                    await asyncio.to_thread(self._keys().check, said[0])
                    return True
                except WrongSecret:
                    problem = _tr("That doesn’t unlock your chats. Nothing was changed.")
                except WorkbenchError as error:
                    problem = str(error)
                dialog.set_busy(False)
                dialog.refuse(problem)

    def _cover(self) -> None:
        self.idle.stop()
        others = [
            one for one in QApplication.topLevelWidgets() if one.isVisible() and one is not self._window
        ]
        for other in others:
            other.hide()
        # Menus and tips are gone for good; dialogs and the inspector in a window of its own come back.
        passing = (Qt.WindowType.Popup, Qt.WindowType.ToolTip)
        self._aside = [one for one in others if one.windowType() not in passing]
        self._window.set_covered(True)

    def _uncover(self) -> None:
        self._window.set_covered(False)
        for other in self._aside:
            other.show()
        self._aside = []
        self._session.resume()
