"""One run of the model server: its process, its one-line handshake, and the last things it said."""

from __future__ import annotations

import json
import re
import subprocess
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO, Any

from workbench.files.own_program import own_child

_CHILD = Path(__file__).with_name("child.py")
_KEPT_LINES = 40
_LONGEST_LINE = 300
_TIMESTAMP = re.compile(r"^[\d.]+ [A-Z] ")
_MOST_TELLING = "error loading model: "

# -P: nothing is imported from the folder the program happens to run in.
COMMAND = own_child(_CHILD, "-P")


@dataclass(frozen=True, slots=True)
class Launch:
    """What one run is started with: the command, its settings, and the environment (None: as ours)."""

    command: tuple[str, ...]
    settings: Mapping[str, Any]
    environment: Mapping[str, str] | None = None


class LlamaProcess:
    """A child that ends when we do: it lives only as long as the pipe to its standard input is open.

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
        """Whether it still runs."""
        return self._process.poll() is None

    @property
    def buried(self) -> bool:
        """Whether it is gone and its last words are read, which takes a moment longer."""
        return not self._drain.is_alive()

    def address(self) -> str | None:
        """Hand over the settings and wait for the address; None where there is no server. Blocks."""
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
        """End it now; nothing it holds is worth keeping. Returns at once."""
        self._killed = True
        self._process.kill()

    def wait_for_end(self, seconds: float) -> None:
        """Wait until it is gone and its last words are read. Blocks."""
        self._drain.join(seconds)

    def last_words(self) -> str:
        """What it said last about its end, or how the system says it ended."""
        code = self._process.poll()
        telling = [line for line in self._lines if _MOST_TELLING in line]
        if telling:
            return telling[-1].partition(_MOST_TELLING)[2]
        how = (
            f"it was ended by signal {-code}"
            if code is not None and code < 0
            else f"it ended with code {code}"
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
