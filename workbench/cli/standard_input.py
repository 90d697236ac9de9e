"""What is piped in: read up to a limit, because a pipe says nothing of its length and may never end."""

from __future__ import annotations

import os
import stat
import sys
from typing import BinaryIO

from workbench.domain.errors import InvalidInput

MEBIBYTE = 2**20
LONGEST_PIPED = 256 * MEBIBYTE
_AS_A_FILE = "save it as a file, and give that"


def read_standard_input(most_bytes: int, instead: str) -> bytes:
    """Everything on standard input; `InvalidInput` where it is closed, or longer than that."""
    if sys.stdin is None:
        raise InvalidInput("-", "standard input is closed")
    return read_up_to(sys.stdin.buffer, most_bytes, instead)


def read_up_to(stream: BinaryIO, most_bytes: int, instead: str, name: str = "-") -> bytes:
    """Everything in a stream that may be endless; what to do `instead` is said where it is too long."""
    content = stream.read(most_bytes + 1)
    if len(content) > most_bytes:
        limit = f"{most_bytes // MEBIBYTE} MiB"
        raise InvalidInput(name, f"more than {limit}: the rest was not read, and nothing was done; {instead}")
    return content


def read_named(name: str) -> bytes:
    """The file of that name, or standard input for a dash; what comes through a pipe has an end."""
    try:
        if name == "-":
            return read_standard_input(LONGEST_PIPED, _AS_A_FILE)
        with open(name, "rb") as file:
            # A pipe by its name (/dev/stdin, a shell's <(…)) is as endless as standard input.
            known = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read() if known else read_up_to(file, LONGEST_PIPED, _AS_A_FILE, name)
    except OSError as problem:
        raise InvalidInput(name, problem.strerror or type(problem).__name__) from problem
