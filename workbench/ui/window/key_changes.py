"""Changes what unlocks the store; each change runs in a thread, since deriving a key takes a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.domain.errors import KeyringUnusable, WorkbenchError, WrongSecret
from workbench.domain.secrets import Secret
from workbench.engine.tasks import Tasks
from workbench.ports.keys import KeyKeeper
from workbench.ui.dialogs.protect import NewPassphraseDialog
from workbench.ui.translation import in_language, tr
from workbench.ui.waiting import first_of
from workbench.ui.window.startup import show_code
from workbench.ui.wishes import KeyChange

MakeKeeper = Callable[[], KeyKeeper]


class KeyChanges(QObject):
    """Changes the passphrase, keyring and recovery code of the data folder.

    Attributes:
        when_open: runs a function that opens a dialog, once the window is not locked.

    Signals:
        status: what protects the store now (`KeyStatus`). told: a message about what was changed, or why nothing was.
    """

    status = Signal(object)
    told = Signal(str)

    def __init__(self, keeper: MakeKeeper, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keeper, self._tasks = keeper, tasks
        self.when_open: Callable[[Callable[[], None]], None] = lambda do: do()

    def look(self) -> None:
        self._tasks.spawn("look at the keys", self._emit_status())

    def run(self, change: KeyChange, over: QWidget) -> None:
        self._tasks.spawn(f"keys: {change}", self._run(change, over))

    async def _run(self, change: KeyChange, over: QWidget) -> None:
        try:
            await self._do(change, over)
        except KeyringUnusable as problem:
            words = tr(
                "Couldn’t use the system keyring: {why}. Nothing was changed: your chats unlock as before."
            )
            self.told.emit(words.format(why=problem.reason))
        except WorkbenchError as problem:
            self.told.emit(in_language(str(problem)))
        await self._emit_status()

    async def _do(self, change: KeyChange, over: QWidget) -> None:
        keeper = self._keeper()
        if change == "recovery":
            code: Secret = await asyncio.to_thread(keeper.new_recovery_code)
            await self._until_open()
            await show_code(code, over)
        elif change == "passphrase":
            if await self._change_passphrase(keeper, over):
                self.told.emit(tr("The new passphrase now unlocks your chats."))
        else:
            on = change == "keyring-on"
            await asyncio.to_thread(keeper.use_keyring, on)
            words = tr("The system keyring now unlocks your chats, too.")
            self.told.emit(words if on else tr("The system keyring no longer unlocks your chats."))

    async def _change_passphrase(self, keeper: KeyKeeper, over: QWidget) -> bool:
        """Ask for the old and a new passphrase until the old one is right; return whether it was changed."""
        kinds = {one.kind for one in (await asyncio.to_thread(keeper.status)).protectors}
        await self._until_open()
        dialog = NewPassphraseDialog("passphrase" in kinds, over)
        dialog.open()
        try:
            while True:
                name, given = await first_of(chosen=dialog.chosen, left=dialog.finished)
                if name != "chosen":
                    return False
                dialog.set_busy(True)
                try:
                    await asyncio.to_thread(_check_and_change, keeper, *given)
                except WrongSecret:
                    dialog.set_busy(False)
                    dialog.refuse(tr("Wrong passphrase or recovery code. Nothing was changed."))
                else:
                    return True
        finally:
            dialog.set_busy(False)
            dialog.accept()
            dialog.deleteLater()

    async def _until_open(self) -> None:
        opened = asyncio.Event()
        self.when_open(opened.set)
        await opened.wait()

    async def _emit_status(self) -> None:
        try:
            self.status.emit(await asyncio.to_thread(self._keeper().status))
        except WorkbenchError as problem:
            self.told.emit(in_language(str(problem)))


def _check_and_change(keeper: KeyKeeper, old: Secret | None, new: Secret) -> None:
    if old is not None:
        keeper.check(old)
    keeper.change_passphrase(lambda: new)
