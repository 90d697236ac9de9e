"""Try an installed program as a stranger would: in an empty home, on a display of its own, with the built-in model."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from failure import Failure, say

QUESTION = "Say hello in one word."
SCREEN = "1600x1000x24"
PATIENCE_S = 120
SETTLED_S = 2.0  # so long the picture stays the same before it is taken
FILLED_BYTES = 230_000  # a packed picture of the whole window; while its request is built it takes less


class Trial(NamedTuple):
    """What a trial found."""

    version: str
    answer: str
    ask_s: float
    paint_s: float  # from the start to the first paint of the window
    filled_s: float  # and until it shows a chat
    picture: Path


def try_program(command: Sequence[str], home: Path, picture: Path) -> Trial:
    """Ask the program its version and a question, and open its window; Failure says what did not work.

    `command` starts it; `home` is an empty folder that becomes its HOME (as it is seen by the program).
    """
    environment = clean_environment(home)
    version = _heard(command, ["--version"], environment).strip()
    began = time.monotonic()
    said = _heard(command, ["ask", QUESTION, "--json"], environment)
    ask_s = time.monotonic() - began
    answer = json.loads(said.splitlines()[-1])
    if answer["state"] != "complete" or not answer["answer"]:
        raise Failure(f"The program did not answer: {said}")
    paint_s, filled_s = photograph([*command, "--demo"], environment, picture)
    found = Trial(version, answer["answer"], ask_s, paint_s, filled_s, picture)
    say(
        f"  {found.version}\n  answered in {ask_s:.1f} s: {found.answer!r}\n"
        f"  window painted after {paint_s:.2f} s, filled after {filled_s:.2f} s: {picture}"
    )
    return found


def clean_environment(home: Path) -> dict[str, str]:
    """What the program finds in its environment: nothing of this checkout, and nothing of whoever runs this."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "WORKBENCH_PASSPHRASE": "a passphrase for a trial only",
    }


def _heard(command: Sequence[str], arguments: Sequence[str], environment: dict[str, str]) -> str:
    ended = subprocess.run(
        [*command, *arguments],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE_S,
        check=False,
    )
    if ended.returncode != 0:
        raise Failure(
            f"`{' '.join([*command, *arguments])}` ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}"
        )
    return ended.stdout


def photograph(
    command: Sequence[str], environment: dict[str, str], picture: Path, least_bytes: int = FILLED_BYTES
) -> tuple[float, float]:
    """Open the window on a display that nobody sees, and keep what it shows; seconds to its paint and its chat.

    `least_bytes` are those of the packed picture once everything is there.
    """
    with _display() as (name, frame):
        empty = zlib.adler32(frame.read_bytes())
        began = time.monotonic()
        with (
            tempfile.TemporaryFile() as words,
            subprocess.Popen(
                command, env={**environment, "DISPLAY": name}, cwd="/", stdout=words, stderr=words
            ) as process,
        ):
            try:
                seen = _settle(process, frame, (empty, least_bytes), began)
                picture.write_bytes(png_of(frame.read_bytes()))
                if seen is None:
                    words.seek(0)
                    raise Failure(
                        f"No window with a chat in it opened ({picture}):\n{words.read().decode('utf-8', 'replace')}"
                    )
            finally:
                process.terminate()
    return seen


def _settle(
    process: subprocess.Popen[bytes], frame: Path, known: tuple[int, int], began: float
) -> tuple[float, float] | None:
    """Wait until the display shows a chat and stays the same; None where it never does.

    The window's frame is painted long before there is something in it.
    """
    empty, least_bytes = known
    painted = filled = None
    seen, since = empty, began
    while time.monotonic() - began < PATIENCE_S and process.poll() is None:
        time.sleep(0.02)
        now, shown = time.monotonic(), frame.read_bytes()
        if (total := zlib.adler32(shown)) != seen:
            seen, since, painted = total, now, painted or now - began
            filled = filled or (now - began if len(zlib.compress(shown, 1)) > least_bytes else None)
        elif painted is not None and filled is not None and now - since >= SETTLED_S:
            return painted, filled
    return None


@contextmanager
def _display() -> Iterator[tuple[str, Path]]:
    """A display of its own, and the file that holds what it shows; gone afterwards."""
    xvfb = shutil.which("Xvfb")
    if xvfb is None:
        raise Failure("There is no Xvfb here to open the window on. Install it: apt-get install xvfb")
    with tempfile.TemporaryDirectory(prefix="workbench-trial-") as folder:
        command = [xvfb, "-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp", "-fbdir", folder]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            try:
                number = server.stdout.readline().strip() if server.stdout else ""
                if not number:
                    raise Failure("Xvfb gave no display.")
                yield f":{number}", Path(folder) / "Xvfb_screen0"
            finally:
                server.terminate()


def png_of(frame: bytes) -> bytes:
    """A picture of what Xvfb keeps in its file: a head in words of four bytes, a table of colours, then the pixels."""
    head = struct.unpack(">25I", frame[:100])
    width, height, line_bytes, colours = head[4], head[5], head[12], head[19]
    little = head[7] == 0
    begin = head[0] + colours * 12
    rows = bytearray()
    for top in range(begin, begin + height * line_bytes, line_bytes):
        line = frame[top : top + width * 4]
        red, green, blue = (
            (line[2::4], line[1::4], line[0::4]) if little else (line[1::4], line[2::4], line[3::4])
        )
        row = bytearray(3 * width)
        row[0::3], row[1::3], row[2::3] = red, green, blue
        rows += b"\0" + row
    body = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", body), (b"IDAT", zlib.compress(bytes(rows), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    )


def scratch(name: str) -> Path:
    """An empty folder of its own under the system's temporary one."""
    return Path(tempfile.mkdtemp(prefix=f"workbench-{name}-", dir=os.environ.get("TMPDIR")))
