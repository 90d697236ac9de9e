"""From a key to the first correct paint of tabs, dialogs, chats, themes and the unlocked window; and scrolling.

On a real display, by the clock. Correct is the picture that stays: a frame that is painted over later does not count.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
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
)
from tests.benchmarks.window.display import Area, why_no_display
from tests.benchmarks.window.scenes import PASSPHRASE, chat, data_folder, fill
from tests.benchmarks.window.stage import PATIENCE_S, NotSeen, Seen, Stage, stage

LAPS, UNLOCKS = 5, 3
PAGE, FULL_PAGE, SHORTCUTS, THEME, UNLOCK = (at_most(bound) for bound in (100, 120, 200, 200, 1000))
CHAT, LONG_CHAT, FRAME, TWO_FRAMES = (at_most(bound) for bound in (80, 200, 16, 33))
SHORT, MEDIUM, MANY = 4, 100, 2_500
WHEEL_STEPS, WHEEL_UP, SCROLL_BAR = 120, 4, 16
TABS = {"Payload": "2", "Diff": "3", "History": "4", "Layers": "1"}


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
        yield from unlocked(folder, means)


def opened(shown: Stage, means: Means) -> Iterator[Figure]:
    """Tabs, the palette, settings, the list of shortcuts, the theme."""
    inspector, window = shown.place("inspector"), shown.place("window")
    laps = means.laps(LAPS)
    for name, digit in TABS.items():
        goal = FULL_PAGE if name == "Payload" else PAGE
        yield from _laps(f"tab {name}", goal, laps, _tab(shown, digit, inspector))
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
        shown.ask("away")
        time.sleep(0.3)
        shown.ask("focus")
        shown.display.focus(shown.ask("facts")["window"])
        time.sleep(0.3)
        return seen

    return lap


def _laps(name: str, goal: Goal, laps: int, lap: Callable[[], Seen]) -> Iterator[Figure]:
    """The first time by itself, since what is made then is kept; then the rest."""
    try:
        first, *rest = (lap() for _ in range(laps + 1))
    except NotSeen as problem:
        yield not_measured(name, str(problem), goal=goal)
        return
    yield Figure(f"{name}, the first time", first.passed_ms, "ms", goal=goal)
    yield Figure(f"{name}, the first time, processor", first.worked_ms, "ms")
    yield middle(name, [seen.passed_ms for seen in rest], goal=goal)
    yield middle(f"{name}, processor", [seen.worked_ms for seen in rest])


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
