"""The first paint of the program beside a bare PySide6 window, in turn; what is loaded before it, and what follows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from tests.benchmarks.running.figures import Figure, Means, at_most, middle, not_measured, ratio
from tests.benchmarks.window.display import display, why_no_display
from tests.benchmarks.window.scenes import scene_of_turns
from tests.benchmarks.window.stage import stage

LAPS, READY = 9, 2.0
HEAVY = (
    "openai",
    "anthropic",
    "ollama",
    "httpx",
    "sqlalchemy",
    "sqlcipher3",
    "cryptography",
    "tiktoken",
    "asyncio",
)
TOLD = """
import json, os, sys, time
def pss_mb():
    try:
        lines = open("/proc/self/smaps_rollup").read().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
def tell():
    print(json.dumps({"worked_s": time.process_time(), "loaded": len(sys.modules), "pss_mb": pss_mb(),
                      "heavy": [name for name in HEAVY if name in sys.modules]}), flush=True)
    os._exit(0)
"""
BARE = """
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication(["bare"])
window = QMainWindow()
window.resize(1600, 1000)
window.show()
app.processEvents()
tell()
"""
# What the program cannot do without, and nothing of ours: its libraries, an open database, the ranks of a tokenizer.
LIBRARIES = (
    """
import asyncio, qasync, markdown_it, mdit_py_plugins, httpx2, tomllib, tomlkit, pygments
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
import sqlalchemy, sqlalchemy.dialects.sqlite, sqlcipher3
engine = sqlalchemy.create_engine("sqlite://")
with engine.connect() as connection:
    connection.execute(sqlalchemy.text("select 1"))
from tests.fakes.real_encodings import O200K
O200K.count("How are you?")
"""
    + BARE
)
# The program as people start it. It runs events by hand once, which is when its window is painted for the first time.
OURS = """
from tests.benchmarks.window.program import before_qt
before_qt()
from PySide6.QtWidgets import QApplication
paint = QApplication.processEvents
QApplication.processEvents = staticmethod(lambda: (paint(), tell()))
from workbench.__main__ import main
main(["--data-dir", FOLDER])
"""
SIDES = {"bare": BARE, "ours": OURS}


def figures(means: Means) -> Iterator[Figure]:
    """Both in turn, each in a process of its own."""
    missing = why_no_display()
    passed: dict[str, list[float]] = {name: [] for name in SIDES}
    worked: dict[str, list[float]] = {name: [] for name in SIDES}
    heavy: list[str] = []
    loaded = 0
    with tempfile.TemporaryDirectory() as folder, nullcontext(None) if missing else display() as shown:
        place = (
            {"QT_QPA_PLATFORM": "offscreen"}
            if shown is None
            else {"DISPLAY": shown.name, "QT_QPA_PLATFORM": "xcb"}
        )
        for number in range(means.laps(LAPS) + 1):
            for name, script in SIDES.items():
                took, told = painted(script, place, folder)
                if number:  # the first of each reads files that are not in the system's memory yet
                    passed[name].append(took)
                    worked[name].append(told["worked_s"] * 1000)
                if name == "ours":
                    heavy, loaded = told["heavy"], told["loaded"]
    where = "offscreen" if missing else "on a display"
    yield middle(f"first paint, bare window, {where}, processor", worked["bare"])
    yield middle(f"first paint, ours, {where}, processor", worked["ours"])
    yield middle(f"first paint, bare window, {where}, by the clock", passed["bare"])
    yield middle(f"first paint, ours, {where}, by the clock", passed["ours"])
    against = "a bare window"
    yield ratio("first paint ÷ bare window, processor", worked["ours"], worked["bare"], at_most(1.4), against)
    yield ratio(
        "first paint ÷ bare window, by the clock", passed["ours"], passed["bare"], at_most(1.4), against
    )
    names = " ".join(heavy)
    yield Figure("heavy libraries before the first paint", len(heavy), "", goal=at_most(0), against=names)
    yield Figure("modules loaded before the first paint", loaded, "")
    bare = {"QT_QPA_PLATFORM": "offscreen"}
    bound = [painted(LIBRARIES, bare, "")[1]["worked_s"] * 1000 for _ in range(means.laps(5))]
    yield middle("a bare window with the same libraries, processor", bound)
    ready = "ready to type, a chat of four turns, processor"
    if missing:
        yield not_measured(ready, missing)
        return
    with tempfile.TemporaryDirectory() as made:
        turns = scene_of_turns(Path(made), 4)
        taken = [_ready_ms(turns) for _ in range(means.laps(5))]
        yield middle(ready, taken)
        # A second of the processor, once the goal, is what the libraries alone take.
        again = "ready to type ÷ bare window with the same libraries"
        yield ratio(again, taken, bound, at_most(READY), "the same libraries")


def _ready_ms(folder: Path) -> float:
    """Milliseconds of the processor until the chat and its next request are shown; opening the store is in it."""
    with stage(folder) as shown:
        shown.until(lambda facts: facts["tokens"] > 0)
        return shown.worked_s() * 1000


def painted(script: str, place: dict[str, str], folder: str) -> tuple[float, dict[str, Any]]:
    """Milliseconds from the start of a process to its painted window, and what it says of itself then."""
    named = f"HEAVY, FOLDER = {HEAVY!r}, {folder!r}"
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", named + TOLD + script],
        env={**os.environ, **place},
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        line = child.stdout.readline()
        took = (time.perf_counter() - start) * 1000
    return took, json.loads(line)
