"""From a key to the first correct paint of tabs, dialogs, chats, themes and the unlocked window; and scrolling.

On a real display, by the clock. Correct is the picture that stays: a frame that is painted over later does not count.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks.running.figures import (
    Figure,
    Goal,
    Means,
    at_most,
    middle,
    not_measured,
    percentile,
    ratio,
)
from tests.benchmarks.window.display import Area, Display, why_no_display
from tests.benchmarks.window.scenes import PASSPHRASE, chat, data_folder, fill, scene_of_turns, surroundings
from tests.benchmarks.window.stage import PATIENCE_S, NotSeen, Seen, Stage, stage

LAPS, UNLOCKS, WINDOWS = 5, 3, 3
PAYLOAD_KEYS, SETTINGS_KEYS = ("Alt_L", "2"), ("Control_L", "comma")
PAGE, FULL_PAGE, SHORTCUTS, THEME, UNLOCK = (at_most(bound) for bound in (100, 120, 200, 200, 1000))
PAYLOAD_BOUND = at_most(1.5)
CHAT, LONG_CHAT, FRAME, TWO_FRAMES = (at_most(bound) for bound in (80, 200, 16, 33))
SHORT, MEDIUM, MANY = 4, 100, 2_500
WHEEL_STEPS, WHEEL_UP, SCROLL_BAR = 120, 4, 16
TABS = {"Payload": "2", "Diff": "3", "History": "4", "Layers": "1"}
# The same content in a window of Qt's own widgets: Payload's text and rows, and as many controls as a page of the
# settings has in sight. What it takes is what Qt and PySide6 take.
BARE = """
import json, os, sys, threading
from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import *

def payload():
    page, text, tree = QWidget(), QPlainTextEdit(readOnly=True), QTreeWidget(headerHidden=True)
    tree.setUniformRowHeights(True)
    tree.addTopLevelItems([QTreeWidgetItem([row]) for row in given["rows"]])
    text.setPlainText(given["text"])
    tools, middle, down = QHBoxLayout(), QHBoxLayout(), QVBoxLayout(page)
    for name in ("Messages", "JSON", "curl"):
        tools.addWidget(QPushButton(name, checkable=True))
    request = QComboBox()
    request.addItem("Next request")
    for widget in (request, QLineEdit(placeholderText="Find"), QPushButton("Copy")):
        tools.addWidget(widget)
    middle.addWidget(tree, 1)
    middle.addWidget(text, 3)
    down.addLayout(tools)
    down.addLayout(middle)
    down.addWidget(QLabel("Sent exactly as shown."))
    pages.addWidget(page)
    pages.setCurrentWidget(page)

def settings():
    def control(kind, number):
        made = KINDS[kind]()
        if kind == "choices":
            made.addItems(["One", "Two"])
        elif kind not in ("fields", "numbers"):
            made.setText(f"One of the {kind}")
        return made
    dialog, nav, area, page = QDialog(window, modal=True), QListWidget(), QScrollArea(), QWidget()
    dialog.resize(1060, 816)
    nav.addItems([f"Page {number}" for number in range(9)])
    across, down, rows = QHBoxLayout(dialog), QVBoxLayout(), QVBoxLayout(page)
    made = [control(kind, number) for kind, count in given["controls"].items() for number in range(count)]
    labels = given["controls"]["labels"]
    for number in range(max(labels, len(made) - labels)):
        if number % 8 == 0:
            group = QGroupBox()
            column = QVBoxLayout(group)
            rows.addWidget(group)
        row = QHBoxLayout()
        for one in made[:labels][number:number + 1] + made[labels:][number:number + 1]:
            row.addWidget(one)
        column.addLayout(row)
    rows.addStretch(1)
    area.setWidgetResizable(True)
    area.setWidget(page)
    across.addWidget(nav, 1)
    across.addWidget(area, 4)
    dialog.open()

KINDS = {"labels": QLabel, "fields": QLineEdit, "choices": QComboBox, "numbers": QSpinBox, "checks": QCheckBox,
         "buttons": QPushButton}
