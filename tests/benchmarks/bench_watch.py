"""What the watch adds to the first byte of an answer, and what it holds in memory, beside a direct connection.

Three processes, as in use: a server that answers at once, the program with everything it understands, and this one.
A large answer is passed by a bare relay in Python, too, which understands nothing: less than that nobody can take.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.running.figures import (
    MB,
    MS,
    Figure,
    Means,
    at_most,
    middle,
    quartiles,
    ratio,
    slope,
    timed,
)
from tests.benchmarks.running.workload import Words, tokenizer
from tests.benchmarks.window.scenes import surroundings
from tests.fakes.passing import passed, shipped
from workbench.engine.watch.understanding import Knowledge, Understanding

PROGRAM = (sys.executable, "-m", "workbench")
SERVER = (sys.executable, "-m", "tests.fakes.instant_server")
RELAY = (sys.executable, "-m", "tests.fakes.bare_relay")
RULES = ("tools.without=Tool*", "text.freeze=system", "secrets.redact", "results.shorten")
LARGE = 50_000_000
PIECES, REQUESTS = 2_900, 2_000


def figures(means: Means) -> Iterator[Figure]:
    """The first byte in turn with a direct connection; a large answer; and many requests."""
    with tempfile.TemporaryDirectory() as made, started(*SERVER) as server:
        to = f"http://127.0.0.1:{server.port}"
        with started(*PROGRAM, "watch", "--to", to, "--no-keep", "--json", "--data-dir", made) as watch:
            yield from first_bytes(means, server, watch)
            with started(*RELAY, str(server.port)) as relay:
                yield from large_answers(means, server, watch, relay)
            yield from many_requests(watch)
        rules = [part for rule in RULES for part in ("--rule", rule)]
        with started(
            *PROGRAM, "watch", "--to", to, "--no-keep", "--json", "--data-dir", made, *rules
        ) as watch:
            yield from ruled_requests(means, server, watch)
    yield from long_requests(means)


def ruled_requests(means: Means, server: Listening, watch: Listening) -> Iterator[Figure]:
    """Conversations of thirty turns that rules change, on a connection that is open; then many requests."""
    laps, document = [], json.loads(ruled_body(100_000))
    with connected(server.port) as one, connected(watch.port) as other:
        for number in range(means.laps(300)):
            turns = 2 * (number % 30)
            document["messages"][1:] = messages_to(turns)[1:]
            body = json.dumps(document).encode()
            laps.append((asked(one, server.port, body), asked(other, watch.port, body)))
            watch.looked()
    yield added("added to the first byte: 100 kB, rules on", laps, goal_ms=3)
    yield from many_requests(watch, " with rules on")


def ruled_body(characters: int, turns: int = 0) -> bytes:
    """A request of an agent with tools that are never called, and a key in its question."""
    document = json.loads(request_body(characters * 2 // 5, turns))
    about = Words(2).text(characters // 100)[: characters // 40]
    names = [f"Tool{n}" for n in range(24)]
    document["tools"] = [
        {"name": one, "description": about, "input_schema": {"type": "object"}} for one in names
    ]
    document["messages"][0]["content"] = "My key is ghp_a8Kd93jfLs02kfjAAlq39dkfLLqpZ0183jfk."
    return json.dumps(document).encode()


@dataclass(frozen=True)
class Listening:
    """A process and its port."""

    process: subprocess.Popen[bytes]
    port: int

    def looked(self) -> None:
        """Wait until a request was looked at: what comes next finds the program at rest, as it does in use."""
        assert self.process.stdout is not None
        assert self.process.stdout.readline().startswith(b"{")


def first_bytes(means: Means, server: Listening, watch: Listening) -> Iterator[Figure]:
    """A short request, one as agents send them, and that one on a connection that is open already."""
    for name, characters in (("a short request", 200), ("a request of 100 kB", 100_000)):
        body = request_body(characters)
        laps = []
        for _ in range(means.laps(300)):
            direct, through = first_byte_ms(server.port, body), first_byte_ms(watch.port, body)
            watch.looked()
            laps.append((direct, through))
        yield added(f"added to the first byte: {name}", laps)
    laps, body = [], request_body(100_000)
    with connected(server.port) as one, connected(watch.port) as other:
        for _ in range(means.laps(300)):
            laps.append((asked(one, server.port, body), asked(other, watch.port, body)))
            watch.looked()
    yield added("added to the first byte: 100 kB, connection open", laps)


def added(name: str, laps: list[tuple[float, float]], goal_ms: float = 5) -> Figure:
    """The difference of the medians, with the quartiles of the laps' own differences."""
    direct, through = (statistics.median(one) for one in zip(*laps, strict=True))
    each = [two - one for one, two in laps]
    return Figure(name, through - direct, MS, quartiles(each), at_most(goal_ms), f"{direct:.2f} ms directly")


