"""What commands take of the processor: help, a list of 1,000 chats, imports, and asking, beside the program `llm`.

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
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.benchmarks.running.figures import Figure, Means, at_most, middle, not_measured, ratio
from tests.benchmarks.running.peers import LLM_PINS, LLM_VENV, peers_python
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
        yield middle(f"history list, {CHATS:,} chats", listed, goal=at_most(200))
        yield from _asking(folders[0], place, means.laps(7))
        typed = data_folder(place / "typed")
        spent("history", "import", "--data-dir", str(typed), str(many))
        listed = [spent("history", "list", "--data-dir", str(typed)) for _ in range(means.laps(5))]
        yield middle(f"history list, {CHATS:,} chats, by a passphrase", listed)


def _asking(folder: Path, place: Path, laps: int) -> Iterator[Figure]:
    server = _Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    asks = {"ask": (*PROGRAM, "ask", *_opening(folder), "--model", f"server:{url}#any", "How are you?")}
    python, why_not = peers_python(lambda words: print(words, file=sys.stderr), LLM_VENV, LLM_PINS)
    if python:
        asks["llm"] = (python, "-m", "llm", "-m", "any", "How are you?")
        (place / "llm").mkdir()
        known = f'- {{model_id: any, model_name: any, api_base: "{url}"}}\n'
        (place / "llm" / "extra-openai-models.yaml").write_text(known, encoding="utf-8")
    around = {**surroundings(), "LLM_USER_PATH": str(place / "llm"), "OPENAI_API_KEY": "none"}
    # The first time modules are compiled, of ours by the commands before.
    taken = {name: times[1:] for name, times in asked(asks, around, server, laps + 1).items()}
    server.shutdown()
    yield middle("ask until the server has the request", taken["ask"], goal=at_most(1000))
    if not python:
        yield not_measured("ask ÷ llm, until the server has the request", why_not)
        return
    yield middle("llm until the server has the request", taken["llm"])
    yield ratio("ask ÷ llm, until the server has the request", taken["ask"], taken["llm"], against="llm")


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
        raise RuntimeError(f"{' '.join(arguments)}: {words.decode()[-400:]}")
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


def asked(
    asks: Mapping[str, tuple[str, ...]], around: dict[str, str], server: _Server, laps: int
) -> dict[str, list[float]]:
    """Milliseconds of the processor that programs have used when their request is at the server, lap by lap in turn."""
    times: dict[str, list[float]] = {name: [] for name in asks}
    for _ in range(laps):
        for name, command in asks.items():
            child = subprocess.Popen(command, env=around, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            clock = (~child.pid << 3) | 2  # the kernel's number for the clock of that process
            seen: list[float] = []
            server.note = partial(_note, clock, seen)
            _waited(child, command)
            times[name].append(seen[0])
    return times
