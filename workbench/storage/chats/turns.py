"""Turns: each request as it was last sent, how it ended, and which answer it led to."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, insert, or_, select, text, update

from workbench.domain.change import Built
from workbench.domain.codec import decode, encode
from workbench.domain.envelope import Envelope, Layer, WireMessage
from workbench.domain.errors import NotKept
from workbench.domain.message import Entry, Message, Role
from workbench.domain.record import IMPORTED, NewestTurns, Record, Standing, TurnRecord, branch_history
from workbench.domain.segment import Segment
from workbench.domain.translation import tr
from workbench.domain.turn import TurnInputs
from workbench.domain.watch.request import WatchedSize
from workbench.storage.chats import chats, messages
from workbench.storage.chats.contents import Texts, dump, keep_bytes, referred
from workbench.storage.database.schema import message, segment, turn

# Requests as they were sent, by turn: their envelopes, and segments stored once however many turns sent them.


_LAST_DIGESTS = "digests of the segments that were kept last"


@dataclass(frozen=True, slots=True)
class _Written:
    digest: bytes
    body: str
    texts: tuple[bytes, ...]


def keep_segments(connection: Connection, chat_id: str, segments: Sequence[Segment]) -> list[int]:
    """Rows of these segments, in order; new ones are inserted.

    The digests of the last request's are kept, since most segments were in it; what is written of them is not: texts
    and documents of all were another copy of the chat.
    """
    before = _last_digests(connection)[1]
    digests: dict[Segment, bytes] = {}
    new: dict[Segment, _Written] = {}
    order: list[bytes] = []
    for one in segments:
        digest = before.get(one)
        if digest is None:
            new[one] = _write(one)
            digest = new[one].digest
        digests[one] = digest
        order.append(digest)
    connection.info[_LAST_DIGESTS] = (chat_id, digests)
    known = dict(_known(connection, chat_id, list(set(order))))
    for one, digest in digests.items():
        if digest not in known:
            known[digest] = _insert(connection, chat_id, new.get(one) or _write(one))
    return [known[digest] for digest in order]


def _last_digests(connection: Connection) -> tuple[str, dict[Segment, bytes]]:
    found: tuple[str, dict[Segment, bytes]] = connection.info.get(_LAST_DIGESTS, ("", {}))
    return found


class Segments:
    """Segments by row, each read once.

    Attributes:
        texts: the long strings that were read for them, for who reads more of the same turns.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection, self.texts = connection, Texts(connection)
        self._known: dict[int, Segment] = {}
        self._messages: dict[tuple[object, ...], WireMessage] = {}

    def read(self, keys: Sequence[int]) -> tuple[Segment, ...]:
        """The segments in these rows, in that order; `KeyError` if one is missing."""
        missing = sorted(set(keys) - self._known.keys())
        for some in _portions(missing):
            sql = f"SELECT id, body FROM segment WHERE id IN ({_marks(some)})"
            rows = self._connection.exec_driver_sql(sql, tuple(some)).all()
            self.texts.expect(row.body for row in rows)
            for row in rows:
                self._known[row.id] = self.texts.read(Segment, row.body)
        return tuple(self._known[key] for key in keys)

    def message(
        self, key: str | None, role: Role, segments: tuple[Segment, ...], merged: bool
    ) -> WireMessage:
        """A message of a request; the same value where several requests carry it."""
        key = segments[0].id if key is None else key
        which = (key, role, merged, *map(id, segments))
        if which not in self._messages:
            self._messages[which] = WireMessage(key, role, segments, merged)
        return self._messages[which]


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
    for content in one.texts:
        keep_bytes(connection, content)
    values = {"chat": chat_id, "digest": one.digest, "body": one.body}
    return int(connection.execute(insert(segment).values(values)).lastrowid)


