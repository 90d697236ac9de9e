"""What every test of the window shares: our look, our fonts, and a guard that the loop never stands still."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

# Qt reads it when it is loaded: times in tests are the same wherever they run.
os.environ["TZ"] = "UTC"  # noqa: TID251

import pytest
from PySide6.QtCore import QCoreApplication, QElapsedTimer, QEvent, QLocale, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.fakes.steps_taken import Turns
from workbench.ui.look.appearance import Appearance
from workbench.ui.look.fonts import load_fonts
from workbench.ui.look.icons import load_icons
from workbench.ui.look.theme import DARK, LIGHT, Theme
from workbench.ui.widgets.motion import reduce_motion

ENGLISH = QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom)
RESOURCES = Path(__file__).parents[2] / "resources"
TICK_MS = 10
LONGEST_STALL_MS = 100_000
"""A guard against hanging only, since other programs run on the same machine; bench_window has the figures."""
MOST_WORK_S = 20.0
"""The same in processor time of this thread, which others change little; a first window with its imports is 2 to 5."""


@pytest.fixture(scope="session")
def qapp(qapp_args: list[str], qapp_cls: type[QApplication]) -> QApplication:
    """The application in our look; figures as in English, and nothing moves unless a test wants it to."""
    QLocale.setDefault(ENGLISH)
    app = QApplication.instance() or qapp_cls(qapp_args)
    assert isinstance(app, QApplication)
    load_fonts(RESOURCES / "fonts")
    load_icons(RESOURCES / "icons")
    reduce_motion(True)
    return app


@pytest.fixture(scope="session")
def _appearance(qapp: QApplication) -> Appearance:
    appearance = Appearance(qapp)
    appearance.apply(qapp, "light")
    return appearance


@pytest.fixture
def appearance(_appearance: Appearance) -> Appearance:
    """What the window is dressed with; light again after the test."""
    return _appearance


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest, qapp: QApplication, appearance: Appearance) -> Theme:
    """Both themes, one after the other."""
    appearance.apply(qapp, request.param)
    return DARK if request.param == "dark" else LIGHT


@pytest.fixture
def moving(qapp: QApplication) -> Iterator[None]:
    """Let things move in this test."""
    reduce_motion(False)
    yield
    reduce_motion(True)


class Stopwatch(QObject):
    """Ticks in the event loop, and knows the longest time from one tick to the next in the same run of it.

    What a test does by itself, outside of the loop, does not count: two ticks belong together only if the loop
    was entered by the same call, which is the Python frame that the tick was called from. `turns` knows how much work
    was between two of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.longest_ms = 0
        self.turns = Turns()
        self._since = QElapsedTimer()
        self._entered: tuple[FrameType | None, int] = (None, 0)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK_MS)

    def stop(self) -> None:
        self._timer.stop()
        self._entered = (None, 0)

    def _tick(self) -> None:
        caller = sys._getframe().f_back
        entered = (caller, caller.f_lasti if caller else 0)
        if self._since.isValid() and entered == self._entered:
            self.longest_ms = max(self.longest_ms, int(self._since.elapsed()))
            self.turns.passed()
        else:
            self.turns.skip()
        self._entered = entered
        self._since.start()


@pytest.fixture(autouse=True)
def loop_guard(qapp: QApplication, _appearance: Appearance) -> Iterator[Stopwatch]:
    """Fails a test in which one piece of work kept the event loop for long: the window would freeze."""
    watch = Stopwatch()
    yield watch
    longest_ms, work_s = watch.longest_ms, watch.turns.longest_s
    watch.stop()
    assert longest_ms <= LONGEST_STALL_MS, f"the loop stood still for {longest_ms} ms"
    assert work_s <= MOST_WORK_S, f"nothing else had its turn for {work_s} s of work"


def release_mouse() -> None:
    """Let go of a button that a test pressed and left so: to the next one, somebody would be dragging."""
    nowhere = QWidget()
    nowhere.show()
    for button in Qt.MouseButton:
        if button != Qt.MouseButton.NoButton and QGuiApplication.mouseButtons() & button:
            QTest.mouseRelease(nowhere, button)
    nowhere.deleteLater()


@pytest.fixture(autouse=True)
def let_go(qapp: QApplication, _appearance: Appearance) -> Iterator[None]:
    """Delete every window that is left, also what pytest-qt only marked for it: without an event loop nobody else does.

    Left alone, thousands of widgets live on, and each change of the theme dresses all of them anew: seconds a test.
    """
    yield
    if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
        release_mouse()
    for window in QApplication.topLevelWidgets():
        # A list that drops down belongs to its field, which ends it: ending it twice ends the process.
        if window.parent() is None and window.windowType() != Qt.WindowType.Popup:
            window.close()
            window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    _appearance.apply(qapp, "light")  # whoever has put on another: at once, where no widget is left


@pytest.fixture(autouse=True)
def same_surroundings(qapp: QApplication) -> None:
    """Language and motion as every test expects them, whatever the one before has set."""
    QLocale.setDefault(ENGLISH)
    reduce_motion(True)
