"""Changing what opens the store, from the window: each in a thread, because making a key takes a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.domain.errors import WorkbenchError
from workbench.domain.secret import Secret
from workbench.engine.tasks import Tasks
from workbench.ports.keys import KeyKeeper
from workbench.ui.dialogs.protect import ask_new_passphrase
from workbench.ui.window.startup import show_code
from workbench.ui.wishes import KeyErrand

MakeKeeper = Callable[[], KeyKeeper]


class KeyErrands(QObject):
    """Runs errands about the keys of the data folder.

    Signals:
        status: what protects the store now (`KeyStatus`). told: words about what was done, or why not.
    """

    status = Signal(object)
    told = Signal(str)

    def __init__(self, keeper: MakeKeeper, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keeper, self._tasks = keeper, tasks

    def look(self) -> None:
        """Say what protects the store."""
        self._tasks.spawn("look at the keys", self._look())

    def run(self, errand: KeyErrand, over: QWidget) -> None:
        """Do one errand."""
        self._tasks.spawn(f"keys: {errand}", self._told(errand, over))

    async def _told(self, errand: KeyErrand, over: QWidget) -> None:
        try:
            await self._do(errand, over)
        except WorkbenchError as problem:
            self.told.emit(str(problem))
        await self._look()

    async def _do(self, errand: KeyErrand, over: QWidget) -> None:
        keeper = self._keeper()
        if errand == "recovery":
            code: Secret = await asyncio.to_thread(keeper.new_recovery_code)
            await show_code(code, over)
        elif errand == "passphrase":
            chosen = await ask_new_passphrase(over)
            if chosen is not None:
                await asyncio.to_thread(keeper.change_passphrase, lambda: chosen)
                self.told.emit(_tr("The new passphrase opens your chats from now on."))
        else:
            await asyncio.to_thread(keeper.use_keyring, errand == "keyring-on")

    async def _look(self) -> None:
        try:
            self.status.emit(await asyncio.to_thread(self._keeper().status))
        except WorkbenchError as problem:
            self.told.emit(str(problem))


def _tr(words: str) -> str:
    return QCoreApplication.translate("KeyErrands", words)
