"""How long the window's loop stands still while an answer of 500 pieces a second arrives, beside an idle control.

Offscreen, with the real window over an engine whose model is a fake. A timer ticks every 10 ms; a tick that comes late
says how long something else had the loop.
"""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import asyncio
import sys
from collections.abc import Iterator

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from tests.architecture.source_tree import ROOT
from tests.benchmarks.running.figures import Figure, Means, at_most
from tests.benchmarks.running.lag import lag_figures
from tests.fakes.chat_model import FakeModel, FakeModels, Step
from tests.fakes.engine import fake_world
from tests.fakes.given import PaperGiven
from tests.fakes.qt_loop import in_qt_loop, until
from workbench.domain.answer import Finished, TextGrew
from workbench.engine.intents import SendMessage
from workbench.engine.workbench import Workbench
from workbench.ui.look.appearance import Appearance
from workbench.ui.memory import WindowMemory
from workbench.ui.program.app import make_app
from workbench.ui.window.main_window import MainWindow
from workbench.ui.window.working import Working

TICK_MS, PIECES, A_SECOND = 10, 2_500, 500
TEXT = (
    "The **first** caller takes the lock; everyone else waits and retries once.\n\n"
    "- a list item with `code`\n- another one\n\n```python\nasync def token(self):\n    return self._token\n```\n\n"
)


class Lag(QObject):
    """Notes how late each tick is."""

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: list[float] = []
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._since.start()
        self._timer.start(TICK_MS)

    def stop(self) -> None:
        """Tick no longer."""
        self._timer.stop()

    def _tick(self) -> None:
        self.late_ms.append(max(0.0, self._since.nsecsElapsed() / 1e6 - TICK_MS))
        self._since.start()


def pieces(number: int) -> list[Step]:
    """An answer in small pieces, each a moment after the one before."""
    letters = (TEXT * (number * 6 // len(TEXT) + 1))[: number * 6]
    steps: list[Step] = []
    for start in range(0, len(letters), 6):
        steps += [TextGrew(letters[start : start + 6]), 1 / A_SECOND]
    return [*steps, Finished("stop")]


@in_qt_loop
async def measure(number: int, late_ms: dict[str, list[float]]) -> None:
    """Lags of an idle window, then of the same while an answer arrives."""
    model = FakeModels(FakeModel([pieces(number)]))
    given = PaperGiven().given(world=lambda store, report: fake_world(store=store, models=model))
    world = given.world(await given.open(None), lambda name, error: print(name, repr(error), file=sys.stderr))
    workbench, memory = Workbench(world), WindowMemory(None)
    window = MainWindow(memory)
    window.resize(1600, 1000)
    window.show()
    working = Working(window, workbench, world.tasks, given, (memory, Appearance(QApplication.instance())))
    await working.begin(fresh=False)
    await until(lambda: working.session.chat is not None)
    await asyncio.sleep(1)
    idle = Lag()
    await asyncio.sleep(3)
    idle.stop()
    busy = Lag()
    working.session.send(SendMessage(working.session.chat_id, "Go."))
    await until(lambda: working.session.chat is not None and working.session.chat.ended is not None, 120)
    busy.stop()
    late_ms |= {"idle": idle.late_ms, "busy": busy.late_ms}
    working.close()
    await workbench.close()
    window.let_go()


def figures(means: Means) -> Iterator[Figure]:
    """The idle window, and the one at work."""
    app = make_app(ROOT / "resources")
    Appearance(app).apply(app, "light")
    late_ms: dict[str, list[float]] = {}
    measure(means.laps(PIECES), late_ms)
    yield from lag_figures("idle window", late_ms["idle"])
    yield from lag_figures(
        f"streaming {A_SECOND} pieces a second", late_ms["busy"], at_most(16), at_most(100)
    )
