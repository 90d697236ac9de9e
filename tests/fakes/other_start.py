"""Another start of the program beside a test: a process, since Qt waits for an answer without letting threads run."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

ASKS = """
import sys
from workbench.ui.program import system
system.WAIT_MS = system.ANSWER_MS = 60_000  # the other one may be looking through all that a test run has made
start = system.SingleInstance(sys.argv[2], sys.argv[3:])
print("asks", flush=True)
print(getattr(start, sys.argv[1])())
"""


@contextmanager
def beside(ask: Literal["raise_other", "listen"], folder: str, *files: str) -> Iterator[Future[bool]]:
    """Begins as another start asks; what it was told comes while the test goes on."""
    command = [sys.executable, "-c", ASKS, ask, folder, *files]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as start,
        ThreadPoolExecutor(1) as threads,
    ):
        assert start.stdout is not None
        assert start.stdout.readline() == "asks\n"
        yield threads.submit(lambda: start.communicate()[0] == "True\n")
