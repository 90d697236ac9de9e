"""Reads documents in child processes: a file that crashes or overloads its reader is only refused."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Timer
from typing import IO, TypeVar

from workbench.domain.codec import encode
from workbench.domain.files.attached import CannotAttach, Locked
from workbench.domain.files.document import AS_FOUND, Document, Reading
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr, with_noted_values
from workbench.files.own_program import own_child
from workbench.sources.extract.messages import (
    MOST_ANSWER_BYTES,
    BadMessage,
    Head,
    WholeReads,
    answers_in,
    document_in,
    frame_message,
    is_page,
    pictures_in,
    read_message,
    write_all,
)

T = TypeVar("T")
_CHILD = Path(__file__).with_name("child.py")
# -P: nothing is imported from the folder the program happens to run in; -s: nor from the user's own packages.
COMMAND = own_child(_CHILD, "-P", "-s")
_MOST_TOGETHER, _MOST_TOGETHER_BYTES = 16, 4_000_000
_SIMPLER = tr("Save it as PDF or plain text, and attach that.")
_FAILURES = {
    "time": (tr("reading it takes too long"), tr("Attach a smaller part of it.")),
    "memory": (tr("reading it needs more memory than a file may take"), tr("Attach a smaller part of it.")),
    "output": (tr("it holds far more text than a file may have"), tr("Attach a smaller part of it.")),
    "nesting": (tr("its parts lie too deep within one another"), _SIMPLER),
    "error": (tr("it is damaged, or not what it says it is"), _SIMPLER),
    "crash": (tr("reading it failed: it is damaged, or made to do harm"), _SIMPLER),
    "start": (
        tr("the part of the program that reads documents did not start"),
        tr("Start the program again."),
    ),
    "closed": (tr("the program is closing"), tr("Attach it again when the program runs.")),
}


@dataclass(frozen=True, slots=True)
class ExtractLimits:
    """How long a file may be read, and how many at once."""

    seconds: float = 60.0
    at_once: int = 2


@dataclass(frozen=True, slots=True)
class Launch:
    """How a child is started: its command and its whole environment, which contains no secrets."""

    command: tuple[str, ...] = COMMAND
    environment: Mapping[str, str] = field(default_factory=dict)


class ReaderProcess:
    """One child process, which is asked one question at a time."""

    def __init__(self, launch: Launch) -> None:
        # In a session of its own, so that it can be ended with all it started, and Ctrl-C in a terminal is not for it.
        self._process = subprocess.Popen(
            launch.command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(launch.environment),
            start_new_session=True,
        )
        self.used = False

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def ask(self, question: bytes) -> tuple[Head, bytes]:
        """Sends a question and returns the answer, blocking; `BadMessage` or `OSError` where there is none."""
        self.used = True
        write_all(_open(self._process.stdin), question)
        return read_message(WholeReads(_open(self._process.stdout)), MOST_ANSWER_BYTES)

    def kill(self) -> None:
        """Kills the process and what it started; returns at once."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def kill_and_wait(self) -> int:
        """Kills the process if it runs, waits for it, closes its pipes, and returns its exit code."""
        if self._process.poll() is None:
            self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        return self._process.wait()


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise OSError("the pipe is not open")
    return pipe


class NoAnswer(Exception):
    """A question got no answer; the reason is a key of `_FAILURES`."""


