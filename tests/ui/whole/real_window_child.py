"""The program on a real display, driven by synthetic keys and mouse; prints what it saw. Run by test_real_window."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from tests.fakes.widgets import all_of
from workbench.sources.resources import resource_path
from workbench.ui.chat.messages.arriving_view import ArrivingView
from workbench.ui.program.app import FirstPaint, run_window
from workbench.ui.program.single_instance import SingleInstance
from workbench.ui.window.main_window import MainWindow
from workbench.wiring.folder import scratch
from workbench.wiring.window import demo_given

PATIENCE_S = 90


async def until(what: str, happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not happened():  # noqa: ASYNC110  (what is waited for is not made to be waited for)
            await asyncio.sleep(0.05)
    print("seen:", what, flush=True)


def dialogs() -> list[QDialog]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()]


async def drive(window: MainWindow, folder: Path) -> None:
    await until("the sample chat", lambda: "Sample" in window.windowTitle())
    window.activateWindow()  # there is no window manager that would
    await until("the window active", window.isActiveWindow)
    text, bar = window.chat.composer.text, window.inspector.block.bar
    before = bar.bar().total_tokens
    QTest.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    QTest.keyClick(text, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(text, " Answer in five words.")
    await until("the bar follow the keys", lambda: bar.bar().total_tokens > before)
    window.grab().save(str(folder / "typed.png"))
    for place in range(1, 4):
        QTest.mouseClick(
            window.inspector.tabs,
            Qt.MouseButton.LeftButton,
            pos=window.inspector.tabs.tabRect(place).center(),
        )
        await asyncio.sleep(0.2)
        window.grab().save(str(folder / f"tab-{place}.png"))
    QTest.mouseClick(
        window.inspector.tabs, Qt.MouseButton.LeftButton, pos=window.inspector.tabs.tabRect(0).center()
    )
    QTest.keyClick(window, Qt.Key.Key_F1)
    await until("the list of shortcuts", lambda: bool(dialogs()))
    QTest.keyClick(dialogs()[0], Qt.Key.Key_Escape)
    await until("it gone", lambda: not dialogs())
    QTest.keyClick(
        window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    await asyncio.sleep(0.3)
    window.grab().save(str(folder / "dark.png"))
    text.setFocus()
    QTest.keyClick(text, Qt.Key.Key_Return)
    await until("the answer begin", lambda: bool(all_of(ArrivingView, window.chat.transcript)))
    await until("the answer end", lambda: not all_of(ArrivingView, window.chat.transcript))
    await asyncio.sleep(0.5)
    window.grab().save(str(folder / "answered.png"))
    window.close()


def main() -> int:
    folder = Path(sys.argv[1])
    arguments = Namespace(data_dir=str(folder / "data"), key_file=None)
    first = FirstPaint(resource_path(), None)
    print("platform:", first.app.platformName(), flush=True)
    held: list[asyncio.Task[None]] = []

    def begin() -> None:
        held.append(asyncio.get_running_loop().create_task(drive(first.window, folder)))
        held[0].add_done_callback(lambda task: None if not task.exception() else first.app.exit(3))

    QTimer.singleShot(500, begin)
    with scratch() as store:
        code = run_window(demo_given(arguments, store.open), first, SingleInstance("real window"))
    held[0].result()
    print("closed", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
