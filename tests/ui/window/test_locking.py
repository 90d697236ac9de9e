"""Locking where there is nothing to open it with: said, and nothing is covered."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from tests.fakes.given import PaperGiven
from tests.fakes.qt_loop import in_qt_loop, until
from workbench.domain.errors import InvalidInput
from workbench.engine.workbench import Workbench
from workbench.ports.keys import KeyKeeper
from workbench.ui.look.appearance import Appearance
from workbench.ui.memory import WindowMemory
from workbench.ui.window.locking import Lock
from workbench.ui.window.main_window import MainWindow
from workbench.ui.window.working import Working


def no_keys() -> KeyKeeper:
    raise InvalidInput("--demo", "a throw-away folder has no keys")


@in_qt_loop
async def test_without_a_passphrase_it_is_said_and_nothing_is_covered(qapp):
    given = PaperGiven().given(keys=no_keys)
    world = given.world(await given.open(None), lambda name, error: None)
    workbench, memory = Workbench(world), WindowMemory(None)
    window = MainWindow(memory)
    window.show()
    working = Working(window, workbench, world.tasks, given, (memory, Appearance(QApplication.instance())))
    assert isinstance(working.lock, Lock)
    await working.begin(False)
    working.actions.run("lock")
    await until(lambda: window.toast.isVisible() and "Not locked" in window.toast.text())
    assert not window.is_covered()
    working.close()
    await workbench.close()
    window.let_go()
    window.deleteLater()