class _Children:
    """A pool of child processes: one is taken for a question, and given back afterwards."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._lock = Lock()
        self._idle: list[ReaderProcess] = []
        self._busy: set[ReaderProcess] = set()
        self._closed = False

    def take(self) -> ReaderProcess:
        with self._lock:
            if self._closed:
                raise NoAnswer("closed")
            taken = self._idle.pop() if self._idle else self._start()
            self._busy.add(taken)
            return taken

    def give_back(self, process: ReaderProcess, in_order: bool) -> None:
        """Returns a process to the pool; one that failed, or reads only one file, is ended."""
        with self._lock:
            self._busy.discard(process)
            keep = (
                in_order and not self._closed and hasattr(os, "fork") and "--once" not in self._launch.command
            )
            if keep:
                self._idle.append(process)
        if not keep:
            process.kill_and_wait()

    def running(self) -> tuple[ReaderProcess, ...]:
        with self._lock:
            return tuple(one for one in (*self._busy, *self._idle) if one.alive)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            for one in self._busy:
                one.kill()
        for one in idle:
            one.kill_and_wait()

    def _start(self) -> ReaderProcess:
        try:
            return ReaderProcess(self._launch)
        except OSError:
            raise NoAnswer("start") from None


class _Question:
    """One question to a child: it may wait, be asked, time out, or be cancelled."""

    def __init__(self, children: _Children, written: bytes, seconds: float) -> None:
        self._children, self._written, self._seconds = children, written, seconds
        self._lock = Lock()
        self._process: ReaderProcess | None = None
        self._ended_for = ""

    def answer(self) -> tuple[Head, bytes]:
        """Asks a child, blocking; asks another if the first had just ended because it was idle."""
        clock = Timer(self._seconds, self.end, ("time",))
        clock.daemon = True
        clock.start()
        try:
            found = self._ask(again=True) or self._ask(again=False)
        finally:
            clock.cancel()
        if found is None:
            raise NoAnswer(self._ended_for or "crash")
        return found

    def end(self, why: str) -> None:
        """Stops the question, and the child that works on it."""
        with self._lock:
            self._ended_for = self._ended_for or why
            if self._process is not None:
                self._process.kill()

    def _ask(self, again: bool) -> tuple[Head, bytes] | None:
        process = self._children.take()
        was_used = process.used
        found: tuple[Head, bytes] | None = None
        try:
            if self._assign(process):
                found = process.ask(self._written)
        except (OSError, BadMessage):
            found = None
        finally:
            with self._lock:
                self._process = None
                # Ended in the moment of its answer, it is dead all the same, and no child for the next question.
                ended = bool(self._ended_for)
            self._children.give_back(process, found is not None and not ended)
        if found is None and not (
            again and was_used and not self._ended_for and process.kill_and_wait() == 0
        ):
            raise NoAnswer(self._ended_for or "crash")
        return found

    def _assign(self, process: ReaderProcess) -> bool:
        with self._lock:
            self._process = process
            return not self._ended_for


class ChildExtractor:
    """Child processes that are started when needed → Extractor. A child without work for half a minute ends.

    Its own threads wait for answers, so that many files at once do not block anything else.
    """

    def __init__(self, limits: ExtractLimits | None = None, launch: Launch | None = None) -> None:
        self._limits = limits or ExtractLimits()
        self._children = _Children(launch or Launch())
        self._threads = ThreadPoolExecutor(self._limits.at_once, thread_name_prefix="documents")

    async def document(
        self, name: str, content: bytes, reading: Reading, password: Secret | None = None
    ) -> Document:
        """Reads a file as a document, with its outline."""
        wanted = {"task": "document", "name": name, "reading": encode(reading), **_password_field(password)}
        return _document_of(name, *await self._ask(name, wanted, content))

    async def documents(self, files: Sequence[tuple[str, bytes]]) -> tuple[Document | CannotAttach, ...]:
        """Reads several files as documents, each of which may be refused; pages share workers."""
        groups: list[list[tuple[str, bytes]]] = []
        size = _MOST_TOGETHER_BYTES
        for name, content in files:
            size += len(content)
            # A worker takes half a small page's time to start.
            if is_page(name) and size <= _MOST_TOGETHER_BYTES and len(groups[-1]) < _MOST_TOGETHER:
                groups[-1].append((name, content))
            else:
                groups.append([(name, content)])
                size = len(content) if is_page(name) else _MOST_TOGETHER_BYTES
        found = await asyncio.gather(*map(self._group, groups))
        return tuple(one for group in found for one in group)

    async def _group(self, files: Sequence[tuple[str, bytes]]) -> list[Document | CannotAttach]:
        """Reads files in one worker; alone where that fails, so that a file harms none that it came with."""
        answers: list[tuple[Head, bytes]] = []
        if len(files) > 1:
            lengths = [(name, len(content)) for name, content in files]
            wanted = {"task": "documents", "name": files[0][0], "reading": encode(AS_FOUND), "files": lengths}
            with suppress(CannotAttach, BadMessage):
                answers = answers_in(*await self._ask(files[0][0], wanted, b"".join(one[1] for one in files)))
        if len(answers) != len(files):
            answers = [({"failed": "crash"}, b"")] * len(files)
        found: list[Document | CannotAttach] = []
        for (name, content), (head, body) in zip(files, answers, strict=True):
            try:
                if "failed" in head:
                    found.append(await self.document(name, content, AS_FOUND))
                else:
                    found.append(_document_of(name, head, body))
            except CannotAttach as refusal:
                found.append(refusal)
        return found

    async def page_pictures(
        self, name: str, content: bytes, pages: tuple[int, int], password: Secret | None = None
    ) -> tuple[tuple[int, bytes], ...]:
        """Renders pages of a PDF as PNG pictures, each with its number."""
        wanted = {"task": "pictures", "first": pages[0], "last": pages[1], **_password_field(password)}
        head, body = _made(name, *await self._ask(name, wanted, content))
        return _decode_answer(name, lambda: pictures_in(head, body))

    async def smaller_picture(self, content: bytes, most_bytes: int, longest_side: int) -> bytes:
        """Returns a picture upright and within limits."""
        name = tr("the picture")
        wanted = {"task": "smaller", "most_bytes": most_bytes, "longest_side": longest_side}
        head, body = _made(name, *await self._ask(name, wanted, content))
        return _decode_answer(name, lambda: pictures_in(head, body)[0][1])

    async def close(self) -> None:
        """Ends all children; calls that still wait fail."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._children.close()
        # The threads wait for children that were just killed: none is left behind.
        self._threads.shutdown(wait=True)

    def running(self) -> tuple[ReaderProcess, ...]:
        """Returns the children that run now."""
        return self._children.running()

    async def _ask(self, name: str, wanted: Head, content: bytes) -> tuple[Head, bytes]:
        question = _Question(self._children, frame_message(wanted, content), self._limits.seconds)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, question.answer)
        except asyncio.CancelledError:
            question.end("closed")
            raise
        except NoAnswer as failure:
            raise _refusal(name, str(failure)) from None
        except RuntimeError:  # what a pool of threads says that takes nothing more
            raise _refusal(name, "closed") from None


