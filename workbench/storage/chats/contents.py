"""Text and bytes kept once by their digest, however often they are used."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, select

from workbench.domain.codec import decode, encode
from workbench.storage.database.schema import content

T = TypeVar("T")
PURGED = "[purged]"

_REFERENCE = re.compile(r'"\\u00a7":"([0-9a-f]{64})"')
_AT_ONCE = 500
_SHORTEST = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))


def keep_all(connection: Connection, bodies: Sequence[bytes]) -> list[int]:
    """The rows that hold these bytes, in order; those that are new are made, all at once."""
    digests = [hashlib.sha256(body).digest() for body in bodies]
    known = _rows_of(connection, list(dict.fromkeys(digests)))
    new = {digest: body for digest, body in zip(digests, bodies, strict=True) if digest not in known}
    if new:
        # There is one writer, and it is in a transaction: nobody else can take these numbers.
        last = connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM content").scalar_one()
        known |= {digest: number for number, digest in enumerate(new, last + 1)}
        rows = [(known[digest], digest, body) for digest, body in new.items()]
        connection.exec_driver_sql("INSERT INTO content (id, digest, body) VALUES (?, ?, ?)", rows)
    return [known[digest] for digest in digests]


def _rows_of(connection: Connection, digests: Sequence[bytes]) -> dict[bytes, int]:
    known: dict[bytes, int] = {}
    for start in range(0, len(digests), _AT_ONCE):
        some = digests[start : start + _AT_ONCE]
        sql = f"SELECT digest, id FROM content WHERE digest IN ({','.join('?' * len(some))})"
        known |= {bytes(digest): number for digest, number in connection.exec_driver_sql(sql, tuple(some))}
    return known


def keep_bytes(connection: Connection, body: bytes) -> int:
    """The row that holds these bytes; made if there is none."""
    return keep_all(connection, (body,))[0]


def keep_text(connection: Connection, text: str) -> int:
    """The row that holds this text."""
    return keep_bytes(connection, as_bytes(text))


def as_bytes(text: str) -> bytes:
    """Text as it is kept."""
    return text.encode("utf-8", "surrogatepass")


class Texts:
    """Long strings of a value, moved to the content table while it is written, and found there when it is read."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._found: dict[str, str] = {}

    def pack(self, value: object) -> bytes:
        """A value as compressed JSON, its long strings kept aside."""
        return zlib.compress(self.write(value).encode())

    def unpack(self, kind: type[T], body: bytes) -> T:
        return self.read(kind, zlib.decompress(body).decode())

    def write(self, value: object) -> str:
        return dump(encode(value, self._keep))

    def read(self, kind: type[T], document: str) -> T:
        """The value that `write` was given; text that was purged since is marked so."""
        return decode(kind, json.loads(document), self._find)

    def expect(self, documents: Iterable[str]) -> None:
        """Read the long strings of these documents together, which is quicker than one by one."""
        wanted = {digest for document in documents for digest in referred(document)} - self._found.keys()
        some = sorted(wanted)
        for start in range(0, len(some), _AT_ONCE):
            digests = [bytes.fromhex(digest) for digest in some[start : start + _AT_ONCE]]
            sql = f"SELECT digest, body FROM content WHERE digest IN ({','.join('?' for _ in digests)})"
            for digest, body in self._connection.exec_driver_sql(sql, tuple(digests)):
                self._found[digest.hex()] = read_text(body)

    def _keep(self, text: str) -> str:
        keep_text(self._connection, text)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _find(self, digest: str) -> str:
        if digest not in self._found:
            where = content.c.digest == bytes.fromhex(digest)
            body = self._connection.execute(select(content.c.body).where(where)).scalar()
            self._found[digest] = PURGED if body is None else read_text(body)
        return self._found[digest]


def referred(document: str) -> list[str]:
    """The digests of the long strings that a document was written without."""
    return _REFERENCE.findall(document)


def read_text(body: bytes) -> str:
    """Text as it was kept."""
    return body.decode("utf-8", "surrogatepass")


def dump(document: Any) -> str:
    """JSON in its shortest form, the same for the same value."""
    return _SHORTEST.encode(document)