app = QApplication(["bare"])
given = json.load(open(sys.argv[1]))
window, pages, first, nothing = QMainWindow(), QStackedWidget(), QWidget(), QVBoxLayout()
# What a window has anyway, so that fonts and styles are there, as they are in ours by then.
for widget in (QLabel("Words"), QPlainTextEdit("Words"), QPushButton("Words"), QListWidget()):
    nothing.addWidget(widget)
first.setLayout(nothing)
pages.addWidget(first)
window.setCentralWidget(pages)
window.resize(1600, 1000)
window.show()
app.setCursorFlashTime(0)
QShortcut(QKeySequence("Alt+2"), window, payload)
QShortcut(QKeySequence("Ctrl+,"), window, settings)
app.processEvents()
print(json.dumps({"pid": os.getpid(), "painted_ms": 0.0}), flush=True)
place = [window.x(), window.y(), window.width(), window.height()]

def answer():
    for line in sys.stdin:
        print(json.dumps({"window": int(number), "place": place}), flush=True)

number = window.winId()
threading.Thread(target=answer, daemon=True).start()
app.exec()
"""


def figures(means: Means) -> Iterator[Figure]:
    """Everything that is opened in one window; then windows that are unlocked."""
    missing = why_no_display()
    if missing:
        yield not_measured("pages of the window", missing)
        return
    with tempfile.TemporaryDirectory() as place:
        folder = data_folder(Path(place))
        # The list shows the newest first: from the top the long one, the medium one and the short one.
        lengths = (SHORT, MEDIUM, MANY)
        fill(folder, [chat(folder, f"chat {number}", turns) for number, turns in enumerate(lengths)])
        with stage(folder) as shown:
            shown.settle()
            shown.ask("still")
            yield from opened(shown, means)
            yield from switched(shown, means)
            yield from scrolled(shown, means)
            yield from sent(shown, means)
        with tempfile.TemporaryDirectory() as other:
            yield from beside_bare(scene_of_turns(Path(other), MANY), means)
        yield from unlocked(folder, means)


def opened(shown: Stage, means: Means) -> Iterator[Figure]:
    """Tabs, the palette, settings, the list of shortcuts, the theme."""
    inspector, window = shown.place("inspector"), shown.place("window")
    laps = means.laps(LAPS)
    for name, digit in TABS.items():
        whole = name == "Payload"
        goal = FULL_PAGE if whole else PAGE
        yield from _laps(f"tab {name}", goal, laps, _tab(shown, digit, inspector), bounded=whole)
    for name, key, wanted in (
        ("palette", "k", PAGE),
        ("settings", "comma", FULL_PAGE),
        ("shortcuts", "slash", SHORTCUTS),
    ):
        yield from _laps(name, wanted, laps, _dialog(shown, ("Control_L", key), window))
    press = lambda: shown.display.press("Control_L", "Shift_L", "d")  # noqa: E731
    yield from _laps("theme", THEME, 2 * (laps // 2), lambda: shown.last_change([window], press)[0])


def _tab(shown: Stage, digit: str, area: Area) -> Callable[[], Seen]:
    def lap() -> Seen:
        shown.display.press("Alt_L", "1" if digit != "1" else "2")
        time.sleep(0.6)
        return shown.last_change([area], lambda: shown.display.press("Alt_L", digit))[0]

    return lap


def _dialog(shown: Stage, keys: tuple[str, ...], area: Area) -> Callable[[], Seen]:
    def lap() -> Seen:
        seen = shown.last_change([area], lambda: shown.display.press(*keys))[0]
        shown.display.press("Escape")  # what is no window of its own: the palette
        shown.ask("away")
        time.sleep(0.3)
        shown.ask("focus")
        shown.display.focus(shown.ask("facts")["window"])
        time.sleep(0.3)
        return seen

    return lap


def _laps(
    name: str, goal: Goal, laps: int, lap: Callable[[], Seen], bounded: bool = False
) -> Iterator[Figure]:
    """The first time by itself, since what is made then is kept; then the rest.

    A first time that is `bounded` by Qt has its goal beside bare widgets.
    """
    try:
        first, *rest = (lap() for _ in range(laps + 1))
    except NotSeen as problem:
        yield not_measured(name, str(problem), goal=goal)
        return
    yield Figure(f"{name}, the first time", first.passed_ms, "ms", goal=None if bounded else goal)
    yield Figure(f"{name}, the first time, processor", first.worked_ms, "ms")
    yield middle(name, [seen.passed_ms for seen in rest], goal=goal)
    yield middle(f"{name}, processor", [seen.worked_ms for seen in rest])


def beside_bare(folder: Path, means: Means) -> Iterator[Figure]:
    """Payload and the settings for the first time, each in a new window of ours and in one of bare widgets, in turn."""
    ours: dict[str, list[float]] = {"Payload": [], "settings": []}
    bare: dict[str, list[float]] = {"Payload": [], "settings": []}
    try:
        for _ in range(means.laps(WINDOWS)):
            with stage(folder) as shown:
                shown.settle()
                shown.ask("still")
                ours["Payload"].append(_first_ms(shown, PAYLOAD_KEYS, shown.place("inspector")))
                shown.rest()
                content = shown.ask("payload")
                ours["settings"].append(_first_ms(shown, SETTINGS_KEYS, shown.place("window")))
                content["controls"] = shown.ask("controls")
                with _bare(shown.display, content) as plain:
                    facts = plain.ask("facts")
                    plain.display.focus(facts["window"])
                    for name, keys in (("Payload", PAYLOAD_KEYS), ("settings", SETTINGS_KEYS)):
                        bare[name].append(_first_ms(plain, keys, tuple(facts["place"])))
    except NotSeen as problem:
        yield not_measured("the first time ÷ bare widgets", str(problem), goal=PAYLOAD_BOUND)
        return
    # The settings' goal is in milliseconds: Qt doesn't bound them.
    for name, goal in (("Payload", PAYLOAD_BOUND), ("settings", None)):
        yield middle(f"{name} in bare widgets, the first time, processor", bare[name])
        yield ratio(f"{name}, the first time ÷ bare widgets", ours[name], bare[name], goal, "bare widgets")


def _first_ms(shown: Stage, keys: tuple[str, ...], area: Area) -> float:
    shown.rest()
    return shown.last_change([area], lambda: shown.display.press(*keys))[0].worked_ms


@contextmanager
def _bare(display: Display, content: dict[str, Any]) -> Iterator[Stage]:
    with tempfile.TemporaryDirectory() as place:
        given = Path(place) / "given.json"
        given.write_text(json.dumps(content), encoding="utf-8")
        command = [sys.executable, "-c", BARE, str(given)]
        with subprocess.Popen(
            command, env=surroundings(display.name), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as child:
            try:
                yield Stage(display, child)
            finally:
                child.kill()


def words_of(transcript: Area) -> Area:
    """Where messages are; the scroll bar beside them may follow."""
    left, top, width, height = transcript
    return left, top, width - SCROLL_BAR, height


def switched(shown: Stage, means: Means) -> Iterator[Figure]:
    """From chat to chat by the keyboard; one of 5,000 messages opens when the one beside it is left."""
    transcript, laps = words_of(shown.place("transcript")), means.laps(LAPS)
    down: Callable[[], None] = lambda: shown.display.press("Control_L", "Next")  # noqa: E731
    up: Callable[[], None] = lambda: shown.display.press("Control_L", "Prior")  # noqa: E731
    names = [f"A chat of {turns:,} turns" for turns in (MANY, MEDIUM, SHORT)]
    _turn_to(shown, names[0], up, down)

    def timed(press: Callable[[], None], back: Callable[[], None]) -> Callable[[], Seen]:
        def lap() -> Seen:
            (seen,) = shown.last_change([transcript], press)
            time.sleep(0.5)
            back()
            time.sleep(1.5)
            return seen

        return lap

    yield from _laps(f"chat switch, to {2 * MEDIUM} messages", CHAT, laps, timed(down, up))
    down()
    time.sleep(1.5)
    yield from _laps(f"chat switch, to {2 * SHORT} messages", CHAT, laps, timed(down, up))
    yield from _laps(f"chat switch, to {2 * MANY:,} messages", LONG_CHAT, laps, timed(up, down))


def _turn_to(shown: Stage, title: str, up: Callable[[], None], down: Callable[[], None]) -> None:
    """Go to a chat, wherever it stands in the list."""
    for press in (up, up, up, down, down, down):
        if shown.until(bool)["title"].startswith(title):
            return
        press()
        time.sleep(1.5)


def scrolled(shown: Stage, means: Means) -> Iterator[Figure]:
    """Through 5,000 messages by the wheel: how long each step takes to be seen."""
    _turn_to(
        shown,
        f"A chat of {MANY:,} turns",
        lambda: shown.display.press("Control_L", "Prior"),
        lambda: shown.display.press("Control_L", "Next"),
    )
    shown.rest()
    left, top, width, height = shown.place("transcript")
    shown.display.point(left + width // 2, top + height // 2)
    time.sleep(0.5)
    strip = (left + 40, top + 80, width - 80, height - 160)
    steps: list[Seen] = []
    for _ in range(means.laps(WHEEL_STEPS)):
        try:
            steps += shown.first_change(lambda: shown.display.click(WHEEL_UP), strip, patience_s=2)
        except NotSeen:
            continue
        time.sleep(0.03)
    if not steps:
        yield not_measured("wheel step", "the transcript did not move")
        return
    passed = [seen.passed_ms for seen in steps]
    yield middle(f"wheel step, {2 * MANY:,} messages", passed, goal=FRAME)
    yield Figure("wheel step, p99", percentile(passed, 0.99), "ms", goal=FRAME)
    late = 100 * sum(one > FRAME.bound for one in passed) / len(passed)
    yield Figure("wheel steps later than a frame", late, "%", against=f"of {len(passed)}")


def sent(shown: Stage, means: Means) -> Iterator[Figure]:
    """From Enter to the question among the messages."""
    _turn_to(
        shown,
        f"A chat of {SHORT:,} turns",
        lambda: shown.display.press("Control_L", "Prior"),
        lambda: shown.display.press("Control_L", "Next"),
    )

    def lap() -> Seen:
        shown.rest()
        shown.ask("write", text="What else is there to say?")
        shown.ask("focus")
        shown.rest()
        press = lambda: shown.display.press("Return")  # noqa: E731
        return shown.first_change(press, words_of(shown.place("transcript")))[0]

    yield from _laps("sending a message: its row", TWO_FRAMES, means.laps(LAPS), lap)


def unlocked(folder: Path, means: Means) -> Iterator[Figure]:
    """From the passphrase to the chat, in a window that was just started."""
    taken: list[Seen] = []
    for _ in range(means.laps(UNLOCKS)):
        with stage(folder, unlocked=False) as shown:
            try:
                taken.append(_unlock(shown))
            except NotSeen as problem:
                yield not_measured("unlock → chat", str(problem), goal=UNLOCK)
                return
    yield middle("unlock → chat", [seen.passed_ms for seen in taken], goal=UNLOCK)
    yield middle("unlock → chat, processor", [seen.worked_ms for seen in taken])


def _unlock(shown: Stage) -> Seen:
    asking: dict[str, Any] = {}
    end = time.monotonic() + PATIENCE_S
    while not asking:
        if time.monotonic() > end:
            raise NotSeen("nobody asked for the passphrase")
        time.sleep(0.2)
        asking = shown.ask("asking")
    shown.display.focus(asking["window"])
    for letter in PASSPHRASE:
        shown.display.press("space" if letter == " " else letter)
    shown.rest()
    # Opening the store takes a while in which little moves, so a longer rest says that it is over.
    area = words_of(tuple(asking["place"]))
    return shown.last_change([area], lambda: shown.display.press("Return"), still_s=2.0)[0]
