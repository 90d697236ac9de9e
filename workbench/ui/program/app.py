"""The program with a window: from the first paint to the last write."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6 import QtCore, QtGui
from PySide6.QtCore import QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from workbench.files.language import PSEUDO, shown_language
from workbench.ui.look.theme import set_theme, theme_for
from workbench.ui.memory import WindowMemory
from workbench.ui.translation import tr
from workbench.ui.window.main_window import MainWindow

if TYPE_CHECKING:  # the first paint needs neither a loop nor the engine's values
    import asyncio

    from workbench.ports.tracing import Trace
    from workbench.ui.given import Given
    from workbench.ui.program.crash import CrashWatch
    from workbench.ui.program.system import SingleInstance

_log = logging.getLogger(__name__)
QT_WORDS = "qt_words"
ENGLISH = QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom)


def make_app(resources: Path, arguments: list[str] | None = None) -> QApplication:
    """The application with our fonts and icons, which Qt needs before the first widget with text."""
    from workbench.ui.look.fonts import load_fonts
    from workbench.ui.look.icons import load_icons
    from workbench.ui.widgets.labels import tell_roles

    app = bare_app(arguments)
    # What we paint is not mirrored in any language.
    app.setLayoutDirection(QtCore.Qt.LayoutDirection.LeftToRight)
    tell_roles()
    load_fonts(resources / "fonts")
    load_icons(resources / "icons")
    if app.windowIcon().isNull():
        drawn = QtGui.QIcon()
        for path in (resources / "desktop" / "icons" / "hicolor").glob("*x*/apps/context-workbench.png"):
            drawn.addFile(str(path))
        app.setWindowIcon(drawn)
    return app


def bare_app(arguments: list[str] | None = None, trace: Trace | None = None) -> QApplication:
    """The application without our fonts and icons yet."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        given = arguments or ["workbench"]
        app = QApplication(given) if trace is None else _traced(given, trace)
    _speak(app, shown_language())
    app.setApplicationName("Context Workbench")
    app.setApplicationDisplayName("Context Workbench")
    app.setDesktopFileName("context-workbench")
    # Closing the window first keeps everything; only then the program ends.
    app.setQuitOnLastWindowClosed(False)
    return app


def _speak(app: QApplication, tag: str) -> None:
    """Times, figures and Qt's own dialogs in the language of everything else."""
    wanted = ENGLISH if tag in ("en", PSEUDO) else QLocale(tag)
    if QLocale().language() != wanted.language():
        # Also on a machine that was told no language, which would write times and figures for machines.
        QLocale.setDefault(wanted)
    if app.property(QT_WORDS) == tag:
        return
    app.setProperty(QT_WORDS, tag)
    installed: Any = app.findChildren(QTranslator)
    for old in installed:
        app.removeTranslator(old)
    words = QTranslator(app)
    if tag not in ("en", PSEUDO) and words.load(
        f"qtbase_{tag}", QtCore.QLibraryInfo.path(QtCore.QLibraryInfo.LibraryPath.TranslationsPath)
    ):
        app.installTranslator(words)


def _traced(given: list[str], trace: Trace) -> QApplication:
    from workbench.ui.program.system import TracedApplication

    return TracedApplication(given, trace)


class FirstPaint:
    """The window as it is painted at once, before the rest of the program is loaded.

    Attributes:
        app, window, memory, appearance: what exists by then.
    """

    def __init__(self, resources: Path, memory: Path | None) -> None:
        self.app = bare_app(sys.argv[:1])
        self.memory = WindowMemory(memory)
        # Its grounds and lines need colours; there are no words and no controls yet, so fonts and style come after it.
        # Qt's own palette is as dark as the desktop; asking for the desktop's scheme would load the namespace `Qt`.
        dark = self.app.palette().window().color().lightness() < 128
        set_theme(self.app, theme_for(self.memory.mode, dark))
        self.window = MainWindow(self.memory, furnished=False)
        self.window.show()
        # The one time that events are run by hand: there is no loop yet, and loading one takes a while.
        self.app.processEvents()
        self._apply_look(resources)

    def _apply_look(self, resources: Path) -> None:
        from workbench.ui.look.appearance import Appearance
        from workbench.ui.look.fonts import set_sizes
        from workbench.ui.widgets.motion import reduce_motion

        make_app(resources)
        self.appearance = Appearance()
        set_sizes(self.memory.sizes)
        self.appearance.apply(self.app, self.memory.mode)
        reduce_motion(self.memory.calm)


