"""A tool server as a child process: with a clean environment, bounded messages, and no orphans."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.domain.text import harmless
from workbench.domain.translation import tr
from workbench.tools.mcp.limits import McpLimits

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client._transport import TransportStreams
    from mcp.shared.message import SessionMessage

# What programs need to run at all; whatever else a server is to know, its settings say.
NEEDED = (
    *(
        "PATH",
        "HOME",
        "LANG",
        "LANGUAGE",
        "LC_ALL",
        "LC_CTYPE",
        "LOGNAME",
        "SHELL",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
    ),
    *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    *("PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"),
)
_KEPT_LINES, _LONGEST_LINE = 20, 300
_PIECE_BYTES = 64 * 1024
_LOOK_S = 0.02
_KILLED_S = 10.0


class CannotStart(Exception):
    """A program could not be started; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Launch:
    """The command to start, with everything filled in; `folder` is its working folder."""

    command: str
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""

    @property
    def program(self) -> str:
        """The command's path; a relative one is resolved in `folder`, not where this program was started."""
        return os.path.abspath(os.path.join(self.folder, self.command)) if self._is_relative else self.command

    @property
    def _is_relative(self) -> bool:
        return os.path.dirname(self.command) != "" and not os.path.isabs(self.command)


class Child:
    """One run of a program that speaks MCP over standard input and output.

    It has a session of its own and ends when its input closes, with everything it started.
    """

    def __init__(self, launch: Launch, limits: McpLimits, over: Callable[[], None]) -> None:
        self._launch, self._limits, self._over = launch, limits, over
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self.problem = ""
        self.ended = False

    def last_lines(self) -> str:
        """Returns the last lines it wrote to standard error."""
        return "\n".join(self._lines)

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[TransportStreams]:
        """Starts it, and at the end ends it with everything it started."""
        import anyio

        process = await self._start()
        # From here to the group nothing waits: who is cancelled in between would leave the process behind.
        arrived, arriving = anyio.create_memory_object_stream[Any](0)
        leaving, left = anyio.create_memory_object_stream[Any](0)
        async with anyio.create_task_group() as group:
            group.start_soon(self._read, process, arrived)
            group.start_soon(self._write, process, left)
            group.start_soon(self._listen, process)
            try:
                yield arriving, leaving
            finally:
                with anyio.CancelScope(shield=True):
                    arriving.close()
                    leaving.close()
                    await self._end(process)
                group.cancel_scope.cancel()

    async def _start(self) -> asyncio.subprocess.Process:
        launch = self._launch
        program = shutil.which(launch.program, path=launch.environment.get("PATH"))
        if program is None:
            raise CannotStart(
                tr(
                    "There is no program {command!r} here. Install it, or give its whole path.",
                    command=launch.command,
                )
            )
        try:
            return await asyncio.create_subprocess_exec(
                program,
                *launch.args,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=dict(launch.environment),
                cwd=launch.folder or None,
                start_new_session=True,
            )
        except (OSError, ValueError) as problem:
            why = getattr(problem, "strerror", None) or str(problem)
            raise CannotStart(
                tr(
                    "{command!r} could not be started ({why}). Check its command and its folder.",
                    command=launch.command,
                    why=why,
                )
            ) from None

    async def _read(
        self, process: asyncio.subprocess.Process, arrived: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        """Passes its messages on one by one; lines that are not messages are kept with its error output."""
        import anyio
        from mcp.shared.message import SessionMessage
        from mcp_types import jsonrpc_message_adapter

        async with arrived:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                async for line in self._messages(process):
                    try:
                        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                    except ValueError:
                        self._keep(line)
                        continue
                    await arrived.send(SessionMessage(message))
        self.ended = True
        self._over()
        # One that is blocked while it writes could not see that its input was closed.
        with suppress(OSError):
            while await _pipe(process.stdout).read(_PIECE_BYTES):
                pass

    async def _messages(self, process: asyncio.subprocess.Process) -> AsyncIterator[bytes]:
        waiting = bytearray()
        while piece := await _pipe(process.stdout).read(_PIECE_BYTES):
            looked = len(waiting)
            waiting += piece
            while (end := waiting.find(b"\n", looked)) >= 0:
                line = bytes(waiting[:end]).strip()
                del waiting[: end + 1]
                looked = 0
                if line:
                    yield line
            if len(waiting) > self._limits.message_bytes:
                self.problem = tr(
                    "It sent a message of more than {message_bytes:,} bytes.",
                    message_bytes=self._limits.message_bytes,
                )
                return

    async def _write(
        self, process: asyncio.subprocess.Process, left: MemoryObjectReceiveStream[SessionMessage]
    ) -> None:
        stdin = process.stdin
        async with left:
            with suppress(OSError):
                async for message in left:
                    if stdin is None or stdin.is_closing():
                        return
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    stdin.write(f"{text}\n".encode())
                    await stdin.drain()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Keeps the last lines of its standard error, however much it writes."""
        rest = b""
        with suppress(OSError):
            while piece := await _pipe(process.stderr).read(_PIECE_BYTES):
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines[-_KEPT_LINES:]:
                    self._keep(line)
                rest = rest[:_LONGEST_LINE]
        self._keep(rest)

    def _keep(self, line: bytes) -> None:
        text = harmless(line[: _LONGEST_LINE * 4].decode("utf-8", "replace")).strip()[:_LONGEST_LINE]
        if text:
            self._lines.append(text)

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        """Closes its input, then asks it to end, then kills it and whatever it left behind."""
        if process.stdin is not None:
            process.stdin.close()
        if not await self._wait_for_end(process, self._limits.stop_s):
            _signal(process, "SIGTERM")
            await self._wait_for_end(process, self._limits.stop_s)
        _signal(process, "SIGKILL")
        # Nothing survives that, but much memory takes a while to be given back: a loop that is closed before is told.
        if await self._wait_for_end(process, self._limits.stop_s + _KILLED_S):
            self._note_exit(process.returncode)
        # A process that left the session may hold the pipes; nobody reads them any more.
        transport = getattr(process, "_transport", None)
        if transport is not None:
            transport.close()

    async def _wait_for_end(self, process: asyncio.subprocess.Process, within_s: float) -> bool:
        # Not `wait`: that also waits for pipes, which somebody else may hold.
        for _ in range(int(within_s / _LOOK_S) + 1):
            if process.returncode is not None:
                return True
            await asyncio.sleep(_LOOK_S)
        return False

    def _note_exit(self, code: int | None) -> None:
        if self.ended and not self.problem and code:
            self.problem = (
                tr("It was ended by signal {value}.", value=-code)
                if code < 0
                else tr("It ended on its own, with code {code}.", code=code)
            )


def _signal(process: asyncio.subprocess.Process, name: str) -> None:
    """Sends a signal to the whole session, or to the process where there are no sessions."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, getattr(signal, name))
        elif process.returncode is None:
            process.kill()


def _pipe(pipe: asyncio.StreamReader | None) -> asyncio.StreamReader:
    if pipe is None:
        raise OSError("the pipe is not open")
    return pipe
