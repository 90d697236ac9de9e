"""What is piped in: read up to a limit, because a pipe says nothing of its length and may never end."""

from __future__ import annotations

import sys
from typing import BinaryIO

from workbench.domain.errors import InvalidInput

MEBIBYTE = 2**20


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
