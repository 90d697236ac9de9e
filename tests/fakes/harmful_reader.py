"""A child process whose reader does what the file says: for tests of what then happens to everybody else."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from workbench.sources.extract import child
from workbench.sources.extract.messages import document_message, frame_message


def _say(text: object) -> bytes:
    from workbench.domain.files.document import Document

    return document_message(Document(str(text)))


def _spin() -> bytes:
    while True:
        pass


def _eat() -> bytes:
    kept = [b"x" * 64 * 1024 * 1024 for _ in range(100)]
    return _say(len(kept))


def _eat_in_c() -> bytes:
    import ctypes

    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    return _say(libc.malloc(ctypes.c_size_t(8 * 1024**3)))


def _segfault() -> bytes:
    import ctypes

    ctypes.string_at(0)
    return b""


def _write() -> bytes:
    try:
        with open("/tmp/workbench-harmful", "wb") as file:
            file.write(b"x")
    except OSError as error:
        return _say(f"refused: {error.errno}")
    finally:
        Path("/tmp/workbench-harmful").unlink(missing_ok=True)
    return _say("written")


def _fork() -> bytes:
    try:
        os.fork()
    except OSError:
        return _say("refused")
    time.sleep(600)  # noqa: TID251  (a process that stays)
    return b""


def _descriptors() -> bytes:
    return _say(json.dumps(sorted(int(name) for name in os.listdir("/proc/self/fd"))))


def _sleep() -> bytes:
    time.sleep(600)  # noqa: TID251
    return b""


def _print() -> bytes:
    print("words between the messages")
    return _say("printed")


def _lie() -> bytes:
    outside = {"anchor": "a", "title": "a", "level": 1, "start": 0, "end": 9}
    return frame_message({"document": {"sections": [outside]}}, b"ab")


def _recurse(depth: int = 0) -> bytes:
    return _recurse(depth + 1)


def _exit() -> bytes:
    os._exit(3)


_ACTS: Mapping[str, Callable[[], bytes]] = {
    "spin": _spin,
    "sleep": _sleep,
    "eat": _eat,
    "eat in C": _eat_in_c,
    "abort": os.abort,
    "segfault": _segfault,
    "exit": _exit,
    "flood": lambda: b"x" * 90 * 1024 * 1024,
    "long": lambda: _say("x" * 21_000_000),
    "write": _write,
    "fork": _fork,
    "environment": lambda: _say(json.dumps(dict(os.environ))),  # noqa: TID251
    "descriptors": _descriptors,
    "garbage": lambda: b"\xff" * 500,
    "half": lambda: frame_message({"document": {}}, b"x" * 100)[:50],
    "lie": _lie,
    "two": lambda: _say("mine") + _say("the next one's"),
    "not text": lambda: frame_message({"document": {}}, b"\xff\xfe"),
    "no list": lambda: frame_message({"refused": 7}),
    "recurse": _recurse,
    "print": _print,
    "worker": lambda: _say(os.getpid()),
    "fine": lambda: _say("fine"),
}  # fmt: skip


def _act(_head: Mapping[str, Any], body: bytes) -> bytes:
    return _ACTS[body.decode()]()


if __name__ == "__main__":
    child.TASKS["document"] = _act
    child.CPU_SECONDS = int(sys.argv[1])
    child.main(sys.argv[2:])
