"""A program whose answer arrives word by word, and that says what it has shown and when; the test kills it."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from tests.fakes.chat_model import Step
from tests.fakes.engine import fake_bench
from tests.fakes.stores import open_store
from workbench.domain.answer import TextGrew
from workbench.engine.events import AnswerGrew, Event
from workbench.engine.intents import SendMessage
from workbench.engine.state import WorkbenchState

STORE = "history.db"
QUESTION = "Count for me, please."
PAUSE_S = 0.004


def counting() -> list[Step]:
    """An answer that takes longer than anyone waits."""
    return [step for number in range(10_000) for step in (TextGrew(f"{number} "), PAUSE_S)]


async def run(folder: Path) -> None:
    """Ask, and tell every word that was shown, with the time; what is in a pipe outlives its writer."""
    bench = fake_bench(counting(), store=open_store(folder / STORE))
    loop = asyncio.get_running_loop()

    def note(event: Event, _: WorkbenchState) -> None:
        if isinstance(event, AnswerGrew):
            os.write(1, f"{loop.time():.3f} {event.text.strip()}\n".encode())

    bench.workbench.subscribe(note)
    await bench.start()
    await bench.workbench.dispatch(SendMessage("talk", QUESTION))
    await bench.workbench.until_ended("talk")


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
