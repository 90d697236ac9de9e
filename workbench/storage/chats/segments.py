"""Requests as they were sent, by turn: their envelopes, and segments stored once however many turns sent them."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, insert

from workbench.domain.codec import decode, encode
from workbench.domain.envelope import Envelope, Layer, WireMessage
from workbench.domain.errors import NotKept
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


def pack_envelope(connection: Connection, chat_id: str, envelope: Envelope) -> bytes:
    """A request as compressed JSON, its segments kept aside."""
    keys = iter(
        keep_segments(connection, chat_id, [one for layer in envelope.layers for one in layer.segments])
    )
    document: dict[str, Any] = {
        "layers": [
            [layer.name, steps([next(keys) for _ in layer.segments]), list(layer.tokens)]
            for layer in envelope.layers
        ],
        "messages": [[m.id, m.role, m.merged, len(m.segments)] for m in envelope.messages],
        "rest": encode(replace(envelope, layers=(), messages=())),
    }
    order = _order(envelope)
    if order is not None:
        document["order"] = steps(order)
    return zlib.compress(dump(document).encode())


def unpack_envelope(body: bytes, segments: Segments) -> Envelope:
    """The request that `pack_envelope` was given."""
    document = json.loads(zlib.decompress(body))
    layers = tuple(
        Layer(name, segments.read(sums(keys)), tuple(tokens)) for name, keys, tokens in document["layers"]
    )
    shown = _shown(layers)
    carried = iter([shown[place] for place in sums(document["order"])] if "order" in document else shown)
    wire = tuple(
        WireMessage(key, role, tuple(next(carried) for _ in range(length)), merged)
        for key, role, merged, length in document["messages"]
    )
    return replace(decode(Envelope, document["rest"]), layers=layers, messages=wire)


def _order(envelope: Envelope) -> list[int] | None:
    """At which place of the layers each segment of the messages stands; None where it is simply one after the other.

    A turn with tools says more after its question: that is sent last, but belongs to a layer before the question's.
    """
    shown = _shown(envelope.layers)
    carried = [segment for message in envelope.messages for segment in message.segments]
    if carried == shown:
        return None
    places = {segment: place for place, segment in enumerate(shown)}
    try:
        return [places[segment] for segment in carried]
    except KeyError:
        raise NotKept(
            "The layers of a request do not show what its messages carry; nothing was kept."
        ) from None


def _shown(layers: Sequence[Layer]) -> list[Segment]:
    return [one for layer in layers for one in layer.segments if one.sent and not _announces_tool(one)]


def _announces_tool(one: Segment) -> bool:
    return one.layer == "L1_SYSTEM" and one.kind == "tool"


def steps(numbers: Sequence[int]) -> list[int]:
    """Numbers as differences: those of a growing history compress to almost nothing."""
    return [number - before for number, before in zip(numbers, [0, *numbers], strict=False)]


def sums(differences: Sequence[int]) -> list[int]:
    """The numbers that `steps` was given."""
    numbers, last = [], 0
    for step in differences:
        last += step
        numbers.append(last)
    return numbers
