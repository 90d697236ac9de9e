"""Opens the window: it is painted once before everything that is slow to load."""

from __future__ import annotations

import logging
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from workbench.ports.tracing import Trace
from workbench.sources.resources import resource_path
from workbench.wiring.folder import ProgramFolder, scratch
from workbench.wiring.log import Log, open_trace

if TYPE_CHECKING:
    from workbench.ui.program.system import QtMessages

ExceptHook = Callable[[type[BaseException], BaseException, TracebackType | None], Any]

_log = logging.getLogger(__name__)
MEMORY_NAME = "window.ini"
DEMO = "demo"


def run_window(arguments: Namespace) -> int:
    """Opens the window, or draws a scene into a file; returns the exit code."""
    if arguments.screenshot:
        from workbench.wiring.scenes import draw_scene

        return draw_scene(arguments)
    if not arguments.demo:
        set_scale(ProgramFolder(arguments).folder)
    with _logging() as log, open_trace() as trace:
        from workbench.ui.program.app import bare_app

        # Without a trace the application is Qt's own: no event takes a detour.
        bare_app(sys.argv[:1], trace)
        return _demo(arguments, log, trace) if arguments.demo else _own(arguments, log, trace)


def set_scale(folder: Path) -> None:
    """Sets the interface scale that was chosen, which Qt reads before there is an application."""
    memory = folder / MEMORY_NAME
    if memory.exists() and "scale=" in memory.read_text(encoding="utf-8", errors="replace"):
        from workbench.ui.memory import SCALES, WindowMemory

        scale = WindowMemory(memory).scale
        if scale != SCALES[0]:
            os.environ.setdefault("QT_SCALE_FACTOR", scale)


@contextmanager
def _logging() -> Iterator[Log]:
    """Logs errors from before Qt starts until after the last write."""
    log = Log()
    written = log.open(aloud=True)
    from workbench.ui.program.quick_imports import leave_sources_alone

    leave_sources_alone()  # before anything else is loaded
    messages = _capture_qt_messages() if written else None
    before, sys.excepthook = sys.excepthook, _logging_hook(sys.excepthook)
    try:
        yield log
    except Exception as error:
        # What a person can act on is said by who catches it; whatever else it is, is shown by Python itself.
        _log.error("the window failed", exc_info=error, extra={"shown": True})
        raise
    finally:
        sys.excepthook = before
        if messages is not None:
            messages.close()
        log.close()


def _capture_qt_messages() -> QtMessages:
    from workbench.ui.program.system import QtMessages

    return QtMessages()


def _logging_hook(before: ExceptHook) -> ExceptHook:
    """Returns an exception hook that logs the error first, for the time before the window reports errors itself."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _log.error("something failed", exc_info=(kind, error, trace), extra={"shown": True})
        before(kind, error, trace)

    return hook


def _own(arguments: Namespace, log: Log, trace: Trace | None) -> int:
    from workbench.ui.program.app import FirstPaint
    from workbench.ui.program.app import run_window as run
    from workbench.ui.program.system import SingleInstance

    place = ProgramFolder(arguments)
    files = [os.path.abspath(name) for name in arguments.open]
    alone = SingleInstance(str(place.folder.resolve()), files)
    if alone.raise_other():
        return 0
    first = FirstPaint(resource_path(), place.folder / MEMORY_NAME)
    if not alone.listen():  # two were started at once, and the other one listens already
        return 0
    from workbench.wiring.window import FolderGiven

    code = run(replace(FolderGiven(arguments, log).given(), trace=trace), first, alone)
    alone.close()
    return code


def _demo(arguments: Namespace, log: Log, trace: Trace | None) -> int:
    from workbench.ui.program.app import FirstPaint
    from workbench.ui.program.app import run_window as run

    first = FirstPaint(resource_path(), None)
    from workbench.ui.program.system import SingleInstance
    from workbench.wiring.window import demo_given

    with scratch() as folder:
        given = replace(demo_given(arguments, folder.open, log), trace=trace)
        return run(given, first, SingleInstance(DEMO))
