"""Closer looks: done by whom they are about, and loaded by nobody who only asks a question."""

from __future__ import annotations

import subprocess
import sys

from tests.fakes.engine import fake_bench
from tests.fakes.loop import in_calm_loop
from workbench.engine.intents import OpenTurn, SendMessage
from workbench.engine.open_chat.looks import CloserLooks

UNUSED = (
    "engine.completion",
    "engine.exchange.formats",
    "engine.summaries",
    "engine.program.jobs",
    "engine.open_chat.why",
)
SCRIPT = """
import sys
import workbench.cli.ask.asking, workbench.cli.ask.chat, workbench.wiring.engine
print(*sorted(sys.modules))
"""


def test_who_asks_a_question_loads_nothing_that_only_a_window_looks_at():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "workbench.engine.workbench" in loaded
    assert [name for name in loaded if name.startswith(tuple(f"workbench.{one}" for one in UNUSED))] == []


@in_calm_loop
async def test_what_is_looked_at_first_late_is_shown_all_the_same():
    bench = fake_bench()
    await bench.start()
    await bench.do(SendMessage("talk", "One."))
    opened = bench.workbench._open.of("talk")
    assert opened is not None
    assert "looks" not in vars(opened)
    (row,) = bench.workbench.state.open["talk"].turns
    await bench.workbench.dispatch(OpenTurn("talk", row.number))
    assert isinstance(opened.looks, CloserLooks)
    assert bench.workbench.state.open["talk"].opened is not None
