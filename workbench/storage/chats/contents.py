"""Content-addressed text and bytes: stored once by digest, however often they are used."""

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
    """Row ids of these bytes, in order; new ones are inserted together."""
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
    """Row id of these bytes, inserted if new."""
    return keep_all(connection, (body,))[0]


def keep_text(connection: Connection, text: str) -> int:
    """Row id of this text, inserted if new."""
    return keep_bytes(connection, as_bytes(text))


def as_bytes(text: str) -> bytes:
    """Text as it is stored."""
    return text.encode("utf-8", "surrogatepass")


class Texts:
    """Moves long strings of a value to the content table on writing, and back on reading."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._found: dict[str, str] = {}

    def pack(self, value: object) -> bytes:
        """A value as compressed JSON, with its long strings stored separately."""
        return zlib.compress(self.write(value).encode())

    def unpack(self, kind: type[T], body: bytes) -> T:
        return self.read(kind, zlib.decompress(body).decode())

    def write(self, value: object) -> str:
        return dump(encode(value, self._keep))

    def read(self, kind: type[T], document: str) -> T:
        """Inverse of `write`; purged text is replaced by a placeholder."""
        return decode(kind, json.loads(document), self._find)

    def expect(self, documents: Iterable[str]) -> None:
        """Prefetch the long strings of these documents in one query."""
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
    """Digests of the long strings that a document refers to."""
    return _REFERENCE.findall(document)


def read_text(body: bytes) -> str:
    """Decode stored text."""
    return body.decode("utf-8", "surrogatepass")


def dump(document: Any) -> str:
    """Compact, canonical JSON."""
    return _SHORTEST.encode(document)
