"""How long the inspector takes from a changed state to painted pixels, beside an idle control in the same laps.

Offscreen, in the processor's time. Each lap is measured twice in turn: with a state that changed as by a keystroke, and
with the same state again, which shows what the machine itself takes at that moment.
"""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import time
from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtWidgets import QApplication

from tests.benchmarks.running.figures import Figure, Means, at_most, in_turn, middle
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


def application() -> QApplication:
    """The application in our look, as the window has it."""
    app = QApplication.instance()
    made = app if isinstance(app, QApplication) else QApplication([])
    load_fonts(resource_path("fonts"))
    load_icons(resource_path("icons"))
    Appearance(made).apply(made, "light")
    return made


def inspector(app: QApplication, laps: int, anew: bool = False) -> dict[str, list[float]]:
    """A keystroke with very many segments: model update, bar, figures, drop order, and the repaint of all that changed.

    With `anew` every row is another, equal object, as after a full rebuild; else unchanged layers are the same ones.
    """
    state, chat, view = _long_chat()
    pane = InspectorPane()
    pane.resize(752, 1000)
    pane.show()
    pane.show_state(state, chat)
    app.processEvents()
    states = [
        replace(chat, draft="x" * number, view=retyped(view, 43 + number, anew=anew))
        for number in range(laps)
    ]

    def painted(number: int) -> None:
        pane.show_state(state, states[number])
        app.processEvents()

    taken = in_turn(laps, {"changed": painted, "idle": painted}, time.thread_time)
    pane.close()
    return taken


def _long_chat() -> tuple[WorkbenchState, ChatState, EnvelopeView]:
    state = sample_state()
    view = long_view(ROWS)
    files = view.layers[2].rows
    cards = tuple(DropCard(row.key, row.name, row.tokens, 5) for row in files)
    long = replace(view, drop_order=DropOrder(cards, 3, 900), cached_tokens=20_000)
    return state, replace(state.open[CHAT], view=long), long


def figures(means: Means) -> Iterator[Figure]:
    """A keystroke; and a full rebuild, in which every row is another object: a slider may take a second frame."""
    app, laps = application(), means.laps(LAPS)
    for name, anew, goal in (("unchanged layers kept", False, FRAME_MS), ("every row made anew", True, None)):
        taken = inspector(app, laps, anew)
        title = f"inspector, a keystroke, {ROWS:,} rows, {name}"
        yield middle(title, taken["changed"], goal=None if goal is None else at_most(goal))
        yield middle(f"{title}: idle control", taken["idle"])
