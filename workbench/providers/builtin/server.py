"""Supervises the server process of a local model: started on demand, restarted when it dies, stopped when idle."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO, Any

from workbench.domain.answer import Failure, FailureKind, ModelFailed
from workbench.domain.secrets import Secret
from workbench.domain.translation import tr
from workbench.files.own_program import own_child

# One run of the model server: its process, its one-line handshake, and the last things it said.


_CHILD = Path(__file__).with_name("child.py")
_KEPT_LINES = 40
_LONGEST_LINE = 300
_TIMESTAMP = re.compile(r"^[\d.]+ [A-Z] ")
_MOST_TELLING = "error loading model: "

# -P: nothing is imported from the folder the program happens to run in.
COMMAND = own_child(_CHILD, "-P")


@dataclass(frozen=True, slots=True)
class Launch:
    """Parameters of one start: the command, its settings, and the environment (None: ours)."""

    command: tuple[str, ...]
    settings: Mapping[str, Any]
    environment: Mapping[str, str] | None = None


class LlamaProcess:
    """A child process that ends when we do: it lives only while the pipe to its standard input is open.

    What it writes on standard error is read by a thread into a small buffer and reaches nobody else; that thread also
    waits for its end, so that killing it blocks nobody.
    """

    def __init__(self, launch: Launch) -> None:
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._launch = launch
        self._killed = False
        # In a session of its own, so that Ctrl-C in a terminal stops an answer, not the server under it.
        self._process = subprocess.Popen(
            launch.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=None if launch.environment is None else dict(launch.environment),
            start_new_session=True,
        )
        self._drain = Thread(target=self._keep_words, name="llama-log", daemon=True)
        self._drain.start()

    @property
    def pid(self) -> int:
        """The system's number of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it is running."""
        return self._process.poll() is None

    @property
    def buried(self) -> bool:
        """Whether it has ended and its error output is read, which takes a moment longer."""
        return not self._drain.is_alive()

    def address(self) -> str | None:
        """Send the settings and wait for the address; None if the server did not start. Blocks."""
        try:
            stdin, stdout = _open(self._process.stdin), _open(self._process.stdout)
            stdin.write(json.dumps(dict(self._launch.settings)).encode() + b"\n")
            stdin.flush()
            answer = json.loads(stdout.readline() or b"{}")
        except (OSError, ValueError):
            return None
        if not isinstance(answer, dict):
            return None
        if "error" in answer:
            self._lines.append(str(answer["error"])[:_LONGEST_LINE])
        address = answer.get("address")
        return address if isinstance(address, str) else None

    def kill(self) -> None:
        """Kill it without waiting; it holds nothing worth keeping."""
        self._killed = True
        self._process.kill()

    def wait_for_end(self, seconds: float) -> None:
        """Wait until it has ended and its error output is read. Blocks."""
        self._drain.join(seconds)

    def last_words(self) -> str:
        """Its last error output, or the exit status."""
        code = self._process.poll()
        telling = [line for line in self._lines if _MOST_TELLING in line]
        if telling:
            return telling[-1].partition(_MOST_TELLING)[2]
        how = (
            tr("it was ended by signal {value}", value=-code)
            if code is not None and code < 0
            else tr("it ended with code {code}", code=code)
        )
        # Of one that somebody else ended, the last line is about something else.
        ended_by_others = code is not None and code < 0 and not self._killed
        return how if ended_by_others or not self._lines else self._lines[-1]

    def _keep_words(self) -> None:
        # Leaving closes the pipes and waits; one that died before it read its settings leaves a broken pipe behind.
        with suppress(BrokenPipeError), self._process:
            for line in _open(self._process.stderr):
                text = _TIMESTAMP.sub("", line.decode("utf-8", "replace").rstrip())
                self._lines.append(text[:_LONGEST_LINE])


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise OSError("the pipe is not open")
    return pipe


Progress = Callable[[str, float | None], None]

_MOST_DEATHS = 2
_CLOSING_S, _LAST_WORDS_S = 1.5, 5.0


