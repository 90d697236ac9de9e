"""From the first paint to an open store: unlocked by the keyring or by asking; a first run creates it."""

from __future__ import annotations

import asyncio
import time

from PySide6.QtWidgets import QWidget

from workbench.domain.errors import StoreInUse, StoreLocked, WorkbenchError, WrongSecret
from workbench.domain.secrets import Secret
from workbench.ports.history import HistoryStore
from workbench.ui.dialogs.protect import ProtectDialog, RecoveryCodeDialog
from workbench.ui.dialogs.unlock import UnlockDialog
from workbench.ui.given import Choice, Given
from workbench.ui.translation import tr
from workbench.ui.waiting import first_of, opened

IN_USE_S, AGAIN_S = 3.0, 0.1
"""How long to try again while another program has the chats open: a window that was just closed is still saving."""


class NotOpened(Exception):
    """The user chose to quit instead of unlocking the store."""


async def open_store(given: Given, window: QWidget) -> tuple[HistoryStore, bool]:
    """Open the store, and return it and whether it is new; raises `NotOpened` if the user quits."""
    fresh = not given.store_exists()
    if fresh and await _create_store(given, window) == "look" and given.look is not None:
        return await given.look(), False
    try:
        return await _open_when_free(given, None), fresh
    except (StoreLocked, WrongSecret) as problem:
        wrong = isinstance(problem, WrongSecret)
        line = tr("The passphrase or key file given at start doesn’t unlock your chats.") if wrong else ""
        return await _ask_for_secret(given, window, line), fresh


async def keep_chats(given: Given, window: QWidget) -> bool:
    """Ask what should unlock the chats of a trial, and save them; return whether that was done."""
    try:
        await _create_store(given, window, first=False)
    except NotOpened:
        return False
    return True


async def _create_store(given: Given, window: QWidget, *, first: bool = True) -> str:
    """Create the store as the user chooses, or return "look" for a trial without it; raises `NotOpened` on Quit."""
    if given.secret_given():
        await show_code(await given.create(Choice(None, keyring=False)), window)
        return "chosen"
    dialog = ProtectDialog(given.place, given.keyring_problem(), window, first=first)
    dialog.look.setVisible(first and given.look is not None)
    with opened(dialog):
        while True:
            name, said = await first_of(
                chosen=dialog.chosen, look=dialog.look_wished, quit=dialog.quit_wished
            )
            if name == "quit":
                raise NotOpened
            if name == "look":
                return name
            choice: Choice = said[0]
            dialog.set_busy(True)
            try:
                code = await given.create(choice)
            except WorkbenchError as problem:
                dialog.set_busy(False)
                dialog.refuse(str(problem))
                continue
            break
    await show_code(code, window)
    return name


async def show_code(code: Secret, window: QWidget) -> None:
    """Show a recovery code until the user confirms that it is saved."""
    dialog = RecoveryCodeDialog(code, window)
    with opened(dialog):
        await first_of(kept=dialog.kept)


async def _open_when_free(given: Given, secret: Secret | None) -> HistoryStore:
    deadline = time.monotonic() + IN_USE_S
    while True:
        try:
            return await given.open(secret)
        except StoreInUse:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(AGAIN_S)


async def _ask_for_secret(given: Given, window: QWidget, line: str) -> HistoryStore:
    words = line or tr("Type the passphrase, or the recovery code.")
    dialog = UnlockDialog(words, window)
    with opened(dialog):
        while True:
            name, said = await first_of(tried=dialog.tried, quit=dialog.quit_wished)
            if name == "quit":
                raise NotOpened
            dialog.set_busy(True)
            try:
                return await _open_when_free(given, said[0])
            except StoreInUse:
                raise
            except WrongSecret:
                dialog.set_busy(False)
                dialog.refuse(tr("That doesn’t unlock your chats. Nothing was changed."))
            except WorkbenchError as problem:
                dialog.set_busy(False)
                dialog.refuse(str(problem))
