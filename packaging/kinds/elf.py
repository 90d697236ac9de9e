"""What a Linux binary says about itself: whether it is one, and which libraries it loads."""

from __future__ import annotations

import struct
from pathlib import Path

MAGIC = b"\x7fELF"
_DYNAMIC, _STRTAB, _NEEDED, _LOAD = 2, 5, 1, 1


def is_elf(path: Path) -> bool:
    """Whether the file is a binary, whatever it is called."""
    with path.open("rb") as file:
        return file.read(4) == MAGIC


def needed(path: Path) -> tuple[str, ...]:
    """The names of the libraries that it loads; none where it is no binary. 64 bits, the low byte first."""
    raw = path.read_bytes()
    if raw[:6] != MAGIC + b"\x02\x01":
        return ()
    start, size, number = struct.unpack_from("<Q", raw, 32)[0], *struct.unpack_from("<HH", raw, 54)
    heads = [struct.unpack_from("<IIQQQQ", raw, start + size * one) for one in range(number)]
    loads = [(at, offset, length) for kind, _, offset, at, _, length in heads if kind == _LOAD]
    entries = [
        struct.unpack_from("<qQ", raw, place)
        for kind, _, offset, _, _, length in heads
        if kind == _DYNAMIC
        for place in range(offset, offset + length, 16)
    ]
    names = next((value for tag, value in entries if tag == _STRTAB), None)
    if names is None:
        return ()
    base = next(names - at + offset for at, offset, length in loads if at <= names < at + length)
    return tuple(_text(raw, base + value) for tag, value in entries if tag == _NEEDED)


def _text(raw: bytes, start: int) -> str:
    return raw[start : raw.index(b"\0", start)].decode()
