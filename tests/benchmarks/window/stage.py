"""A real window on a display of its own, as a benchmark uses it: something is pressed, and pixels are watched."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.window.display import Area, Display, display
from tests.benchmarks.window.scenes import surroundings

PROGRAM = "tests.benchmarks.window.program"
PATIENCE_S, STILL_S, LOOK_EVERY_S = 120.0, 0.4, 0.0005
NOTHING_S = 15.0
CPU_CLOCK = 2


@dataclass(frozen=True)
class Seen:
    """What was waited for: milliseconds by the clock, and of the program's processor time until then."""

    passed_ms: float
    worked_ms: float


class NotSeen(Exception):
    """Nothing changed in time."""


class Stage:
    """A window at work.

    Attributes:
        painted_ms: how long the process took to its first paint, imports included.
    """

    def __init__(self, shown: Display, child: subprocess.Popen[str]) -> None:
        self.display, self._child = shown, child
        told = self._read()
        self._pid, self.painted_ms = int(told["pid"]), float(told["painted_ms"])
        self._places: dict[str, Area] = {}

    @property
    def pid(self) -> int:
        """The program's process."""
        return self._pid

    def ask(self, what: str, **more: object) -> Any:
        """Ask the program something."""
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps({"what": what, **more}) + "\n")
        self._child.stdin.flush()
        return self._read()

    def _read(self) -> Any:
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError("the window's process ended")
        return json.loads(line)

    def until(
        self, happened: Callable[[dict[str, Any]], bool], patience_s: float = PATIENCE_S
    ) -> dict[str, Any]:
        """Wait until what is shown is so."""
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            facts: dict[str, Any] = self.ask("facts")
            if facts and happened(facts):
                return facts
            time.sleep(0.05)
        raise NotSeen("the window did not show it in time")

    def settle(self) -> None:
        """Wait for a chat, take the focus, and let everything come to rest."""
        facts = self.until(lambda _: True)
        self.ask("focus")
        self.display.focus(facts["window"])
        self.rest()
        self._places = {name: tuple(place) for name, place in self.ask("places").items()}

    def rest(self, still_s: float = 1.0) -> None:
        """Wait until the program has nothing to do any more."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            before = self.worked_s()
            time.sleep(still_s)
            if self.worked_s() - before < 0.05 * still_s:
                return

    def place(self, name: str) -> Area:
        """Where a part of the window is on the display."""
        return self._places[name]

    def worked_s(self) -> float:
        """The program's processor time until now, all threads together."""
        # The kernel's number for another process's clock, as `clock_getcpuclockid` makes it.
        return time.clock_gettime((~self._pid << 3) | CPU_CLOCK)

    def first_change(self, do: Callable[[], None], *areas: Area, patience_s: float = 10.0) -> list[Seen]:
        """When each of some areas first looked different after something was done."""
        before = [self.display.seen(area) for area in areas]
        found: list[Seen | None] = [None] * len(areas)
        worked, start = self.worked_s(), time.perf_counter()
        do()
        while None in found:
            for number, area in enumerate(areas):
                if found[number] is None and self.display.seen(area) != before[number]:
                    passed = time.perf_counter() - start
                    found[number] = Seen(passed * 1000, (self.worked_s() - worked) * 1000)
            if time.perf_counter() - start > patience_s:
                raise NotSeen("nothing changed on the display")
            time.sleep(LOOK_EVERY_S)
        return [each for each in found if each is not None]

    def last_change(
        self, areas: Sequence[Area], do: Callable[[], None], still_s: float = STILL_S
    ) -> list[Seen]:
        """When each area first looked as it then stayed: the first correct paint."""
        last = [self.display.seen(area) for area in areas]
        found: dict[int, Seen] = {}
        worked, start = self.worked_s(), time.perf_counter()
        do()
        while True:
            for number, area in enumerate(areas):
                looked = time.perf_counter() - start
                seen = self.display.seen(area)
                if seen != last[number]:
                    last[number] = seen
                    found[number] = Seen(looked * 1000, (self.worked_s() - worked) * 1000)
            passed = time.perf_counter() - start
            newest = max((each.passed_ms / 1000 for each in found.values()), default=0.0)
            if len(found) == len(areas) and passed - newest > still_s:
                return [found[number] for number in range(len(areas))]
            if len(found) < len(areas) and passed > NOTHING_S:
                raise NotSeen("nothing changed on the display")
            time.sleep(LOOK_EVERY_S)


@contextmanager
def stage(folder: Path, unlocked: bool = True, trace: Path | None = None) -> Iterator[Stage]:
    """The window on a data folder; closed as a person would, ended where that takes too long."""
    with display() as shown:
        given = surroundings(shown.name, unlocked)
        if trace is not None:
            given["WORKBENCH_TRACE"] = str(trace)
        command = [sys.executable, "-m", PROGRAM, str(folder)]
        child = subprocess.Popen(
            command, env=given, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        try:
            yield Stage(shown, child)
        finally:
            _end(child)


def _end(child: subprocess.Popen[str]) -> None:
    with contextlib.suppress(OSError):
        assert child.stdin is not None
        child.stdin.close()
    try:
        child.wait(20)
    except subprocess.TimeoutExpired:
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
    if child.stdout is not None:
        child.stdout.close()
