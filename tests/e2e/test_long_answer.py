"""An answer of 16 MB, by the real program into the real store: what it takes of memory."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from tests.fakes.fault_server import Connection, FaultServer
from tests.fakes.loop import in_loop
from tests.fakes.wires import OpenAiWire

WIRE = OpenAiWire()
PIECE = ("some words of a line that goes on for a while\n" * 1000)[:32_000]
PIECES = 500
MOST_MB = 300
# Tells the largest size of a command that it runs, in MB, on standard error.
WEIGHED = """
import resource, subprocess, sys
code = subprocess.run([sys.executable, "-m", "workbench", *sys.argv[1:]], stdout=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""


async def long_winded(connection: Connection) -> None:
    if not connection.asked.path.endswith("/chat/completions"):
        await connection.whole(b"{}", "application/json", "404 Not Found")
        return
    await connection.head(WIRE.content_type)
    for _ in range(PIECES):
        await connection.send(WIRE.text(PIECE))
    await connection.send(WIRE.finish())


@in_loop
async def test_an_answer_of_16_mb_fits_into_300(tmp_path: Path):
    """It took 360: statements of the store kept what they had written, and each piece copied all before it."""
    async with FaultServer({"play": long_winded}) as server:
        model = f"server:{server.url('play')}/v1#m"
        command = [
            sys.executable,
            "-c",
            WEIGHED,
            "ask",
            "Well?",
            "--data-dir",
            str(tmp_path),
            "--model",
            model,
        ]
        surroundings = {**os.environ, "WORKBENCH_PASSPHRASE": "correct horse battery"}
        running = await asyncio.create_subprocess_exec(
            *command, env=surroundings, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        told, problem = await running.communicate()
    code, most_mb = map(int, told.split())
    assert code == 0, problem.decode()
    assert most_mb < MOST_MB