def _portions(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (values[start : start + _AT_ONCE] for start in range(0, len(values), _AT_ONCE))


def _marks(values: Iterable[object]) -> str:
    return ",".join("?" for _ in values)


def pack_envelope(connection: Connection, chat_id: str, envelope: Envelope) -> bytes:
    """A request as compressed JSON, with its segments stored separately."""
    keys = iter(
        keep_segments(connection, chat_id, [one for layer in envelope.layers for one in layer.segments])
    )
    document: dict[str, Any] = {
        "layers": [
            [layer.name, steps([next(keys) for _ in layer.segments]), list(layer.tokens)]
            for layer in envelope.layers
        ],
        "messages": [[_own_id(m), m.role, m.merged, len(m.segments)] for m in envelope.messages],
        "rest": encode(replace(envelope, layers=(), messages=())),
    }
    order = _order(envelope)
    if order is not None:
        document["order"] = steps(order)
    if trimmed := _trimmed(envelope):
        document["trimmed"] = steps(trimmed)
        document["rest"]["cuts"]["trimmed_messages"] = []
    return zlib.compress(dump(document).encode())


def unpack_envelope(body: bytes, segments: Segments) -> Envelope:
    """Inverse of `pack_envelope`."""
    document = json.loads(zlib.decompress(body))
    layers = tuple(
        Layer(name, segments.read(sums(keys)), tuple(tokens)) for name, keys, tokens in document["layers"]
    )
    shown = _shown(layers)
    carried = iter([shown[place] for place in sums(document["order"])] if "order" in document else shown)
    wire = tuple(
        segments.message(key, role, tuple(next(carried) for _ in range(length)), merged)
        for key, role, merged, length in document["messages"]
    )
    found = replace(decode(Envelope, document["rest"]), layers=layers, messages=wire)
    if "trimmed" not in document:
        return found
    ids = [one.id for layer in layers for one in layer.segments]
    trimmed = tuple(ids[place] for place in sums(document["trimmed"]))
    return replace(found, cuts=replace(found.cuts, trimmed_messages=trimmed))


def _own_id(message: WireMessage) -> str | None:
    """The id of a message; None where it is that of its first segment, which says it once for all requests."""
    segments = message.segments
    return None if segments and segments[0].id == message.id else message.id


def _trimmed(envelope: Envelope) -> list[int]:
    """Where the segments of trimmed messages are; empty where some aren't among them: then their ids are kept."""
    ids = [one.id for layer in envelope.layers for one in layer.segments]
    places = dict(zip(reversed(ids), range(len(ids) - 1, -1, -1), strict=True))
    found = [places.get(key, -1) for key in envelope.cuts.trimmed_messages]
    return [] if -1 in found else found


def _order(envelope: Envelope) -> list[int] | None:
    """Position in the layers of each segment of the messages; None if the order is the same.

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
            tr("The layers of a request do not show what its messages carry; nothing was kept.")
        ) from None


def _shown(layers: Sequence[Layer]) -> list[Segment]:
    return [one for layer in layers for one in layer.segments if one.sent and not _announces_tool(one)]


def _announces_tool(one: Segment) -> bool:
    return one.layer == "L1_SYSTEM" and one.kind == "tool"


def steps(numbers: Sequence[int]) -> list[int]:
    """Delta-encode numbers: those of a growing history compress to almost nothing."""
    return [number - before for number, before in zip(numbers, [0, *numbers], strict=False)]


def sums(differences: Sequence[int]) -> list[int]:
    """Inverse of `steps`."""
    numbers, last = [], 0
    for step in differences:
        last += step
        numbers.append(last)
    return numbers


_MEMO = "request written last"
# Deleted messages are no longer asked about, but still show which of several answers a branch follows.
_LAST = text(
    """WITH RECURSIVE branch(sequence, parent, hidden) AS (
         SELECT sequence, parent, deleted_utc IS NOT NULL FROM message WHERE chat = :chat AND id = :leaf
         UNION ALL
         SELECT m.sequence, m.parent, m.deleted_utc IS NOT NULL
         FROM message m JOIN branch ON m.sequence = branch.parent)
       SELECT id FROM turn WHERE chat = :chat AND (coalesce(question, parent) IS NULL
         OR coalesce(question, parent) IN (SELECT sequence FROM branch WHERE NOT hidden))
         AND (reply IS NULL OR reply IN (SELECT sequence FROM branch))
       ORDER BY id DESC LIMIT 1"""
)
# What is no JSON, such as NaN, no turn of ours has noted.
_SENT_HERE = text(f"CASE WHEN json_valid(usage) THEN json_extract(usage, '$.{IMPORTED}') IS NULL ELSE 0 END")
_NOTE_REPLY = text(
    """UPDATE turn SET reply = (SELECT sequence FROM message WHERE chat = :chat AND id = :id)
       WHERE state = 'running' AND reply IS NULL
       AND question = (SELECT sequence FROM message WHERE chat = :chat AND id = :parent)"""
)


def _all_rows() -> Select[Any]:
    asked, before, answer = message.alias("asked"), message.alias("before"), message.alias("answer")
    ids = (asked.c.id.label("question_id"), before.c.id.label("parent_id"), answer.c.id.label("reply_id"))
    return (
        select(turn, *ids)
        .outerjoin(asked, asked.c.sequence == turn.c.question)
        .outerjoin(before, before.c.sequence == turn.c.parent)
        .outerjoin(answer, answer.c.sequence == turn.c.reply)
        .order_by(turn.c.id)
    )


# Put together once: with its three other names of the table, that took as long as asking.
_ROWS = _all_rows()
# Stopped without a word, a request may never have been read: no cache is counted on for it.
_ARRIVED = (turn.c.state != "failed") & or_(turn.c.state != "stopped", turn.c.reply.is_not(None))
_MINE = _ROWS.where(turn.c.chat == bindparam("chat_id"), turn.c.question.is_not(None), _ARRIVED)
_NEWEST = _MINE.order_by(None).order_by(turn.c.id.desc()).limit(bindparam("most"))


def begin(connection: Connection, record: TurnRecord) -> None:
    """Store a new turn whose question is stored already."""
    places = {
        "chat": record.chat,
        "parent": _place(connection, record.chat, record.parent),
        "question": _place(connection, record.chat, record.question),
        "number": record.number,
        "started_utc": record.started_utc,
    }
    values = {**places, **_request(connection, record), **_mutable_columns(connection, record)}
    made = connection.execute(insert(turn).values(values))
    connection.info[_MEMO] = (made.lastrowid, record.built)


def begin_again(connection: Connection, record: TurnRecord) -> None:
    """Store another turn of a question, unless it is being answered."""
    if _running(connection, record) is not None:
        raise NotKept(
            tr(
                "The question {question!r} is being answered; stop that, or wait for it.",
                question=record.question,
            )
        )
    begin(connection, record)


def finish(connection: Connection, record: TurnRecord, first_reply: str | None = None) -> None:
    """Store how the running turn of a question ended, and the request as it was last sent."""
    running = _running(connection, record)
    if running is None:
        raise NotKept(
            tr("The question {question!r} has no running turn to finish.", question=record.question)
        )
    values = _mutable_columns(connection, record)
    # Where the answer began earlier, that was noted then.
    values["reply"] = values["reply"] or running.reply or _place(connection, record.chat, first_reply)
    if not _is_unchanged(connection, running.id, record.built):
        values |= _request(connection, record)
    connection.execute(update(turn).where(turn.c.id == running.id).values(values))
    connection.info.pop(_MEMO, None)  # a whole request, which nobody asks for again


def note_replies(connection: Connection, records: Sequence[Record]) -> None:
    """Record the first answering message as the reply of a running turn, in case it ends abruptly."""
    new = {(record.chat, record.id) for record in records}
    for record in records:
        said = isinstance(record.entry, Message) and record.entry.role == "assistant"
        if said and record.parent is not None and (record.chat, record.parent) not in new:
            values = {"chat": record.chat, "parent": record.parent, "id": record.id}
            connection.execute(_NOTE_REPLY, values)


def interrupt_running(connection: Connection) -> None:
    """Mark turns as interrupted whose writer ended before they did."""
    connection.execute(update(turn).where(turn.c.state == "running").values(state="interrupted"))


def of_question(
    connection: Connection, chat_id: str, question: str, reply: str | None = None
) -> TurnRecord | None:
    """The newest turn of a question, or the one whose answer begins with a given message."""
    row = _row_of(connection, chat_id, question, reply)
    return None if row is None else _as_turn(connection, row)


def _row_of(connection: Connection, chat_id: str, question: str, reply: str | None) -> Row[Any] | None:
    sequence = messages.sequence_of(connection, chat_id, question)
    newest = _ROWS.where(turn.c.question == sequence).order_by(None).order_by(turn.c.id.desc())
    if reply is not None:
        newest = newest.where(turn.c.reply == messages.sequence_of(connection, chat_id, reply))
    return connection.execute(newest.limit(1)).first()


def inputs_of(
    connection: Connection, chat_id: str, some: Sequence[tuple[str, str | None]]
) -> tuple[TurnInputs, ...]:
    """Inputs of turns, without history and question; the newest if several have no reply."""
    texts, bodies = Texts(connection), []
    for question, reply in some:
        asked = messages.sequence_of(connection, chat_id, question)
        answer = None if reply is None else messages.sequence_of(connection, chat_id, reply)
        which = turn.c.reply.is_(None) if answer is None else turn.c.reply == answer
        query = select(turn.c.inputs).where(turn.c.question == asked, which).order_by(turn.c.id.desc())
        body = connection.execute(query.limit(1)).scalar()
        if body is None:
            raise NotKept(tr("The question {question!r} has no such turn any more.", question=question))
        bodies.append(zlib.decompress(body).decode())
    texts.expect(bodies)
    return tuple(texts.read(TurnInputs, body) for body in bodies)


def recent_notes(connection: Connection, number: int, before: int | None) -> tuple[tuple[int, Any], ...]:
    """Notes of the newest turns of all chats that were sent here, newest first."""
    query = select(turn.c.id, turn.c.usage).where(_SENT_HERE, turn.c.state != "running")
    if before is not None:
        query = query.where(turn.c.id < before)
    rows = connection.execute(query.order_by(turn.c.id.desc()).limit(number))
    return tuple((row.id, json.loads(row.usage)) for row in rows)


def last_on_branch(connection: Connection, chat_id: str, leaf: str | None) -> TurnRecord | None:
    """The newest turn whose question (or position, if nothing was asked) and answer are on the branch."""
    found = _last_row(connection, chat_id, leaf)
    return None if found is None else by_number(connection, found)


def _last_row(connection: Connection, chat_id: str, leaf: str | None) -> int | None:
    leaf = messages.leaf_of(connection, chat_id, leaf)
    found: int | None = connection.execute(_LAST, {"chat": chat_id, "leaf": leaf}).scalar()
    return found


def by_number(connection: Connection, row_id: int) -> TurnRecord:
    """The turn in that row."""
    return _as_turn(connection, connection.execute(_ROWS.where(turn.c.id == row_id)).one())


def of_chat(
    connection: Connection,
    chat_id: str,
    some: Sequence[tuple[str, str | None]] | None = None,
    path: Sequence[Record] = (),
) -> tuple[TurnRecord, ...]:
    """All turns of a chat, in the order they were started, or those of some questions and replies that are kept.

    They share almost everything they are made of: each message and segment is read once for all of them, and those on
    `path` not at all.
    """
    if some is None:
        rows = list(connection.execute(_ROWS.where(turn.c.chat == chat_id)))
        records = messages.everything(connection, chat_id) if rows else ()
    else:
        rows = []
        for question, reply in some:
            with suppress(NotKept):
                rows += filter(None, (_row_of(connection, chat_id, question, reply),))
        records = messages.up_to(connection, chat_id, _ends(rows), path)
    tree, segments = _Tree(records), Segments(connection)
    return tuple(_as_turn(connection, row, tree, segments) for row in rows)


def newest(
    connection: Connection,
    chat_id: str,
    number: int,
    leaf: str | None = None,
    path: Sequence[Record] = (),
) -> NewestTurns:
    """The last turns started in a chat, in order, and the last one on a branch; `path` is not read again."""
    if _last_digests(connection)[0] != chat_id:
        connection.info.pop(_LAST_DIGESTS, None)  # of a chat that was closed: all of it stays with them
    rows = connection.execute(_NEWEST, {"chat_id": chat_id, "most": number}).all()[::-1]
    on_branch = _last_row(connection, chat_id, leaf)
    wanted = {row.id: row for row in rows}
    if on_branch is not None and on_branch not in wanted:
        wanted[on_branch] = connection.execute(_ROWS.where(turn.c.id == on_branch)).one()
    tree = _Tree(messages.up_to(connection, chat_id, _ends([*wanted.values()]), path))
    segments = Segments(connection)
    found = {key: _as_turn(connection, row, tree, segments) for key, row in wanted.items()}
    return NewestTurns(None if on_branch is None else found[on_branch], tuple(found[row.id] for row in rows))


def _ends(rows: Sequence[Row[Any]]) -> list[str | None]:
    """Where turns hang; the way to the newest one is, as a rule, the way to all of them."""
    return [key for row in sorted(rows, key=lambda row: -row.id) for key in (row.question_id, row.parent_id)]


class _Tree:
    """All messages of a chat, for reading many branches of it."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = {record.id: record for record in records}

    def path(self, leaf: str | None) -> tuple[Entry, ...]:
        path = []
        while leaf is not None:
            record = self._records[leaf]
            if record.deleted_utc is None:
                path.append(record)
            leaf = record.parent
        return branch_history(reversed(path))

    def entry(self, key: str) -> Entry:
        return self._records[key].entry


def _running(connection: Connection, record: TurnRecord) -> Row[Any] | None:
    if record.question is None:
        return None
    question = messages.sequence_of(connection, record.chat, record.question)
    query: Select[Any] = select(turn.c.id, turn.c.reply)
    return connection.execute(query.where(turn.c.question == question, turn.c.state == "running")).first()


def _request(connection: Connection, record: TurnRecord) -> dict[str, Any]:
    # History is the path to the question, and the question is a message: neither is kept twice.
    inputs = replace(record.built.inputs, history=(), question=None)
    return {
        "inputs": Texts(connection).pack(inputs),
        "envelope": pack_envelope(connection, record.chat, record.built.envelope),
    }


def _is_unchanged(connection: Connection, row_id: int, built: Built) -> bool:
    """Whether the stored request is the same: most turns make one, which is not written again at the end."""
    written: tuple[int, Built] | None = connection.info.get(_MEMO)
    return written is not None and written[0] == row_id and written[1] is built


def _mutable_columns(connection: Connection, record: TurnRecord) -> dict[str, Any]:
    """Columns that may change between the start of a turn and its end, besides the request."""
    return {
        "reply": _place(connection, record.chat, record.reply),
        "standing": Texts(connection).pack(record.after),
        "state": record.state,
        "usage": None if record.usage is None else dump(record.usage),
        "finished_utc": record.finished_utc,
    }


def _place(connection: Connection, chat_id: str, message_id: str | None) -> int | None:
    return None if message_id is None else messages.sequence_of(connection, chat_id, message_id)


def _as_turn(
    connection: Connection, row: Row[Any], tree: _Tree | None = None, segments: Segments | None = None
) -> TurnRecord:
    segments = segments or Segments(connection)
    texts = segments.texts
    inputs, standing = (zlib.decompress(body).decode() for body in (row.inputs, row.standing))
    texts.expect((inputs, standing))
    if tree is None:
        tree = _Tree(messages.up_to(connection, row.chat, (row.question_id, row.parent_id)))
    question = None if row.question_id is None else tree.entry(row.question_id)
    built_from = texts.read(TurnInputs, inputs)
    complete = replace(
        built_from,
        history=built_from.tuning.edited(tree.path(row.parent_id)),
        question=question if isinstance(question, Message) else None,
    )
    return TurnRecord(
        chat=row.chat,
        number=row.number,
        parent=row.parent_id,
        question=row.question_id,
        built=Built(complete, unpack_envelope(row.envelope, segments)),
        after=texts.read(Standing, standing),
        started_utc=row.started_utc,
        state=row.state,
        usage=None if row.usage is None else json.loads(row.usage),
        finished_utc=row.finished_utc,
        reply=row.reply_id,
    )


# Watched chats: when each of them was last used, and what it takes.


_TURNS = "SELECT coalesce(sum(length(inputs) + length(envelope) + length(usage)), 0) FROM turn WHERE chat = ?"
_PAGES = ("page_count", "freelist_count", "page_size")
_AT_ONCE = 500


def listed(connection: Connection) -> tuple[tuple[WatchedSize, ...], int]:
    """Every watched chat that is not deleted, those in the bin too, unmeasured; and the size of the store."""
    running = {
        *connection.exec_driver_sql("SELECT DISTINCT chat FROM turn WHERE state = 'running'").scalars()
    }
    pages, free, size = (int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()) for name in _PAGES)
    found = []
    for one in chats.watched(connection):
        mark = one.filed.watched
        if mark is not None and one.deleted_utc in (None, mark.binned_utc):
            binned = one.deleted_utc or ""
            found.append(WatchedSize(one.id, mark.since(one.used_utc), 0, one.id in running, binned))
    return tuple(found), (pages - free) * size


def measured(connection: Connection, chat: str, known: set[str]) -> int:
    """Size of a chat without texts counted already; its own texts are added to `known`."""
    total = int(connection.exec_driver_sql(_TURNS, (chat,)).scalar_one())
    bodies = connection.exec_driver_sql("SELECT body FROM segment WHERE chat = ?", (chat,)).scalars().all()
    digests = sorted({digest for body in bodies for digest in referred(body)} - known)
    known.update(digests)
    for start in range(0, len(digests), _AT_ONCE):
        some = tuple(bytes.fromhex(digest) for digest in digests[start : start + _AT_ONCE])
        marks = ",".join("?" * len(some))
        sql = f"SELECT coalesce(sum(length(body)), 0) FROM content WHERE digest IN ({marks})"
        total += int(connection.exec_driver_sql(sql, some).scalar_one())
    return total + sum(map(len, bodies))
