"""How long the window takes from a changed state to painted pixels, beside an idle control in the same run.

    python -m tests.benchmarks.bench_window

Offscreen. Each lap is measured twice in turn: with a state that changed as by a keystroke, and with the same state
again, which shows what the machine itself takes at that moment. Beside the time that passed stands the processor's
own time, which is what counts where other programs run on the same cores.
"""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import statistics
import time
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtWidgets import QApplication

from tests.fakes.envelope_views import long_view, retyped
from tests.fakes.sample_state import CHAT, sample_state
from workbench.domain.shown.envelope_view import DropCard, DropOrder, EnvelopeView
from workbench.engine.state import ChatState, WorkbenchState
from workbench.sources.resources import resource_path
from workbench.ui.inspector.pane import InspectorPane
from workbench.ui.look.appearance import Appearance
from workbench.ui.look.fonts import load_fonts
from workbench.ui.look.icons import load_icons

FRAME_MS = 16.0
ROWS = 2_000
LAPS = 60


@dataclass(frozen=True)
class Laps:
    """What the laps took, in milliseconds: as it passed, and of the processor alone."""

    name: str
    passed_ms: tuple[float, ...]
    worked_ms: tuple[float, ...]

    @property
    def median_ms(self) -> float:
        return statistics.median(self.worked_ms)

    def line(self) -> str:
        p95 = sorted(self.worked_ms)[int(len(self.worked_ms) * 0.95)]
        return (
            f"{self.name:58} processor: median {self.median_ms:6.2f} ms, p95 {p95:6.2f} ms; "
            f"passed: median {statistics.median(self.passed_ms):6.2f} ms"
        )


def application() -> QApplication:
    """The application in our look, as the window has it."""
    app = QApplication.instance()
    made = app if isinstance(app, QApplication) else QApplication([])
    load_fonts(resource_path("fonts"))
    load_icons(resource_path("icons"))
    Appearance(made).apply(made, "light")
    return made


def side_by_side(
    name: str, changed: Callable[[int], object], idle: Callable[[int], object], laps: int = LAPS
) -> tuple[Laps, Laps]:
    """A change and its idle control, in turn, so that whatever slows the machine slows both."""
    taken: dict[str, list[tuple[float, float]]] = {name: [], "idle control": []}
    for number in range(laps):
        for what, work in ((name, changed), ("idle control", idle)):
            passed, worked = time.perf_counter(), time.thread_time()
            work(number)
            taken[what].append((time.perf_counter() - passed, time.thread_time() - worked))
    first, second = (
        Laps(what, tuple(each * 1000 for each, _ in times), tuple(each * 1000 for _, each in times))
        for what, times in taken.items()
    )
    return first, second


def inspector(app: QApplication, anew: bool = False) -> tuple[Laps, Laps]:
    """A keystroke with very many segments: model update, bar, figures, drop order, and the repaint of all that changed.

    With `anew` every row is another, equal object, as after a full rebuild; else unchanged layers are the same ones.
    """
    state, chat, view = _long_chat()
    pane = InspectorPane()
    pane.resize(752, 1000)
    pane.show()
    pane.show_state(state, chat)
    app.processEvents()

    def painted(shown: ChatState) -> None:
        pane.show_state(state, shown)
        app.processEvents()

    states = [
        replace(chat, draft="x" * number, view=retyped(view, 43 + number, anew=anew))
        for number in range(LAPS)
    ]
    kind = "every row made anew" if anew else "unchanged layers kept"
    laps = side_by_side(
        f"inspector, a keystroke, {ROWS:,} rows, {kind}",
        lambda number: painted(states[number]),
        lambda number: painted(states[number]),
    )
    pane.close()
    return laps


def _long_chat() -> tuple[WorkbenchState, ChatState, EnvelopeView]:
    state = sample_state()
    view = long_view(ROWS)
    files = view.layers[2].rows
    cards = tuple(DropCard(row.key, row.name, row.tokens, 5) for row in files)
    long = replace(view, drop_order=DropOrder(cards, 3, 900), cached_tokens=20_000)
    return state, replace(state.open[CHAT], view=long), long


def main() -> int:
    """Print all figures; fails where a keystroke takes longer than a frame.

    A full rebuild, in which every row is another object, is shown beside it: a slider may take a second frame.
    """
    ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    app = application()
    keystroke, rebuilt = inspector(app), inspector(app, anew=True)
    for laps in (*keystroke, *rebuilt):
        print(laps.line())
    return 1 if keystroke[0].median_ms > FRAME_MS else 0


if __name__ == "__main__":
    raise SystemExit(main())