def usable_cores() -> int:
    """Number of cores that this program may use.

    The server computes with all of them, also while they are busy: its threads sleep while they wait for each other,
    so that more of them are no slower then (18.6 tokens a second with two, 18.4 with one, at a load of seven), and it
    is fast again as soon as the cores are free.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class LlamaSetup:
    """Configuration of a server.

    Attributes:
        window_tokens: the window it gets unless a request needs more.
        threads: how many it computes with; None: with all cores.
        idle_s: after how long without a request its memory is given back.
        start_s: how long it may take to load the model.
        troubled_s: within how long repeated deaths are one and the same trouble.
    """

    model: Path
    name: str
    window_tokens: int
    threads: int | None = None
    idle_s: float = 300.0
    start_s: float = 600.0
    troubled_s: float = 60.0
    command: tuple[str, ...] = COMMAND
    environment: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class LlamaRun:
    """One run of the server; what is known about an earlier run does not apply to it."""

    number: int
    base_url: str
    key: Secret
    window_tokens: int


class LlamaServer:
    """At most one child process; users call `start` and hold `used` while they need it."""

    def __init__(self, setup: LlamaSetup) -> None:
        self._setup = setup
        self._process: LlamaProcess | None = None
        self._run: LlamaRun | None = None
        self._starting = asyncio.Lock()
        self._users = 0
        self._timer: asyncio.TimerHandle | None = None
        self._deaths: deque[tuple[float, str]] = deque(maxlen=_MOST_DEATHS + 1)
        self._runs = 0

    @property
    def running(self) -> LlamaRun | None:
        """The current run; None if it was not started, ended or died."""
        return self._run if self._process is not None and self._process.alive else None

    @property
    def pid(self) -> int | None:
        """Process id of the child, if there is one."""
        return None if self._process is None else self._process.pid

    async def start(self, progress: Progress, window_tokens: int | None = None) -> LlamaRun:
        """The server with at least this window, started if necessary; raises `ModelFailed` if it cannot be."""
        # Starting is a use: the time of one that died would otherwise run out while the next one loads, and end it.
        with self.used():
            async with self._starting:
                return await self._start_if_needed(
                    progress, max(window_tokens or 0, self._setup.window_tokens)
                )

    async def _start_if_needed(self, progress: Progress, wanted_tokens: int) -> LlamaRun:
        run = self.running
        if run is None or run.window_tokens < wanted_tokens:
            progress(tr("Starting the built-in model"), None)
            run = await self._restart(wanted_tokens)
        return run

    @contextmanager
    def used(self) -> Iterator[None]:
        """Context manager that keeps the server from being idle."""
        self._users += 1
        self._stop_timer()
        try:
            yield
        finally:
            self._users -= 1
            self._start_idle_timer()

    def cause_of_death(self) -> str | None:
        """Why the server ended unexpectedly; None if it did not."""
        process = self._process
        return process.last_words() if process is not None and process.buried else None

    async def close(self) -> None:
        """Stop the server, within two seconds."""
        self._stop_timer()
        process = self._end()
        if process is not None:
            await asyncio.to_thread(process.wait_for_end, _CLOSING_S)

    async def _restart(self, window_tokens: int) -> LlamaRun:
        await self._note_death()
        self._refuse_if_hopeless()
        self._end()
        key = secrets.token_urlsafe(32)
        settings = {
            "model": str(self._setup.model), "name": self._setup.name, "key": key,
            "window_tokens": window_tokens, "threads": self._setup.threads or usable_cores(),
        }  # fmt: skip
        launch = Launch(self._setup.command, settings, self._setup.environment)
        # Not in a thread: one that is cancelled would leave a process behind that nobody knows.
        self._process = process = _start_process(launch)
        address = await self._address(process)
        self._runs += 1
        self._run = LlamaRun(self._runs, address, Secret.of_text(key), window_tokens)
        return self._run

    async def _address(self, process: LlamaProcess) -> str:
        try:
            async with asyncio.timeout(self._setup.start_s):
                address = await asyncio.to_thread(process.address)
        except TimeoutError:
            self._end()
            raise _failed(
                "timeout", tr("it was not ready after {start_s:.0f} s", start_s=self._setup.start_s)
            ) from None
        except asyncio.CancelledError:
            self._end()
            raise
        if address is None:
            # It ends by itself; killed at once, llama.cpp may not have written yet what was wrong.
            await asyncio.to_thread(process.wait_for_end, _LAST_WORDS_S)
            process.kill()
            await self._note_death()
            raise _failed("unavailable", process.last_words())
        return address

    async def _note_death(self) -> None:
        process = self._process
        if process is None or self.running is not None:
            return
        await asyncio.to_thread(process.wait_for_end, _CLOSING_S)
        self._deaths.append((asyncio.get_running_loop().time(), process.last_words()))
        self._process = self._run = None

    def _refuse_if_hopeless(self) -> None:
        """Refuse a third start after two restarts for the same reason in a short time."""
        since = asyncio.get_running_loop().time() - self._setup.troubled_s
        recent = [words for time, words in self._deaths if time >= since]
        if len(recent) > _MOST_DEATHS and len(set(recent)) == 1:
            raise _failed(
                "unavailable",
                tr("it ended {n} times in a row, because {recent}", n=len(recent), recent=recent[-1]),
            )

    def _end(self) -> LlamaProcess | None:
        process, self._process, self._run = self._process, None, None
        if process is not None:
            process.kill()
        return process

    def _start_idle_timer(self) -> None:
        """Start the idle timer, unless the server is in use."""
        self._stop_timer()
        if self._users == 0 and self._process is not None:
            self._timer = asyncio.get_running_loop().call_later(self._setup.idle_s, self._end)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _start_process(launch: Launch) -> LlamaProcess:
    try:
        return LlamaProcess(launch)
    except OSError as error:
        raise _failed(
            "unavailable", tr("its process could not be started ({strerror})", strerror=error.strerror)
        ) from error


def _failed(kind: FailureKind, why: str) -> ModelFailed:
    advice = tr("Try again, choose another model, or run `workbench doctor`.")
    if "libgomp" in why:  # what its library is linked with and does not bring; a bare system lacks it
        advice = tr(
            "Install libgomp1 (or your system's name for it: GNU OpenMP) and try "
            "again, or choose another model."
        )
    words = tr(
        "The built-in model could not be started: {why}. Nothing was sent, and your text is kept. {advice}",
        why=why,
        advice=advice,
    )
    return ModelFailed(Failure(kind, words))