def run_window(given: Given, first: FirstPaint, alone: SingleInstance) -> int:
    """Run the window until it is closed; returns the exit code."""
    import asyncio

    from workbench.ui.program.loop import WindowLoop

    with asyncio.Runner(loop_factory=lambda: WindowLoop(first.app)) as runner:
        return runner.run(run_until_closed(given, first, alone))


async def run_until_closed(given: Given, first: FirstPaint, alone: SingleInstance) -> int:
    """Run the window in the event loop until it is closed: open the store, start the engine, close both at the end."""
    import asyncio

    from workbench.ui.garbage import Collector
    from workbench.ui.program.crash import CrashWatch
    from workbench.ui.program.loop import EndSignals

    window, leaving = first.window, asyncio.Event()
    window.closing.connect(leaving.set)  # from the first moment on: nobody has to ask twice
    window.closing.connect(alone.close)  # a later start would hand its files to a window that is going
    alone.called.connect(window.come_to_front)  # also one that was closed while others stayed open
    watch, ends, collector = CrashWatch(given.version, given.redact), EndSignals(), Collector()
    ends.received.connect(window.close_now)
    _log.info("the window is open")
    window.closing.connect(watch.stop_showing)  # a dialog would stand over a window that is gone
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: watch.report("background", context.get("exception") or RuntimeError("unknown"))
    )
    try:
        with _closing_generators(asyncio.get_running_loop()):
            return await _open_and_run(given, first, watch, alone, leaving)
    finally:
        alone.close()  # also where nobody closed the window: what a call sends needs the loop
        ends.close()
        watch.close()
        window.let_go()
        collector.close()


@contextmanager
def _closing_generators(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Close abandoned async generators in a task, in which they can await their cleanup."""
    before = sys.get_asyncgen_hooks()
    # WORKAROUND(qasync 0.28.0): its loop does not set what every loop of asyncio sets while it runs.
    first, last = (
        getattr(loop, "_asyncgen_firstiter_hook", None),
        getattr(loop, "_asyncgen_finalizer_hook", None),
    )
    sys.set_asyncgen_hooks(firstiter=first, finalizer=last)
    try:
        yield
    finally:
        sys.set_asyncgen_hooks(*before)


async def _open_and_run(
    given: Given, first: FirstPaint, watch: CrashWatch, alone: SingleInstance, leaving: asyncio.Event
) -> int:
    import asyncio

    from workbench.domain.errors import WorkbenchError

    window = first.window
    # Loaded after the first paint, and beside it: panes, the engine, the database, the encryption.
    await asyncio.to_thread(given.load)
    if leaving.is_set():
        return 0
    from workbench.engine.state import WorkbenchState
    from workbench.engine.workbench import Workbench
    from workbench.ui.window.startup import NotOpened, open_store
    from workbench.ui.window.working import Working

    window.furnish()
    window.show_state(WorkbenchState(), "", given.utc_now())
    window.set_covered(given.store_exists())  # what is in it is not known yet: “No chats yet” would be untrue
    opening = asyncio.current_task()
    if opening is not None:
        window.closing.connect(opening.cancel)
    try:
        store, fresh = await open_store(given, window)
    except (NotOpened, asyncio.CancelledError):
        return 0
    except WorkbenchError as problem:
        return await _give_up(window, str(problem))
    if opening is not None:
        window.closing.disconnect(opening.cancel)
    window.set_covered(False)
    world = replace(given.world(store, watch.report), trace=given.trace)
    workbench = Workbench(world)
    working = Working(window, workbench, world.tasks, given, (first.memory, first.appearance))
    watch.crashed.connect(working.windows.crash)
    watch.heard = True
    try:
        await working.begin(fresh)
        alone.called.connect(lambda: working.open_files(alone.take_files()))
        working.open_files(alone.take_files())
        await leaving.wait()
    finally:
        watch.stop_showing()
        working.windows.hide()
        working.close()
        await workbench.close()
    return 0


async def _give_up(window: MainWindow, words: str) -> int:
    from workbench.ui.dialogs.crash_report import NoticeDialog
    from workbench.ui.waiting import first_of

    dialog = NoticeDialog(tr("Can’t open your chats"), words, window)
    dialog.open()
    await first_of(closed=dialog.finished, window=window.closing)
    return 1
