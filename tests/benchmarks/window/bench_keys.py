"""From a key to its letter and to the inspector's figures, on a real display, in chats and drafts of every length.

A real key goes in by XTest, and the pixels of the composer and of the inspector's figures are watched. By the clock,
and in the processor time of the whole program until then.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.benchmarks.running.figures import Figure, Means, at_most, middle, not_measured
from tests.benchmarks.running.trace import thread_ms
from tests.benchmarks.running.workload import Words
from tests.benchmarks.window.display import why_no_display
from tests.benchmarks.window.scenes import scene_of_files, scene_of_turns
from tests.benchmarks.window.stage import NotSeen, Seen, Stage, stage

KEYS, BEFORE = 25, 2
LETTER_MS, INSPECTOR_MS, WORKED_MS, WORKED_LONG_MS = 16, 16, 12, 16
# Each adds a token of its own to the one before it, so that the figures change with every key.
TYPED = ("q", "1")
DRAFT_CHARS = 1_000_000


@dataclass(frozen=True)
class Scene:
    """A chat to type into: how its folder is made, how long its draft is, the goal of its work, whether to trace it."""

    name: str
    make: Callable[[Path], Path]
    draft_chars: int = 0
    worked_ms: float = WORKED_MS
    traced: bool = False


SCENES = (
    Scene("four turns", lambda place: scene_of_turns(place, 4)),
    Scene("2,000 segments", lambda place: scene_of_turns(place, 1_000), traced=True),
    Scene("177 files", lambda place: scene_of_files(place, 177)),
    Scene("a draft of 1 MB", lambda place: scene_of_turns(place, 4), DRAFT_CHARS, WORKED_LONG_MS),
    Scene("10,000 turns", lambda place: scene_of_turns(place, 10_000)),
)


def figures(means: Means) -> Iterator[Figure]:
    """Scene by scene."""
    missing = why_no_display()
    for scene in SCENES:
        if missing:
            yield not_measured(f"key → inspector, {scene.name}", missing)
            continue
        with tempfile.TemporaryDirectory() as place:
            try:
                yield from in_scene(scene, Path(place), means.laps(KEYS))
            except NotSeen as problem:
                yield not_measured(f"key → inspector, {scene.name}", str(problem))


def in_scene(scene: Scene, place: Path, keys: int) -> Iterator[Figure]:
    """Type into one chat."""
    folder = scene.make(place)
    with stage(folder) as shown:
        shown.settle()
        if scene.draft_chars:
            write_draft(shown, scene.draft_chars)
        letters, inspectors = typed(shown, keys)
    name = f"key → inspector, {scene.name}"
    yield middle(f"key → letter, {scene.name}", [one.passed_ms for one in letters], goal=at_most(LETTER_MS))
    yield middle(name, [one.passed_ms for one in inspectors], goal=at_most(INSPECTOR_MS))
    yield middle(f"{name}, processor", [one.worked_ms for one in inspectors], goal=at_most(scene.worked_ms))
    if scene.traced:
        yield from spans(scene.name, folder, place / "trace.json", keys)


def spans(name: str, folder: Path, path: Path, keys: int) -> Iterator[Figure]:
    """What a key's steps take, by the program's own trace; in a run of its own, since noting them takes time, too."""
    with stage(folder, trace=path) as shown:
        shown.settle()
        typed(shown, keys)
    found = thread_ms(path, keys)
    if found is None:
        yield not_measured(f"steps of a key, {name}", "this version of the program writes no trace")
        return
    for step, times in found.items():
        yield middle(f"step of a key: {step}, {name}", times)


def write_draft(shown: Stage, chars: int) -> None:
    """A long text, pasted; then wait until it is counted, and for the caret at its end."""
    words = Words(chars)
    text = "\n".join(words.text(14).replace("\n", " ") for _ in range(chars // 90))[:chars]
    shown.ask("write", text=text)
    shown.until(lambda facts: facts["tokens"] > chars // 10)
    shown.ask("focus")
    shown.rest()


def typed(shown: Stage, keys: int) -> tuple[list[Seen], list[Seen]]:
    """Key by key, each after everything came to rest: when its letter was seen, and when the figures were others."""
    letters, inspectors = list[Seen](), list[Seen]()
    composer, inspector = shown.place("composer"), shown.place("figures")
    misses = 0
    for number in range(-BEFORE, keys):  # the first ones load what the later ones find
        time.sleep(0.4)
        key = TYPED[number % len(TYPED)]
        try:
            letter, figure = shown.first_change(
                partial(shown.display.press, key), composer, inspector, patience_s=8
            )
        except NotSeen:
            misses += 1  # a figure may stay as it is: the key joined the token before it
            if misses > 5 + keys // 4:
                raise
            continue
        if number >= 0:
            letters.append(letter)
            inspectors.append(figure)
    return letters, inspectors