def large_answers(means: Means, server: Listening, watch: Listening, relay: Listening) -> Iterator[Figure]:
    """By the clock, all processes on the same cores."""
    laps = []
    for _ in range(means.laps(9)):
        laps.append((large_ms(server.port), large_ms(watch.port), large_ms(relay.port)))
        watch.looked()
    direct, watched, relayed = zip(*laps, strict=True)
    yield ratio("an answer of 50 MB", watched, direct, against="directly")
    yield ratio("an answer of 50 MB through a bare relay", relayed, direct, against="directly")
    yield ratio("an answer of 50 MB ÷ through a bare relay", watched, relayed, at_most(1.3), "a bare relay")


def long_requests(means: Means) -> Iterator[Figure]:
    """Understanding a request of 2,900 pieces that goes on from the one before; its JSON alone is parsed beside it."""
    understanding = Understanding(Knowledge(*shipped(), lambda _name: tokenizer()))
    words, taken, parsed = Words(3), [], []
    said = [f"{number} {words.text(25)}" for number in range(PIECES)]
    for number in range(means.laps(12) + 1):
        said += [f"and {number}", f"so {number}"]
        exchange = passed(number + 1, "anthropic", conversation(said))
        parsed.append(timed(lambda body=exchange.request: json.loads(body), time.process_time))  # type: ignore[misc]
        taken.append(
            timed(lambda one=exchange: (understanding.begin(one), understanding.take(one)), time.process_time)  # type: ignore[misc]
        )
    yield middle(f"understanding a request of {PIECES:,} pieces, processor", taken[1:], goal=at_most(10))
    yield middle("parsing its JSON alone, processor", parsed[1:])


def many_requests(watch: Listening, how: str = "") -> Iterator[Figure]:
    """Conversations that grow by a turn a request, over and over; what is held afterwards."""
    seen, bodies = [], [(ruled_body if how else request_body)(20_000, turns) for turns in range(50)]
    with connected(watch.port) as line:
        for number in range(REQUESTS):
            asked(line, watch.port, bodies[number % len(bodies)])
            watch.looked()
            if number % (REQUESTS // 10) == REQUESTS // 10 - 1:
                seen.append(resident_mb(watch.process.pid))
    yield Figure(f"memory after {REQUESTS:,} requests{how}", seen[-1], MB)
    grown = slope(seen[len(seen) // 2 :]) / (REQUESTS // 10) * 1000
    yield Figure(f"memory per 1,000 requests{how}, second half", grown, MB, goal=at_most(5))


def conversation(said: list[str]) -> dict[str, object]:
    """A request of so many messages."""
    messages = [
        {"role": "assistant" if place % 2 else "user", "content": [{"type": "text", "text": words}]}
        for place, words in enumerate(said)
    ]
    return {"model": "claude-opus-4-1", "max_tokens": 9, "system": "You help.", "messages": messages}


def request_body(characters: int, turns: int = 0) -> bytes:
    """A request as an agent sends it: tools and instructions, then a conversation."""
    words = Words(1)
    system = words.text(characters // 7)[:characters]
    document = {
        "model": "claude-opus-4-1",
        "max_tokens": 9,
        "stream": True,
        "system": system,
        "messages": messages_to(turns),
    }
    return json.dumps(document).encode()


def messages_to(turns: int) -> list[dict[str, str]]:
    """A question, and so many messages after it."""
    return [
        {"role": "assistant" if turn % 2 else "user", "content": f"{turn} and some words"}
        for turn in range(turns + 1)
    ]


def first_byte_ms(port: int, body: bytes) -> float:
    """From connecting to the first byte of the answer."""
    began = time.perf_counter()
    with connected(port) as line:
        line.sendall(head(port, len(body)) + body)
        line.recv(1)
        taken = (time.perf_counter() - began) * 1000
        read_end(line)
    return taken


def asked(line: socket.socket, port: int, body: bytes) -> float:
    """From sending to the first byte, on an open connection; the rest of the answer is read."""
    began = time.perf_counter()
    line.sendall(head(port, len(body)) + body)
    line.recv(1)
    taken = (time.perf_counter() - began) * 1000
    read_end(line)
    return taken


def large_ms(port: int) -> float:
    """All of a large answer."""
    began = time.perf_counter()
    with connected(port) as line:
        line.sendall(f"GET /v1/messages?large={LARGE} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        left = LARGE
        while left > 0:
            left -= len(line.recv(1 << 20))
    return (time.perf_counter() - began) * 1000


def read_end(line: socket.socket) -> None:
    seen = b""
    while not seen.endswith(b"0\r\n\r\n"):
        seen += line.recv(65536)


def head(port: int, size: int) -> bytes:
    return f"POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {size}\r\n\r\n".encode()


def connected(port: int) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", port))
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


@contextmanager
def started(*command: str) -> Iterator[Listening]:
    """A process that says where it listens, until it is told to end."""
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=surroundings(), **piped) as process:  # type: ignore[call-overload]
        port = None
        while port is None:
            line = process.stderr.readline().decode()
            assert line, f"{command[2]} ended"
            port = re.search(r"127\.0\.0\.1:(\d+)", line)
        try:
            yield Listening(process, int(port[1]))
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate()


def resident_mb(pid: int) -> float:
    """What the kernel says that a process holds."""
    told = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return int(re.findall(r"^Pss:\s+(\d+)", told, re.MULTILINE)[0]) / 1000 if os.name == "posix" else 0.0
