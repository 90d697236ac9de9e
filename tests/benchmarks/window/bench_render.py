"""Rendering: hostile texts, an answer that streams below a hundred messages, and a long chat.

Times of bombs are of this thread's own work, since other programs run on the same machine; lags are measured beside an
idle window of the same run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter, thread_time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QObject, QRect, QTimer
from PySide6.QtWidgets import QApplication

from tests.benchmarks.running.figures import Figure, Means, at_most, least
from tests.benchmarks.running.lag import lag_figures
from tests.fakes import sample_texts as texts
from tests.fakes.sample_state import sample_state
from tests.ui.chat.chat_samples import answered, asked, chat_of, long_chat
from tests.ui.chat.text.test_markdown import BOMBS
from workbench.engine.state import ChatState, RunningTurn, WorkbenchState
from workbench.ui.chat.messages.answer_view import AnswerView
from workbench.ui.chat.messages.feed import Answer
from workbench.ui.chat.text.ink import Ink
from workbench.ui.chat.transcript.transcript import Transcript
from workbench.ui.look.appearance import Appearance
from workbench.ui.look.fonts import load_fonts
from workbench.ui.look.icons import load_icons

ROOT = Path(__file__).resolve().parents[3]
BOMB_GOAL_MS = 200.0
LAG_GOAL_MS = 16.0
TICK_MS = 5
STREAM_S, CHUNKS_A_SECOND, STATES_A_SECOND = 6.0, 500, 30
MORE_BOMBS = {
    "word of 1 MB": "a" * 1_000_000,
    "right to left": "\u202e\u2067שלום " * 20_000,
    "deep quotes": "> " * 2_000 + "end\n" + "- " * 2_000 + "end",
    "table of 1 MB": "|a|b|c|\n|-|-|-|\n" + "|1|2|3|\n" * 120_000,
}


def figures(means: Means) -> Iterator[Figure]:
    """Bombs, streaming, opening."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    load_fonts(ROOT / "resources" / "fonts")
    load_icons(ROOT / "resources" / "icons")
    look = Appearance()
    look.apply(app, "light")
    yield from bombs(app, means.laps(3))
    yield from streaming(app)
    yield from opening(app)


def bombs(app: QApplication, laps: int) -> Iterator[Figure]:
    """Each text from nothing to painted, and the longest step that nothing else can come between."""
    ink = Ink()
    _render(ink, texts.ANSWER_8)
    for name, text in {**BOMBS, **MORE_BOMBS}.items():
        rendered = [_render(ink, text) for _ in range(laps)]
        blocks = rendered[0][2]
        yield least(
            f"bomb, {name}, {blocks} blocks", [one[0] for one in rendered], goal=at_most(BOMB_GOAL_MS)
        )
        yield least(f"bomb, {name}, longest step", [one[1] for one in rendered])
        app.processEvents()


def _render(ink: Ink, text: str) -> tuple[float, float, int]:
    view, steps = AnswerView(ink), list[float]()
    view.resize(548, 400)

    def timed(work: Callable[[], object]) -> None:
        started = thread_time()
        work()
        steps.append((thread_time() - started) * 1000)

    timed(lambda: view.show_item(Answer("a", answered("a", text), "q", "m")))
    while view.body._is_reading():
        timed(view.body._read_next)

    def lay_out() -> None:
        view.resize(548, view.heightForWidth(548))
        view.place_all()

    timed(lay_out)
    timed(lambda: view.grab(QRect(0, 0, 548, 700)))
    blocks = len(view.body.views())
    view.deleteLater()
    return sum(steps), max(steps), blocks


class Ticker(QObject):
    """How late its ticks come."""

    def __init__(self) -> None:
        super().__init__()
        self.lags: list[float] = []
        self._due = perf_counter()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK_MS)

    def _tick(self) -> None:
        now = perf_counter()
        self.lags.append(max(0.0, (now - self._due) * 1000 - TICK_MS))
        self._due = now


def _during(app: QApplication, seconds: float, work: Callable[[float], None]) -> Ticker:
    """Run the loop, and call `work` with the time that has passed as often as states are published."""
    ticker, loop, started = Ticker(), QEventLoop(), perf_counter()
    states = QTimer()
    states.timeout.connect(lambda: work(perf_counter() - started))
    states.start(1000 // STATES_A_SECOND)
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()
    return ticker


def streaming(app: QApplication) -> Iterator[Figure]:
    """An answer of 500 chunks a second beneath a hundred messages, beside the same window at rest."""
    transcript, state, chat = _opened(app, 100)
    idle = _during(app, STREAM_S / 2, lambda _: None)
    source = (texts.ANSWER_8 + "\n\n" + texts.STREAMING_9 + "\n\n") * 60
    chunk = 8

    def publish(passed_s: float) -> None:
        text = source[: int(passed_s * CHUNKS_A_SECOND) * chunk]
        transcript.show_state(state, replace(chat, running=RunningTurn(50, "x98", text=text)))

    busy = _during(app, STREAM_S, publish)
    yield from lag_figures("idle", idle.lags)
    yield from lag_figures("streaming below 100 messages", busy.lags, at_most(LAG_GOAL_MS))


def _opened(app: QApplication, messages: int) -> tuple[Transcript, WorkbenchState, ChatState]:
    transcript, state, chat = Transcript(), sample_state(), long_chat(messages, texts.ANSWER_8)
    transcript.resize(596, 760)
    transcript.show()
    transcript.show_state(state, chat)
    transcript.finish_drawing()
    app.processEvents()
    return transcript, state, chat


def opening(app: QApplication) -> Iterator[Figure]:
    """A chat of 2,000 messages: until its end is seen, and the lag while the rest is made."""
    transcript, state = Transcript(), sample_state()
    transcript.resize(596, 760)
    transcript.show()
    transcript.show_state(state, chat_of(asked("q"), answered("a")))
    app.processEvents()
    chat = replace(long_chat(2_000, texts.ANSWER_8), chat=replace(long_chat(2).chat, id="long"))
    started = perf_counter()
    transcript.show_state(state, chat)
    transcript.grab()
    opened_ms = (perf_counter() - started) * 1000
    ticker = _during(app, 3.0, lambda _: None)
    yield Figure("open 2,000 messages, until the end is seen", opened_ms, "ms")
    yield from lag_figures("after opening 2,000 messages", ticker.lags, at_most(LAG_GOAL_MS))
