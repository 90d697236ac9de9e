"""The supervisor: one child at most, started when needed, started again when it died, gone when idle or closed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.llama_double import DOUBLE, double
from tests.fakes.loop import in_loop
from tests.fakes.processes import is_running, until
from workbench.domain.answer import ModelFailed
from workbench.providers.builtin.server import LlamaServer, LlamaSetup, usable_cores

ROOT = Path(__file__).resolve().parents[3]
SETUP = LlamaSetup(Path("model.gguf"), "builtin", 64, command=DOUBLE)


def quiet(what: str, fraction: float | None) -> None:
    pass


def made(**changes: Any) -> LlamaServer:
    return LlamaServer(replace(SETUP, **changes))


def dies(server: LlamaServer) -> int:
    """End the child as the system's memory killer would."""
    pid = server.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


@in_loop
async def test_nothing_runs_until_it_is_needed():
    server = made()
    assert (server.running, server.pid, server.cause_of_death()) == (None, None, None)
    await server.close()


@in_loop
async def test_it_is_started_once_and_says_so():
    server = made()
    said: list[tuple[str, float | None]] = []
    first = await server.start(lambda what, fraction: said.append((what, fraction)))
    again = await server.start(lambda what, fraction: said.append((what, fraction)))
    assert again is first is server.running
    assert said == [("Starting the built-in model", None)]
    assert first.base_url.startswith("http://127.0.0.1:")
    assert len(first.key.reveal_text()) >= 32
    await server.close()


@in_loop
async def test_two_who_need_it_at_once_start_one_child():
    server = made()
    runs = await asyncio.gather(*(server.start(quiet) for _ in range(5)))
    assert len({run.number for run in runs}) == 1
    await server.close()


@in_loop
async def test_closed_the_child_is_gone_and_may_come_again():
    server = made()
    await server.start(quiet)
    pid = server.pid
    assert pid is not None
    async with asyncio.timeout(2):
        await server.close()
    assert not is_running(pid)
    assert server.running is None
    again = await server.start(quiet)
    assert again.number == 2
    await server.close()


@in_loop
async def test_one_that_died_is_started_again_without_a_word():
    server = made()
    first = await server.start(quiet)
    dies(server)
    assert await until(lambda: server.cause_of_death() is not None)
    assert (server.running, server.cause_of_death()) == (None, "it was ended by signal 9")
    second = await server.start(quiet)
    assert second.number == first.number + 1
    assert second.key != first.key
    await server.close()


@in_loop
async def test_the_third_death_for_one_reason_is_said_and_not_tried_again():
    server = made()
    for _ in range(3):
        await server.start(quiet)
        dies(server)
        assert await until(lambda: server.running is None)
    with pytest.raises(ModelFailed) as caught:
        await server.start(quiet)
    assert caught.value.failure.kind == "unavailable"
    assert "it ended 3 times in a row, because it was ended by signal 9" in caught.value.failure.message
    await server.close()


@in_loop
async def test_deaths_long_ago_are_forgotten():
    server = made(troubled_s=0.0)
    for _ in range(4):
        await server.start(quiet)
        dies(server)
        assert await until(lambda: server.running is None)
    assert (await server.start(quiet)).number == 5
    await server.close()


@in_loop
async def test_one_that_cannot_start_says_what_its_log_says():
    server = made(command=double(refuse="RuntimeError: x", words="0.1 E error loading model: it is cut off"))
    with pytest.raises(ModelFailed) as caught:
        await server.start(quiet)
    assert caught.value.failure.kind == "unavailable"
    assert "could not be started: it is cut off." in caught.value.failure.message
    assert server.running is None
    await server.close()


@in_loop
async def test_a_missing_system_library_is_named_with_its_package():
    server = made(command=double(refuse="ImportError: libgomp.so.1: cannot open shared object file"))
    with pytest.raises(ModelFailed, match=r"libgomp\.so\.1: cannot open .*Install libgomp1"):
        await server.start(quiet)
    await server.close()


@in_loop
async def test_a_command_that_is_not_there_is_said():
    server = made(command=("/nowhere/python",))
    with pytest.raises(ModelFailed, match="its process could not be started"):
        await server.start(quiet)
    await server.close()


@in_loop
async def test_one_that_never_answers_is_given_up_and_ended():
    server = made(command=double(silent=True), start_s=0.2)
    with pytest.raises(ModelFailed) as caught:
        await server.start(quiet)
    assert caught.value.failure.kind == "timeout"
    assert server.running is None
    await server.close()


@in_loop
async def test_a_start_that_is_cancelled_leaves_no_child():
    server = made(command=double(silent=True))
    starting = asyncio.gather(server.start(quiet))
    assert await until(lambda: server.pid is not None)
    pid = server.pid
    assert pid is not None
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert await until(lambda: not is_running(pid))
    await server.close()


@in_loop
async def test_a_larger_window_needs_another_run_a_smaller_one_does_not():
    server = made()
    first = await server.start(quiet)
    assert (first.window_tokens, await server.start(quiet, 10)) == (64, first)
    larger = await server.start(quiet, 128)
    assert (larger.window_tokens, larger.number) == (128, 2)
    assert await server.start(quiet) is larger
    await server.close()


@in_loop
async def test_idle_its_memory_is_given_back():
    server = made(idle_s=0.05)
    await server.start(quiet)
    pid = server.pid
    assert pid is not None
    assert await until(lambda: server.running is None)
    assert await until(lambda: not is_running(pid))
    assert server.cause_of_death() is None
    assert (await server.start(quiet)).number == 2
    await server.close()


@in_loop
async def test_used_it_is_not_idle():
    server = made(idle_s=0.05)
    await server.start(quiet)
    with server.used(), server.used():
        await asyncio.sleep(0.2)
        assert server.running is not None
    assert await until(lambda: server.running is None)
    await server.close()


@in_loop
async def test_the_time_of_one_that_died_does_not_end_the_next_while_it_loads():
    """Loading takes longer than idling may: the timer of the dead one killed it, and the answer failed."""
    server = made(idle_s=0.4, command=double(loads_s=1.0))
    with server.used():
        await server.start(quiet)
    dies(server)
    assert await until(lambda: server.running is None)
    assert (await server.start(quiet)).number == 2
    await server.close()


def test_it_computes_with_all_cores_however_busy_they_were_when_it_started(monkeypatch: pytest.MonkeyPatch):
    """Started in a busy minute it had one thread for hours."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3}, raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (17.0, 0.0, 0.0), raising=False)
    assert usable_cores() == 4


PARENT = """
import asyncio, sys
from dataclasses import replace
from tests.providers.builtin.test_server import made, quiet

async def main():
    server = made()
    await server.start(quiet)
    print(server.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@in_loop
async def test_a_killed_parent_takes_its_child_along():
    """A model server that nobody knows of would keep hundreds of megabytes until the machine is restarted."""
    parent = await asyncio.to_thread(
        lambda: subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    )
    assert parent.stdout is not None
    child = int(await asyncio.to_thread(parent.stdout.readline))
    assert is_running(child)
    parent.kill()
    await asyncio.to_thread(parent.wait)
    parent.stdout.close()
    assert await until(lambda: not is_running(child))
