"""A long day: 2,000 turns with attachments, other chats, settings, tools and the watch, in the real window.

Somebody acts at random, as in `dev.py chaos` but with nothing going wrong, and all the faster. What is held at the end
is compared with what was held after a tenth of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from asyncio import run
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.benchmarks.running.figures import Figure, Means, at_most, not_measured
from tests.benchmarks.window.bench_memory import memory_mb
from tests.benchmarks.window.display import display, why_no_display
from tests.benchmarks.window.scenes import surroundings
from tests.chaos.person import Person, open_workbench
from tests.chaos.processes import descendants, model_server
from tests.chaos.rounds import fill_files
from tests.chaos.window import live_in_window

OPT_IN = "two thousand turns take more than an hour"
TURNS, SHARE, LOOKS = 2_000, 0.1, 40
ASKING = {"send", "answer_again", "edit_question", "go_on"}


def figures(means: Means) -> Iterator[Figure]:
    """In a process of its own, which tells what it holds."""
    missing = why_no_display()
    if missing:
        yield not_measured("a long day", missing)
        return
    turns = means.laps(TURNS)
    with tempfile.TemporaryDirectory() as place, model_server() as models, display() as shown:
        well = [one for one in models if "/good/" in one]
        fill_files(Path(place) / "files")
        run(_made(Path(place)))
        command = [sys.executable, "-m", __name__, place, str(turns), well[0]]
        env = {
            **surroundings(shown.name, unlocked=False),
            "OPENAI_BASE_URL": well[0].removeprefix("server:").partition("#")[0],
        }
        told = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
    lines = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    early, late = lines[round(len(lines) * SHARE)], lines[-1]
    yield Figure(f"memory after {early['turns']:,} turns", early["MB"], "MB")
    yield Figure(
        f"memory after {late['turns']:,} turns",
        late["MB"],
        "MB",
        (early["MB"], max(one["MB"] for one in lines)),
    )
    yield Figure("memory, end ÷ warm", late["MB"] / early["MB"], "×", goal=at_most(1.1))
    for name, more in (("open files", 5), ("threads", 2), ("processes", 2)):
        yield Figure(f"more {name} at the end", late[name] - early[name], "", goal=at_most(more))


async def _made(place: Path) -> None:
    workbench, _ = await open_workbench(place)
    await workbench.close()


class Worker(Person):
    """Goes on until so many turns were asked for; says now and then what the process holds."""

    turns = 0

    async def live(self, acts: int) -> None:
        every, told = max(1, acts // LOOKS), 0
        while self.turns < acts:
            await self.act()
            if self.turns >= told:
                told += every
                print(json.dumps({"turns": self.turns, **held_now()}), flush=True)
        for chat in list(self.state.open):
            self.workbench.stop(chat)
            await self.workbench.until_ended(chat)

    def say(self, **told: object) -> None:
        self.turns += told.get("act") in ASKING


def held_now() -> dict[str, float]:
    """What the kernel tells of this process."""
    return {
        "MB": memory_mb(os.getpid())["Pss"],
        "open files": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "processes": len(descendants(os.getpid())),
    }


if __name__ == "__main__":
    folder, number, model = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    live_in_window(folder, lambda bench: Worker(bench, Random(1), folder / "files", [model], -1), number)
