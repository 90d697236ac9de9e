"""Turns with the envelope they sent: segments kept once, layers as lists of them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, text, update

from workbench.domain.change import Built
from workbench.domain.codec import decode, encode
from workbench.domain.envelope import Envelope, Layer, WireMessage
from workbench.domain.errors import NotKept
from workbench.domain.message import Entry, Message
from workbench.domain.record import Record, Standing, TurnRecord
from workbench.domain.segment import Segment
from workbench.domain.turn import TurnInputs
from workbench.storage import messages
from workbench.storage.contents import Texts, dump
from workbench.storage.schema import message, turn
from workbench.storage.segments import Segments, keep_segments

_LAST = text(
    """WITH RECURSIVE branch(sequence, parent, hidden) AS (
         SELECT sequence, parent, deleted_utc IS NOT NULL FROM message WHERE chat = :chat AND id = :leaf
         UNION ALL
         SELECT m.sequence, m.parent, m.deleted_utc IS NOT NULL
         FROM message m JOIN branch ON m.sequence = branch.parent)
       SELECT id FROM turn WHERE chat = :chat AND (coalesce(question, parent) IS NULL
         OR coalesce(question, parent) IN (SELECT sequence FROM branch WHERE NOT hidden))
       ORDER BY id DESC LIMIT 1"""
)


def begin(connection: Connection, record: TurnRecord) -> None:
    """Keep a turn whose question is in the store already."""
    texts = Texts(connection)
    connection.execute(
        insert(turn).values(
            chat=record.chat,
            parent=_place(connection, record.chat, record.parent),
            question=_place(connection, record.chat, record.question),
            number=record.number,
            # History is the path to the question, and the question is a message: neither is kept twice.
            inputs=texts.pack(replace(record.built.inputs, history=(), question=None)),
            envelope=_pack_envelope(connection, record.chat, record.built.envelope),
            standing=texts.pack(record.after),
            started_utc=record.started_utc,
            **_ending(record),
        )
    )


def finish(connection: Connection, record: TurnRecord) -> None:
    """Keep how a turn ended, and what the next one starts from."""
    question = _place(connection, record.chat, record.question)
    values = {**_ending(record), "standing": Texts(connection).pack(record.after)}
    if connection.execute(update(turn).where(turn.c.question == question).values(values)).rowcount != 1:
        raise NotKept(f"The question {record.question!r} has no turn to finish.")


def interrupt_running(connection: Connection) -> None:
    """Turns whose writer ended before they did."""
    connection.execute(update(turn).where(turn.c.state == "running").values(state="interrupted"))


def of_question(connection: Connection, chat_id: str, question: str) -> TurnRecord | None:
    """The turn that a question opened."""
    sequence = messages.sequence_of(connection, chat_id, question)
    row = connection.execute(_rows().where(turn.c.question == sequence)).first()
    return None if row is None else _as_turn(connection, row)


def last_on_branch(connection: Connection, chat_id: str, leaf: str | None) -> TurnRecord | None:
    """The newest turn whose question, or whose place where nothing was asked, is on the branch."""
    leaf = messages.leaf_of(connection, chat_id, leaf)
    found = connection.execute(_LAST, {"chat": chat_id, "leaf": leaf}).scalar()
    return None if found is None else by_number(connection, found)


def by_number(connection: Connection, row_id: int) -> TurnRecord:
    """The turn in that row."""
    return _as_turn(connection, connection.execute(_rows().where(turn.c.id == row_id)).one())


def of_chat(connection: Connection, chat_id: str) -> tuple[TurnRecord, ...]:
    """All turns of a chat, in the order they were begun."""
    rows = connection.execute(_rows().where(turn.c.chat == chat_id)).all()
    # Turns share almost everything they are made of: each message and segment is read once for all of them.
    tree, segments = _Tree(messages.everything(connection, chat_id)) if rows else None, Segments(connection)
    return tuple(_as_turn(connection, row, tree, segments) for row in rows)


class _Tree:
    """All messages of a chat, for reading many branches of it."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = {record.id: record for record in records}

    def path(self, leaf: str | None) -> tuple[Entry, ...]:
        entries = []
        while leaf is not None:
            record = self._records[leaf]
            if record.deleted_utc is None:
                entries.append(record.entry)
            leaf = record.parent
        return tuple(reversed(entries))

    def entry(self, key: str) -> Entry:
        return self._records[key].entry


