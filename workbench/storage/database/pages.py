"""Decrypts single pages of an encrypted database: what SQLite refuses as a whole can be read in part."""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from workbench.domain.secrets import Secret
from workbench.storage.database.cipher import PAGE_BYTES
from workbench.storage.folder import side_files

_SALT_BYTES, _VECTOR_BYTES, _SEAL_BYTES = 16, 16, 64
USABLE_BYTES = PAGE_BYTES - _VECTOR_BYTES - _SEAL_BYTES
_MAGIC = b"SQLite format 3\0"
_LOG_HEAD, _FRAME_HEAD = 32, 24
_MEMORY = 4096
_TRIED = 64


class Pages:
    """The readable pages of a file and of its write-ahead log.

    SQLCipher encrypts each page by itself, and seals it with a key that also needs the salt in the first page. Where
    that is lost, pages are decrypted unproven: whoever reads them has to look whether they make sense.

    Attributes:
        count: how many there are, or should be. proven: whether the seal of each page can be checked.
    """

    def __init__(self, path: Path, key: Secret) -> None:
        self._stream = path.open("rb")
        self._key = key.reveal()
        self._in_file = path.stat().st_size // PAGE_BYTES
        self._log = side_files(path)[0].read_bytes() if side_files(path)[0].exists() else b""
        self._logged, logged_count = _frames(self._log)
        self.count = max(self._in_file, logged_count)
        self._seal_key: bytes | None = None
        self._seal_key = next(filter(self._fits, _hmac_keys(self._key, self._raw(1)[:_SALT_BYTES])), None)
        self.proven = self._seal_key is not None
        self.read = lru_cache(_MEMORY)(self._read)
        first = self.read(1)
        if first is not None and self.proven:
            self.count = max(self.count, int.from_bytes(first[28:32], "big"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def _read(self, number: int) -> bytes | None:
        """A decrypted page; None if it is missing or its HMAC is wrong."""
        raw = self._raw(number)
        if (
            len(raw) < PAGE_BYTES
            or not any(raw)
            or (self._seal_key and not self._has_valid_hmac(number, self._seal_key))
        ):
            return None
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        vector, begin = raw[USABLE_BYTES : USABLE_BYTES + _VECTOR_BYTES], _begin(number)
        decryptor = Cipher(algorithms.AES(self._key), modes.CBC(vector)).decryptor()
        plain = decryptor.update(raw[begin:USABLE_BYTES])
        return _MAGIC + plain if begin else plain

    def _raw(self, number: int) -> bytes:
        at = self._logged.get(number)
        if at is not None:
            return self._log[at : at + PAGE_BYTES]
        if not 1 <= number <= self._in_file:
            return b""
        self._stream.seek((number - 1) * PAGE_BYTES)
        return self._stream.read(PAGE_BYTES)

    def _has_valid_hmac(self, number: int, seal_key: bytes) -> bool:
        raw = self._raw(number)
        told = raw[_begin(number) : -_SEAL_BYTES] + number.to_bytes(4, "little")
        return hmac.compare_digest(hmac.digest(seal_key, told, "sha512"), raw[-_SEAL_BYTES:])

    def _fits(self, seal_key: bytes) -> bool:
        """Whether an HMAC key belongs to the file: it verifies one of the first pages."""
        return any(self._has_valid_hmac(number, seal_key) for number in range(1, min(self.count, _TRIED) + 1))


def _begin(number: int) -> int:
    return _SALT_BYTES if number == 1 else 0


def _hmac_keys(key: bytes, salt: bytes) -> Iterator[bytes]:
    """HMAC keys for the stored salt, and for all salts that differ from it in one bit."""
    number = int.from_bytes(salt, "big")
    for salted in (number, *(number ^ 1 << bit for bit in range(8 * _SALT_BYTES))):
        masked = bytes(one ^ 0x3A for one in salted.to_bytes(_SALT_BYTES, "big"))
        yield hashlib.pbkdf2_hmac("sha512", key, masked, 2, len(key))


def _frames(log: bytes) -> tuple[dict[int, int], int]:
    """Positions of the newest version of each page in a log, up to its last commit; and the number of pages then."""
    salts, step = log[16:24], _FRAME_HEAD + PAGE_BYTES
    found: dict[int, int] = {}
    newest: dict[int, int] = {}
    count = 0
    for at in range(_LOG_HEAD, len(log) - step + 1, step):
        number, pages = (int.from_bytes(log[at + skip : at + skip + 4], "big") for skip in (0, 4))
        if log[at + 8 : at + 16] != salts:  # left over from before the log was begun again
            break
        newest[number] = at + _FRAME_HEAD
        if pages:
            found, count = found | newest, pages
    return found, count


# SQLite's file format: the cells of a page, the pages below it, and the values of a record.


Value = Any
Row = tuple[Value, ...]
Gap = tuple[int, int]
"""Row numbers: more than the first, up to the second."""
TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER = 0x0D, 0x05, 0x0A, 0x02
LEAVES, INNER = (TABLE_LEAF, INDEX_LEAF), (TABLE_INNER, INDEX_INNER)
MISSING = object()
"""A value that was on a page that is lost."""
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


class Unsound(Exception):
    """Raised for an invalid b-tree page or cell."""


ODD = (Unsound, IndexError, UnicodeDecodeError)
"""What is raised over bytes that are no page, no cell or no record."""


def head_of(number: int) -> int:
    """Offset of the page header: the first page has the file header before it."""
    return 100 if number == 1 else 0


def cells_of(page: bytes, head: int) -> list[int]:
    """Offsets of the cells of a page, without deleted ones."""
    count = int.from_bytes(page[head + 3 : head + 5], "big")
    first = head + (12 if page[head] in INNER else 8)
    places = [int.from_bytes(page[at : at + 2], "big") for at in range(first, first + 2 * count, 2)]
    if any(not first + 2 * count <= at < USABLE_BYTES for at in places):
        raise Unsound
    return places


def pages_below(page: bytes, number: int, reach: Gap) -> Iterator[tuple[int, Gap]]:
    """Child pages of a page, each with the range of row numbers it may hold."""
    head = head_of(number)
    low, high = reach
    for at in cells_of(page, head):
        last = varint(page, at + 4)[0] if page[head] == TABLE_INNER else high
        last -= 1 << 64 if page[head] == TABLE_INNER and last >> 63 else 0
        yield int.from_bytes(page[at : at + 4], "big"), (low, last)
        low = last if page[head] == TABLE_INNER else low
    yield int.from_bytes(page[head + 8 : head + 12], "big"), (low, high)


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Decode a varint of one to nine bytes; returns the number and where it ends."""
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def values_of(payload: bytes, size: int) -> Iterator[Value]:
    """The values of a record; `MISSING` for incomplete ones."""
    end, at = varint(payload, 0)
    if end > min(size, len(payload)):
        raise Unsound
    kinds = []
    while at < end:
        kind, at = varint(payload, at)
        kinds.append(kind)
    for kind in kinds:
        length = _length(kind)
        there = payload[at : at + length]
        at += length
        if at > size:
            raise Unsound
        yield _value(kind, there) if len(there) == length else MISSING


def _length(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    return 8 if kind == 7 else _INTEGERS.get(kind, 0)


def _value(kind: int, data: bytes) -> Value:
    if kind >= 12:
        return data if kind % 2 == 0 else data.decode()
    if kind == 7:
        return struct.unpack(">d", data)[0]
    if kind in _INTEGERS:
        return int.from_bytes(data, "big", signed=True)
    return {8: 0, 9: 1}.get(kind)
