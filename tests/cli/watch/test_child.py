"""The watched command runs as if a shell had started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.fakes.loop import in_loop
from workbench.cli.watch.running import NOT_FOUND, NOT_STARTED, run_child

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
HERE = {"PATH": os.defpath}
# Says that it is there, then counts the signals it gets until it is told to end.
COUNTS = """
import os, signal
got = []
def counted(*_):
    got.append("INT")
    os.write(1, b"INT\\n")
def ended(*_):
    os.write(1, f"TERM {got}\\n".encode())
    os._exit(9)
signal.signal(signal.SIGINT, counted)
signal.signal(signal.SIGTERM, ended)
os.write(1, b"ready\\n")
while True:
    signal.pause()
"""


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)]
)
@in_loop
async def test_its_exit_code_is_ours(script: str, code: int):
    assert await run_child(["sh", "-c", script], HERE) == code


@in_loop
async def test_a_command_that_is_not_there():
    assert await run_child(["/no/such/thing"], HERE) == NOT_FOUND
    assert await run_child(["/etc"], HERE) == NOT_STARTED


@in_loop
async def test_our_own_signals_are_ours_again_afterwards():
    before = signal.getsignal(signal.SIGTERM)
    await run_child(["true"], HERE)
    assert signal.getsignal(signal.SIGTERM) is before


RUNS = """
import asyncio, sys
from workbench.cli.watch.running import run_child
sys.exit(asyncio.run(run_child(sys.argv[1:], {})))
"""


@pytest.mark.slow
def test_a_signal_to_us_alone_is_passed_on():
    command = [sys.executable, "-c", RUNS, sys.executable, "-c", COUNTS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "INT\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "TERM ['INT']\n"
        assert process.wait(250) == 9


@pytest.mark.slow
def test_ctrl_c_reaches_the_command_once():
    """The terminal tells the whole group: passed on by us as well, it would come twice."""
    master, slave = os.openpty()
    command = [sys.executable, "-c", RUNS, sys.executable, "-c", COUNTS]
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        preexec_fn=_take_terminal,  # noqa: PLW1509 - the test has no threads
    ) as process:  # fmt: skip
        os.close(slave)
        _read_until(master, b"ready")
        os.write(master, b"\x03")
        _read_until(master, b"INT\r\n")
        process.send_signal(signal.SIGTERM)
        assert b"TERM ['INT']" in _read_until(master, b"]")
        assert process.wait(250) == 9
    os.close(master)


def _read_until(master: int, words: bytes) -> bytes:
    shown = b""
    while words not in shown:
        shown += os.read(master, 1024)
    return shown


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
