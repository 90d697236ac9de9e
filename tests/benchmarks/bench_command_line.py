"""What commands take of the processor: help, a list of 1,000 chats, the way to a server's first request, imports.

Processor time of the process, user and system. Stores are opened by a key file: a passphrase is slow on purpose, and
shown by itself.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.benchmarks.running.figures import Figure, Means, at_most, middle
from tests.benchmarks.running.workload import Words
from tests.benchmarks.window.scenes import data_folder, surroundings
from tests.fakes.archives import plain_archive
from workbench.domain.message import Message
from workbench.domain.record import ChatArchive
from workbench.engine.exchange.openai_format import export_openai

PROGRAM = (sys.executable, "-m", "workbench")
CHATS, LONG = 1_000, 20_000


def figures(means: Means) -> Iterator[Figure]:
    """Command by command; the imports come first, since the list needs one."""
    yield middle("--help", [spent("--help") for _ in range(means.laps(9))], goal=at_most(250))
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        (place / "key").write_bytes(random.Random(1).randbytes(32))
        many, long = place / "many.json", place / "long.json"
        many.write_bytes(export_openai([_chat(f"c{number}", 6, number) for number in range(CHATS)]))
        long.write_bytes(export_openai([_chat("long", LONG, 1)]))
        laps = means.laps(2)
        folders = [data_folder(place / f"many-{lap}") for lap in range(laps)]
        times = [spent("history", "import", *_opening(folder), str(many)) for folder in folders]
        yield middle(f"import of {CHATS:,} chats", times, goal=at_most(3000))
        times = [
            spent("history", "import", *_opening(data_folder(place / f"long-{lap}")), str(long))
            for lap in range(laps)
        ]
        yield middle(f"import of {LONG:,} messages in one chat", times, goal=at_most(3000))
        listed = [spent("history", "list", *_opening(folders[0])) for _ in range(means.laps(7))]
        yield middle(f"history list, {CHATS:,} chats", listed, goal=at_most(300))
        yield middle(
            "ask until the server has the request", asked(folders[0], means.laps(7)), goal=at_most(1200)
        )
        typed = data_folder(place / "typed")
        spent("history", "import", "--data-dir", str(typed), str(many))
        listed = [spent("history", "list", "--data-dir", str(typed)) for _ in range(means.laps(5))]
        yield middle(f"history list, {CHATS:,} chats, by a passphrase", listed)


def _opening(folder: Path) -> tuple[str, ...]:
    return "--data-dir", str(folder), "--key-file", str(folder.parents[1] / "key")


def _chat(key: str, messages: int, seed: int) -> ChatArchive:
    words = Words(seed) if messages > 100 else _FEW
    said = (
        Message(f"{key} {place}", "assistant" if place % 2 else "user", (f"{place} {words.text(40)}",))
        for place in range(messages)
    )
    return plain_archive(*said, chat=key, title=f"Chat {key}")


_FEW = Words(0)


def spent(*arguments: str) -> float:
    """Milliseconds of the processor that a command takes."""
    child = subprocess.Popen(
        [*PROGRAM, *arguments], env=surroundings(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    return _waited(child, arguments)


def _waited(child: subprocess.Popen[bytes], arguments: tuple[str, ...]) -> float:
    assert child.stderr is not None
    words = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    if child.returncode != 0:
        raise RuntimeError(f"workbench {' '.join(arguments)}: {words.decode()[-400:]}")
    return (used.ru_utime + used.ru_stime) * 1000


class _Server(ThreadingHTTPServer):
    """Answers every question with one word, and notes the processor time of who asks when the request is there."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Asked)
        self.note: Callable[[], None] = lambda: None


class _Asked(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, _Server)
        self.server.note()
        model = json.loads(body).get("model", "m")
        piece = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": model}
        lines = [
            {**piece, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Yes."}}]},
            {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        ]
        answer = "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n"
        self._say(answer.encode(), "text/event-stream")

    def do_GET(self) -> None:
        self._say(b'{"object": "list", "data": []}', "application/json")

    def _say(self, answer: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


def _note(clock: int, seen: list[float]) -> None:
    seen.append(time.clock_gettime(clock) * 1000)


def asked(folder: Path, laps: int) -> list[float]:
    """Milliseconds of the processor that `ask` has used when its request is at the server."""
    times: list[float] = []
    server = _Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    for _ in range(laps):
        command = ("ask", *_opening(folder), "--model", f"server:{url}#any", "How are you?")
        child = subprocess.Popen(
            [*PROGRAM, *command], env=surroundings(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        clock = (~child.pid << 3) | 2  # the kernel's number for the clock of that process
        seen: list[float] = []
        server.note = partial(_note, clock, seen)
        _waited(child, command)
        times.append(seen[0])
    server.shutdown()
    return times