def _ending(record: TurnRecord) -> dict[str, Any]:
    usage = None if record.usage is None else dump(record.usage)
    return {"state": record.state, "usage": usage, "finished_utc": record.finished_utc}


def _place(connection: Connection, chat_id: str, message_id: str | None) -> int | None:
    return None if message_id is None else messages.sequence_of(connection, chat_id, message_id)


def _rows() -> Select[Any]:
    before = message.alias("before")
    return (
        select(turn, message.c.id.label("question_id"), before.c.id.label("parent_id"))
        .outerjoin(message, message.c.sequence == turn.c.question)
        .outerjoin(before, before.c.sequence == turn.c.parent)
        .order_by(turn.c.id)
    )


def _as_turn(
    connection: Connection, row: Row[Any], tree: _Tree | None = None, segments: Segments | None = None
) -> TurnRecord:
    texts = Texts(connection)
    if tree is None:
        tree = _Tree(messages.up_to(connection, row.chat, (row.question_id, row.parent_id)))
    question = None if row.question_id is None else tree.entry(row.question_id)
    inputs = replace(
        texts.unpack(TurnInputs, row.inputs),
        history=tree.path(row.parent_id),
        question=question if isinstance(question, Message) else None,
    )
    return TurnRecord(
        chat=row.chat,
        number=row.number,
        parent=row.parent_id,
        question=row.question_id,
        built=Built(inputs, _unpack_envelope(row.envelope, segments or Segments(connection))),
        after=texts.unpack(Standing, row.standing),
        started_utc=row.started_utc,
        state=row.state,
        usage=None if row.usage is None else json.loads(row.usage),
        finished_utc=row.finished_utc,
    )


def _pack_envelope(connection: Connection, chat_id: str, envelope: Envelope) -> bytes:
    keys = iter(
        keep_segments(connection, chat_id, [one for layer in envelope.layers for one in layer.segments])
    )
    layers = [
        [layer.name, _steps([next(keys) for _ in layer.segments]), list(layer.tokens)]
        for layer in envelope.layers
    ]
    shapes = [[m.id, m.role, m.merged, len(m.segments)] for m in envelope.messages]
    rest = encode(replace(envelope, layers=(), messages=()))
    return zlib.compress(dump({"layers": layers, "messages": shapes, "rest": rest}).encode())


def _unpack_envelope(body: bytes, segments: Segments) -> Envelope:
    document = json.loads(zlib.decompress(body))
    layers = tuple(
        Layer(name, segments.read(_sums(steps)), tuple(tokens)) for name, steps, tokens in document["layers"]
    )
    sent = iter([s for layer in layers for s in layer.segments if s.sent and not _announces_tool(s)])
    shapes = document["messages"]
    wire = tuple(
        WireMessage(i, role, tuple(next(sent) for _ in range(n)), merged) for i, role, merged, n in shapes
    )
    return replace(decode(Envelope, document["rest"]), layers=layers, messages=wire)


def _announces_tool(one: Segment) -> bool:
    return one.layer == "L1_SYSTEM" and one.kind == "tool"


def _steps(keys: list[int]) -> list[int]:
    """Row numbers as differences: those of a growing history compress to almost nothing."""
    return [key - before for key, before in zip(keys, [0, *keys], strict=False)]


def _sums(steps: list[int]) -> list[int]:
    keys, last = [], 0
    for step in steps:
        last += step
        keys.append(last)
    return keys
