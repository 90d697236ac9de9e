"""Segments of the envelopes of a chat, each stored once however many turns sent it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert

from workbench.domain.codec import encode
from workbench.domain.segment import Segment
from workbench.storage.chats.contents import Texts, dump, keep_bytes
from workbench.storage.database.schema import segment

_MEMO = "segments written last"
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class _Written:
    digest: bytes
    body: str
    texts: tuple[bytes, ...]


def keep_segments(connection: Connection, chat_id: str, segments: Sequence[Segment]) -> list[int]:
    """The rows that hold these segments, in order; those that are new are made."""
    written = _all_written(connection, segments)
    known = dict(_known(connection, chat_id, list({one.digest for one in written})))
    for one in written:
        if one.digest not in known:
            known[one.digest] = _insert(connection, chat_id, one)
    return [known[one.digest] for one in written]


class Segments:
    """Segments by their row, each read once.

    Attributes:
        texts: the long strings that were read for them, for who reads more of the same turns.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection, self.texts = connection, Texts(connection)
        self._known: dict[int, Segment] = {}

    def read(self, keys: Sequence[int]) -> tuple[Segment, ...]:
        """The segments in these rows, in that order; `KeyError` where one is not there."""
        missing = sorted(set(keys) - self._known.keys())
        for some in _portions(missing):
            sql = f"SELECT id, body FROM segment WHERE id IN ({_marks(some)})"
            rows = self._connection.exec_driver_sql(sql, tuple(some)).all()
            self.texts.expect(row.body for row in rows)
            for row in rows:
                self._known[row.id] = self.texts.read(Segment, row.body)
        return tuple(self._known[key] for key in keys)


def _all_written(connection: Connection, segments: Sequence[Segment]) -> list[_Written]:
    """Most segments of a request were in the one before: of those it is remembered how they are written."""
    before: dict[Segment, _Written] = connection.info.get(_MEMO, {})
    now = {one: before.get(one) or _write(one) for one in segments}
    connection.info[_MEMO] = now
    return [now[one] for one in segments]


def _write(one: Segment) -> _Written:
    texts: list[bytes] = []

    def keep(text: str) -> str:
        texts.append(text.encode("utf-8", "surrogatepass"))
        return hashlib.sha256(texts[-1]).hexdigest()

    body = dump(encode(one, keep))
    return _Written(hashlib.sha256(body.encode()).digest(), body, tuple(texts))


def _known(connection: Connection, chat_id: str, digests: Sequence[bytes]) -> Iterator[tuple[bytes, int]]:
    for some in _portions(digests):
        sql = f"SELECT digest, id FROM segment WHERE chat = ? AND digest IN ({_marks(some)})"
        for digest, key in connection.exec_driver_sql(sql, (chat_id, *some)):
            yield bytes(digest), int(key)


def _insert(connection: Connection, chat_id: str, one: _Written) -> int:
    for text in one.texts:
        keep_bytes(connection, text)
    values = {"chat": chat_id, "digest": one.digest, "body": one.body}
    return int(connection.execute(insert(segment).values(values)).lastrowid)


def _portions(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (values[start : start + _AT_ONCE] for start in range(0, len(values), _AT_ONCE))


def _marks(values: Iterable[object]) -> str:
    return ",".join("?" for _ in values)
