"""The lock: said where there is nothing to open it with; behind it nothing is shown, not even by what arrives."""

from __future__ import annotations

import asyncio

from PySide6.QtWidgets import QApplication

from tests.fakes.given import RIGHT, PaperGiven
from tests.fakes.qt_loop import in_qt_loop, until
from tests.ui.window.test_session import at_work
from workbench.domain.errors import InvalidInput
from workbench.domain.files.attached import LeftOut
from workbench.engine.events import ProgramShown
from workbench.engine.state import SuggestedFacts
from workbench.ports.keys import KeyKeeper
from workbench.ui.dialogs.unlock import UnlockDialog
from workbench.ui.window.main_window import MainWindow
from workbench.ui.window.working import Lock


def no_keys() -> KeyKeeper:
    raise InvalidInput("--demo", "a throw-away folder has no keys")


@in_qt_loop
async def test_without_a_passphrase_it_is_said_and_nothing_is_covered(qapp):
    async with at_work(fresh=False, given=PaperGiven().given(keys=no_keys)) as working:
        window = working.session.window
        assert isinstance(working.lock, Lock)
        working.actions.run("lock")
        await until(lambda: window.toast.isVisible() and "Can’t lock" in window.toast.text())
        assert not window.is_covered()


def dialogs(window: MainWindow) -> set[str]:
    """What is to be seen besides the window itself."""
    return {
        type(one).__name__ for one in QApplication.topLevelWidgets() if one.isVisible() and one is not window
    }


@in_qt_loop
async def test_what_arrives_behind_the_lock_is_shown_when_it_is_opened(qapp):
    """A model that suggests facts, files that are refused, a crash and a new code: each opens a dialog."""
    async with at_work() as working:
        window, workbench = working.session.window, working._workbench
        working.actions.run("lock")
        await until(lambda: dialogs(window) == {"UnlockDialog"})
        workbench._states.emit(
            ProgramShown({"suggestion": SuggestedFacts(working.session.chat_id, "done", "m", 1, None, 1)})
        )
        working.session._show_notice("", (LeftOut("secret.txt", "it is too large"),))
        working.openings.crash("Something broke")
        working.openings.change_keys("recovery")
        await until(lambda: len(working.session._deferred) == 3)
        await until(lambda: working.session.state.suggestion is not None)
        for _ in range(5):
            await asyncio.sleep(0)
        working.session.show_state(workbench.state)
        assert dialogs(window) == {"UnlockDialog"}
        unlock = next(one for one in QApplication.topLevelWidgets() if isinstance(one, UnlockDialog))
        unlock.tried.emit(RIGHT)
        await until(
            lambda: (
                dialogs(window) >= {"FactsDialog", "NotAttachedDialog", "CrashDialog", "RecoveryCodeDialog"}
            )
        )
        assert not window.is_covered()
        for one in QApplication.topLevelWidgets():
            if one is not window:
                one.hide()
