"""What runs in the child process: it waits for files and reads each in a worker of its own, within limits.

It is started by its path. The process itself only passes messages on: each file is read by a fork of it, which has the
libraries loaded already, no descriptor but one pipe, and bounds for memory, time, files and processes. Where the system
has no fork (or with `--once`) the process reads one file itself and ends. The end of standard input is its end.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

# -P keeps this folder, whose modules are named after formats, out of the path; the program itself must be in it.
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from workbench.domain.codec import decode
from workbench.domain.files.document import Reading
from workbench.sources.extract.messages import (
    IDLE_SECONDS,
    MOST_ANSWER_BYTES,
    MOST_ASKED_BYTES,
    BadMessage,
    Whole,
    document_message,
    framed,
    is_one_message,
    read_message,
    write_all,
)
from workbench.sources.extract.reading import preload, read_document
from workbench.sources.extract.refusal import NeedsPassword, Unreadable

MEMORY_BYTES = 1536 * 1024 * 1024
CPU_SECONDS = 30
_MOST_DESCRIPTORS = 24
_PIECE_BYTES = 1024 * 1024


def main(arguments: list[str]) -> None:
    """Serve files until the input ends, or nothing came for a while."""
    # Whatever a library prints must not come between the messages.
    questions, answers = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.dont_write_bytecode = True
    if "--once" in arguments or not hasattr(os, "fork"):
        write_all(answers, answer(*read_message(Whole(questions), MOST_ASKED_BYTES)))
        return
    loaded = False
    # Nobody has to end a process that ends by itself when it is not used.
    while select.select([questions], [], [], IDLE_SECONDS)[0]:
        try:
            head, body = read_message(Whole(questions), MOST_ASKED_BYTES)
        except BadMessage:
            return
        write_all(answers, _read_apart(head, body, questions))
        if not loaded:
            preload()
            # What the forks share is not looked through for garbage, which would copy it for each of them.
            gc.freeze()
            loaded = True


def _read_apart(head: Mapping[str, Any], body: bytes, questions: IO[bytes]) -> bytes:
    """A worker's answer, or how it ended without one."""
    mine, its = os.pipe()
    worker = os.fork()
    if not worker:
        # Whatever happens in here, only the worker may end by it.
        try:
            _confine(its)
            with os.fdopen(its, "wb", 0) as answers:
                write_all(answers, answer(head, body))
        finally:
            os._exit(0)
    os.close(its)
    came = _all_from(mine, worker, questions)
    os.close(mine)
    status = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1])
    if came is None:
        return framed({"failed": "output"})
    return came if status == 0 and is_one_message(came) else framed({"failed": _how(status)})


def _how(status: int) -> str:
    if status == -getattr(signal, "SIGXCPU", 0):
        return "time"
    # The system ends by this signal what has no memory left.
    return "memory" if status == -getattr(signal, "SIGKILL", 0) else "crash"


def _all_from(pipe: int, worker: int, questions: IO[bytes]) -> bytes | None:
    """All that a worker says; None where that is too much. It ends with the program that asked."""
    came = bytearray()
    while True:
        ready, _, _ = select.select([pipe, questions.fileno()], [], [])
        if questions.fileno() in ready:
            # Nothing is asked meanwhile: the program is gone.
            os.kill(worker, signal.SIGKILL)
            os._exit(0)
        piece = os.read(pipe, _PIECE_BYTES)
        if not piece:
            return bytes(came)
        came += piece
        if len(came) > MOST_ANSWER_BYTES + _PIECE_BYTES:
            os.kill(worker, signal.SIGKILL)
            return None


def _confine(pipe: int) -> None:
    """Take from a worker what it does not need."""
    import resource

    os.closerange(3, pipe)
    os.closerange(pipe + 1, 4096)
    for limit, most in (
        (resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1)),
        (resource.RLIMIT_AS, (_mapped_bytes() + MEMORY_BYTES,) * 2),
        (resource.RLIMIT_CORE, (0, 0)),
        (resource.RLIMIT_FSIZE, (0, 0)),
        (resource.RLIMIT_NOFILE, (_MOST_DESCRIPTORS, _MOST_DESCRIPTORS)),
        (resource.RLIMIT_NPROC, (0, 0)),
    ):
        # A system that knows no such limit still has the others, and the clock of whoever asked.
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, most)


def _mapped_bytes() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
    except (OSError, ValueError, IndexError):
        return 1024 * 1024 * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")


# What is asked, and the answer to it.


def answer(head: Mapping[str, Any], body: bytes) -> bytes:
    """The answer to one question, whatever the file does to its reader."""
    try:
        made = TASKS[str(head.get("task"))](head, body)
    except Unreadable as refusal:
        locked = {"locked": True} if isinstance(refusal, NeedsPassword) else {}
        return framed({"refused": [refusal.reason, refusal.advice], **locked})
    except MemoryError:
        return framed({"failed": "memory"})
    except RecursionError:
        return framed({"failed": "nesting"})
    except Exception as error:  # noqa: BLE001  (a library may raise anything at what it does not expect)
        return framed({"failed": "error", "what": type(error).__name__})
    return made if len(made) <= MOST_ANSWER_BYTES else framed({"failed": "output"})


def _document(head: Mapping[str, Any], body: bytes) -> bytes:
    reading, password = decode(Reading, head["reading"]), str(head.get("password", ""))
    return document_message(read_document(str(head["name"]), body, reading, password))


def _pictures(head: Mapping[str, Any], body: bytes) -> bytes:
    from workbench.sources.extract.pdf import page_pictures

    made = page_pictures(body, int(head["first"]), int(head["last"]), str(head.get("password", "")))
    sizes = [[number, len(picture)] for number, picture in made]
    return framed({"pictures": sizes}, b"".join(picture for _, picture in made))


def _smaller(head: Mapping[str, Any], body: bytes) -> bytes:
    from workbench.sources.extract.images import smaller_picture

    made = smaller_picture(body, int(head["most_bytes"]), int(head["longest_side"]))
    return framed({"pictures": [[1, len(made)]]}, made)


TASKS: dict[str, Callable[[Mapping[str, Any], bytes], bytes]] = {
    "document": _document,
    "pictures": _pictures,
    "smaller": _smaller,
}

if __name__ == "__main__":
    main(sys.argv[1:])
