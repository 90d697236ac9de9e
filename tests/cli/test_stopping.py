"""Work that asks request by request can be stopped with what there is."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest

from tests.fakes.engine import fake_world
from tests.fakes.loop import until
from workbench.cli.terminal import stoppable, tell_moved
from workbench.engine.tasks import Stopper


@pytest.mark.skipif(sys.platform == "win32", reason="no signal handlers in a loop there")
def test_ctrl_c_ends_it_with_what_there_is_and_works_as_usual_afterwards():
    async def work(stopper: Stopper) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        await until(stopper.stopped)
        return "half"

    async def run() -> str:
        stopper = Stopper(fake_world().tasks)
        return await stoppable(work(stopper), stopper)

    # A shell that starts the tests in the background has them ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert asyncio.run(run()) == "half"
        assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_without_a_terminal_nothing_is_told(capsys: pytest.CaptureFixture[str]):
    tell_moved(1, 4, 12.0)
    assert capsys.readouterr().out == ""
