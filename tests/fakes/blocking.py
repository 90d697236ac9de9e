"""A guard that raises when the program blocks the event loop: waits, files, sockets or processes inside a callback."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import workbench

_PACKAGE = str(Path(workbench.__file__).parent)
_BLOCKING = {
    "open", "time.sleep", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "subprocess.Popen",
    "os.listdir", "os.scandir", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "shutil.copyfile", "shutil.rmtree",
    "sqlite3.connect",
}  # fmt: skip
_WAITS = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class LoopBlocked(BaseException):
    """The program did something slow inside the loop; no `except Exception` may swallow this."""


class _Guard:
    active = 0
    installed = False


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if not _Guard.active or event not in _BLOCKING or asyncio._get_running_loop() is None:
        return
    culprit = _culprit(sys._getframe(1))
    if culprit is not None:
        raise LoopBlocked(f"{event} in {culprit.f_code.co_filename}:{culprit.f_lineno} blocks the event loop")


def _culprit(frame: FrameType | None) -> FrameType | None:
    """A coroutine of the program, unless an import is what reads the file or the loop starts a process itself.

    What a test calls directly, without waiting for it, is the test's own business.
    """
    while frame is not None:
        name = frame.f_code.co_filename
        if "importlib" in name or name.endswith(("unix_events.py", "base_events.py", "linecache.py")):
            return None
        if name.startswith(_PACKAGE) and frame.f_code.co_flags & _WAITS:
            return frame
        frame = frame.f_back
    return None


@contextmanager
def nothing_blocks() -> Iterator[None]:
    """While this is in force, the program may not block a running loop."""
    if not _Guard.installed:
        sys.addaudithook(_hook)
        _Guard.installed = True
    _Guard.active += 1
    try:
        yield
    finally:
        _Guard.active -= 1
