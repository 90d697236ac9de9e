"""The program with a window: from the first paint to the last write."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from workbench.domain.errors import StoreInUse, WorkbenchError
from workbench.engine.state import WorkbenchState
from workbench.engine.workbench import Workbench
from workbench.ui.crash import CrashWatch
from workbench.ui.desk import Desk
from workbench.ui.look.appearance import Appearance
from workbench.ui.look.fonts import load_fonts
from workbench.ui.look.icons import load_icons
from workbench.ui.main_window import MainWindow
from workbench.ui.signals import EndSignals
from workbench.ui.single_instance import SingleInstance
from workbench.ui.widgets.motion import keep_still
from workbench.ui.window_memory import WindowMemory

ENGLISH = QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom)


def make_app(resources: Path, arguments: list[str] | None = None) -> QApplication:
    """The application with our fonts and icons, which Qt must know before the first widget."""
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(arguments or ["workbench"])
    if QLocale().language() == QLocale.Language.C:
        # A machine that was told no language would write times and figures for machines.
        QLocale.setDefault(ENGLISH)
    app.setApplicationName("Context Workbench")
    app.setApplicationDisplayName("Context Workbench")
    app.setDesktopFileName("context-workbench")
    # Closing the window first keeps everything; only then the program ends.
    app.setQuitOnLastWindowClosed(False)
    load_fonts(resources / "fonts")
    load_icons(resources / "icons")
    return app


def run_window(desk: Desk) -> int:
    """Open the window and stay until it is closed; the exit code."""
    app = make_app(desk.resources, sys.argv[:1])
    alone = SingleInstance(desk.place)
    if not desk.throwaway and alone.raise_other():
        return 0
    if not desk.throwaway:
        alone.listen()
    from qasync import QEventLoop

    with asyncio.Runner(loop_factory=lambda: QEventLoop(app)) as runner:
        code = runner.run(live(desk, alone))
    alone.close()
    return code


async def live(desk: Desk, alone: SingleInstance) -> int:
    """The life of the window."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    memory, appearance = WindowMemory(desk.memory), Appearance()
    appearance.apply(app, memory.mode)
    keep_still(memory.calm)
    window = MainWindow(memory)
    window.show_state(WorkbenchState(), "", desk.utc_now())
    window.show()
    alone.called.connect(lambda: _to_front(window))
    watch, ends = CrashWatch(desk.version, desk.redact), EndSignals()
    ends.received.connect(window.close)
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: watch.report("background", context.get("exception") or RuntimeError("unknown"))
    )
    await asyncio.sleep(0)
    try:
        return await _opened(desk, window, (memory, appearance), watch)
    finally:
        ends.close()
        watch.close()
        window.let_go()


async def _opened(
    desk: Desk, window: MainWindow, look: tuple[WindowMemory, Appearance], watch: CrashWatch
) -> int:
    """Open the store, let the person work, and keep everything at the end."""
    # Loaded after the first paint, and beside it: the engine brings the database and the encryption along.
    await asyncio.to_thread(desk.load)
    from workbench.ui.startup import NotOpened, open_store
    from workbench.ui.working import Working

    opening = asyncio.current_task()
    if opening is not None:
        window.closing.connect(opening.cancel)
    try:
        store, fresh = await open_store(desk, window)
    except (NotOpened, asyncio.CancelledError):
        return 0
    except StoreInUse as problem:
        return await _give_up(window, str(problem))
    except WorkbenchError as problem:
        return await _give_up(window, str(problem))
    if opening is not None:
        window.closing.disconnect(opening.cancel)
    world = desk.world(store, watch.report)
    workbench = Workbench(world)
    working = Working(window, workbench, world.tasks, desk, look)
    watch.crashed.connect(working.openings.crash)
    try:
        await working.begin(fresh)
        await working.session.until_over()
    finally:
        window.hide()
        working.close()
        await workbench.close()
    return 0


async def _give_up(window: MainWindow, words: str) -> int:
    """Say why the store cannot be opened, until the person closes that."""
    from workbench.ui.dialogs.crash_report import NoticeDialog
    from workbench.ui.waiting import first_of

    dialog = NoticeDialog(QCoreApplication.translate("App", "Your chats cannot be opened"), words, window)
    dialog.open()
    await first_of(closed=dialog.finished, window=window.closing)
    return 1


def _to_front(window: MainWindow) -> None:
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()