def _made(name: str, head: Head, body: bytes) -> tuple[Head, bytes]:
    """Returns what was made of a file; raises what was answered instead."""
    if "failed" in head:
        raise _refusal(name, str(head["failed"]))
    if "refused" in head:
        reason, advice = _reason_and_advice(with_noted_values(head)["refused"])
        raise (Locked if head.get("locked") is True else CannotAttach)(name, reason, advice)
    return head, body


def _document_of(name: str, head: Head, body: bytes) -> Document:
    _made(name, head, body)
    return _decode_answer(name, lambda: document_in(head, body))


def _password_field(password: Secret | None) -> Head:
    """Returns the password as part of the message: command lines and environments are visible to others."""
    return {} if password is None else {"password": password.reveal_text()}


def _reason_and_advice(written: object) -> tuple[str, str]:
    if isinstance(written, list) and len(written) == 2:
        reason, advice = (
            one if isinstance(one, str) and len(one) <= 500 else str(one)[:500] for one in written
        )
        return reason, advice
    return _FAILURES["crash"]


def _decode_answer(name: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except (BadMessage, IndexError):
        raise _refusal(name, "crash") from None


def _refusal(name: str, failure: str) -> CannotAttach:
    return CannotAttach(name, *_FAILURES.get(failure, _FAILURES["crash"]))
