"""The program on a real display, driven by synthetic keys and mouse; prints what it saw. Run by test_real_window."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QTabBar

from tests.fakes.widgets import all_of
from tests.fakes.window_stage import scripted_folder
from workbench.sources.resources import resource_path
from workbench.ui.chat.messages.arriving_view import ArrivingView
from workbench.ui.look.theme import DARK, theme_of
from workbench.ui.program.app import FirstPaint, run_window
from workbench.ui.program.system import SingleInstance
from workbench.ui.window.main_window import MainWindow
from workbench.wiring.folder import scratch
from workbench.wiring.window import demo_given

PATIENCE_S = 240
"""A guard against hanging only: what is waited for is looked at, however long a busy machine takes."""
LEAST_COLOURS, STEP = 12, 16


async def until(what: str, happened: Callable[[], bool]) -> None:
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not happened():  # noqa: ASYNC110  (what is waited for is not made to be waited for)
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise AssertionError(f"not seen in {PATIENCE_S} s: {what}") from None
    print("seen:", what, flush=True)


def dialogs() -> list[QDialog]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()]


def is_active(window: MainWindow) -> bool:
    """Asked for again at every look: there is no window manager that would give a window the keys."""
    if not window.isActiveWindow():
        window.activateWindow()
    return window.isActiveWindow()


def is_mapped(window: MainWindow) -> bool:
    handle: QWindow | None = window.windowHandle()
    return handle is not None and handle.isExposed()


def is_turned_to(tabs: QTabBar, place: int) -> bool:
    return tabs.currentIndex() == place


def is_painted(window: MainWindow) -> bool:
    """Whether the display itself shows more than a bare surface."""
    shown = window.screen().grabWindow(window.winId()).toImage()
    places = ((x, y) for x in range(0, shown.width(), STEP) for y in range(0, shown.height(), STEP))
    return len({shown.pixel(x, y) for x, y in places}) >= LEAST_COLOURS


async def drive(window: MainWindow, folder: Path) -> None:
    await until("the sample chat", lambda: "Sample" in window.windowTitle())
    await until("the window on the display", lambda: is_mapped(window))
    await until("the window active", lambda: is_active(window))
    await until("the window painted", lambda: is_painted(window))
    text, bar, tabs = window.chat.composer.text, window.inspector.block.bar, window.inspector.tabs
    await until("the request counted", lambda: bar.bar().total_tokens > 0)
    before = bar.bar().total_tokens
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    QTest.keyClick(text, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(text, " Answer in five words.")
    await until("the bar follow the keys", lambda: bar.bar().total_tokens > before)
    window.grab().save(str(folder / "typed.png"))
    for place in (1, 2, 3, 0):
        QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(place).center())
        await until(f"page {place} of the inspector", partial(is_turned_to, tabs, place))
        if place:
            window.grab().save(str(folder / f"tab-{place}.png"))
    await until("the window active", lambda: is_active(window))
    QTest.keyClick(window, Qt.Key.Key_F1)
    await until("the guide", lambda: bool(dialogs()))
    QTest.keyClick(dialogs()[0], Qt.Key.Key_Escape)
    await until("it gone", lambda: not dialogs())
    await until("the window active again", lambda: is_active(window))
    QTest.keyClick(
        window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    await until("the dark theme", lambda: theme_of(window) is DARK)
    window.grab().save(str(folder / "dark.png"))
    known = len(records(window))
    text.setFocus()
    QTest.keyClick(text, Qt.Key.Key_Return)
    await until("the answer kept", lambda: len(records(window)) >= known + 2)
    await until("the answer end", lambda: not all_of(ArrivingView, window.chat.transcript))
    window.grab().save(str(folder / "answered.png"))
    window.close()


def records(window: MainWindow) -> Sequence[object]:
    """What was said in the chat in view, as it is kept."""
    chat = window.chat.composer._chat
    return () if chat is None else chat.records


def main() -> int:
    folder = Path(sys.argv[1])
    # An answer at once: the built-in model, which reads the sample for long, is asked by a window in test_window.
    scripted_folder(folder, "Five words are enough here.\n")
    arguments = Namespace(data_dir=str(folder / "data"), key_file=None)
    first = FirstPaint(resource_path(), None)
    print("platform:", first.app.platformName(), flush=True)
    held: list[asyncio.Task[None]] = []

    def begin() -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # the first paint comes before the loop
            QTimer.singleShot(50, begin)
            return
        held.append(loop.create_task(drive(first.window, folder)))
        held[0].add_done_callback(lambda task: None if not task.exception() else first.app.exit(3))

    QTimer.singleShot(0, begin)
    with scratch() as store:
        code = run_window(demo_given(arguments, store.open), first, SingleInstance("real window"))
    held[0].result()
    print("closed", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
