"""The program in a process of its own, forked from one that has loaded it: a start takes a moment, not seconds.

Everything else is as when a person starts it: arguments, environment, folder, standard streams, exit code.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from workbench.providers.tokenizer import TiktokenTokenizer
from workbench.sources.resources import resource_path

ROOT = Path(__file__).resolve().parents[2]
_PARTS = (
    "__main__", "cli.ask.asking", "cli.ask.command", "cli.history.command", "cli.keys", "cli.main", "engine.workbench",
    "providers.builtin.model", "providers.named_models", "providers.openai.client", "providers.openai.model",
    "sources.attach", "sources.exchange_files", "storage.history", "storage.opening", "wiring.building",
    "wiring.command_line",
)  # fmt: skip


class LoadedProgram:
    """Forks the program from a process that has all of it but the window in memory."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self._ours, self._lock = ours, threading.Lock()
        command = [sys.executable, "-m", "tests.fakes.program", str(theirs.fileno())]
        self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()])
        theirs.close()
        atexit.register(self._end)

    def run(
        self, *argv: str, cwd: Path, environment: Mapping[str, str], typed: bytes = b""
    ) -> subprocess.CompletedProcess[str]:
        """One run to its end."""
        told = json.dumps({"argv": argv, "cwd": str(cwd), "environment": dict(environment)}).encode()
        with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err, self._lock:
            given.write(typed)
            given.seek(0)
            streams = [given.fileno(), out.fileno(), err.fileno()]
            socket.send_fds(self._ours, [len(told).to_bytes(8, "big")], streams)
            self._ours.sendall(told)
            code = int.from_bytes(self._ours.recv(4), "big", signed=True)
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(argv, code, out.read().decode(), err.read().decode())

    def _end(self) -> None:
        self._ours.close()
        self._process.wait()


@cache
def loaded_program() -> LoadedProgram:
    """One for all tests of this process."""
    return LoadedProgram()


def _serve(listening: socket.socket) -> None:
    """Fork once for every run that is asked for; the end of the other side is the end."""
    _load()
    while True:
        head, streams, _, _ = socket.recv_fds(listening, 8, 3)
        if not head:
            return
        left, told = int.from_bytes(head, "big"), b""
        while len(told) < left:
            told += listening.recv(left - len(told))
        child = os.fork()
        if child == 0:
            listening.close()
            _run(json.loads(told), streams)
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        listening.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))


def _load() -> None:
    for name in _PARTS:
        importlib.import_module(f"workbench.{name}")
    TiktokenTokenizer("o200k_base", resource_path("encodings")).count("loaded")


def _run(told: Mapping[str, Any], streams: list[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.chdir(told["cwd"])
    os.environ.clear()  # noqa: TID251
    os.environ.update(told["environment"])  # noqa: TID251
    sys.argv = ["workbench", *told["argv"]]
    code: object = 1
    try:
        from workbench.__main__ import main

        code = main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
