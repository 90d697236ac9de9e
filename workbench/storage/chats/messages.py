"""Messages as a tree: appended, read by branch from the leaf up, hidden but not lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select, text, update

from workbench.domain.chunk import Chunk
from workbench.domain.codec import decode, encode
from workbench.domain.errors import NotKept
from workbench.domain.message import Entry, Image, Message, Thought, ToolCall
from workbench.domain.record import Notes, Record
from workbench.domain.search_words import word_line
from workbench.domain.translation import tr
from workbench.domain.turn import Tuning
from workbench.storage.chats.contents import as_bytes, dump, keep_all, keep_bytes, read_text
from workbench.storage.database.format import as_column, as_text
from workbench.storage.database.schema import chat, message

_TEXTS = "texts"
_BODY = "body"
_PLAIN = 3  # what is known of a message that is nothing but words
_NO_LIMIT = -1

_ADD_WORDS = "INSERT INTO message_words(rowid, words) VALUES (?, ?)"
_INSERT = """INSERT INTO message
    (sequence, parent, chat, id, entry, content, growing, created_utc, state, notes, deleted_utc)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
# What `as_record` reads, in its order. By the driver: each row's own object took longer than reading it.
_COLUMNS = """SELECT m.chat, m.entry, m.growing, content.body, m.created_utc, parent.id, m.sequence, m.state, m.notes,
         m.deleted_utc"""
_BESIDE = "JOIN content ON content.id = m.content LEFT JOIN message parent ON parent.sequence = m.parent"
_ROWS = f"{_COLUMNS} FROM message m {_BESIDE}"
# CROSS JOIN: left to itself, SQLite may go through all messages in order and look which are on the branch.
_WAY = f"""WITH RECURSIVE way(sequence, parent) AS (
         SELECT sequence, parent FROM message WHERE chat = :chat AND id = :leaf
         UNION ALL SELECT m.sequence, m.parent FROM message m JOIN way ON m.sequence = way.parent)
       {_COLUMNS} FROM way CROSS JOIN message m ON m.sequence = way.sequence {_BESIDE}"""
_BRANCH = f"""WITH RECURSIVE branch(sequence, parent, hidden, shown) AS (
         SELECT sequence, parent, deleted_utc IS NOT NULL, deleted_utc IS NULL FROM message
         WHERE chat = :chat AND id = coalesce(:leaf, (SELECT leaf FROM chat WHERE id = :chat))
         UNION ALL
         SELECT m.sequence, m.parent, m.deleted_utc IS NOT NULL, branch.shown + (m.deleted_utc IS NULL)
         FROM message m JOIN branch ON m.sequence = branch.parent WHERE :number < 0 OR branch.shown < :number)
       {_COLUMNS} FROM branch CROSS JOIN message m ON m.sequence = branch.sequence {_BESIDE}
       WHERE NOT branch.hidden ORDER BY m.sequence"""


def _records(connection: Connection, sql: str, wanted: Any) -> Iterator[Record]:
    """The messages of a query, one row after the other: the bytes of each are let go of once it is read.

    Equal ids, roles, states and times are one object: each row's own took 7 MB of a chat of 10,000 turns.
    """
    rows = iter(connection.exec_driver_sql(sql, wanted).cursor.fetchone, None)
    known: dict[str, Any] = {}
    return (as_record(row, known.setdefault) for row in rows)


# What most messages have; reading it anew for each took as long as the rest of the row.
_NO_NOTES: dict[str, Any] = {"attached": (), "metadata": None, "hints": None}
_NOTHING: Notes = {}
_READ_JSON = json.JSONDecoder().raw_decode  # ours has nothing around it, which `json.loads` looks for
_NO_NOTES_JSON = dump({"attached": [], "metadata": {}, "hints": {}})


def append(connection: Connection, records: Sequence[Record]) -> None:
    """Append messages in order with few statements; the last becomes its chat's leaf."""
    if not records:
        return
    texts = [b"" if record.state == "running" else as_bytes(message_text(record.entry)) for record in records]
    places = _new_sequences(connection, records)
    rows = [
        (*place, record.chat, record.id, *_columns(record, content_id).values())
        for place, record, content_id in zip(places, records, keep_all(connection, texts), strict=True)
    ]
    connection.exec_driver_sql(_INSERT, rows)
    _add_words(connection, [(place[0], record) for place, record in zip(places, records, strict=True)])
    newest = {record.chat: (record.id, place[0]) for place, record in zip(places, records, strict=True)}
    ends = [(leaf, used, chat_id) for chat_id, (leaf, used) in newest.items()]
    connection.exec_driver_sql("UPDATE chat SET leaf = ?, used = ? WHERE id = ?", ends)


def last_place(connection: Connection) -> int:
    """The highest sequence number ever given to a message."""
    sql = "SELECT seq FROM sqlite_sequence WHERE name = 'message'"
    return int(connection.exec_driver_sql(sql).scalar() or 0)


def _new_sequences(connection: Connection, records: Sequence[Record]) -> list[tuple[int, int | None]]:
    """For each new message its sequence number, and that of its parent."""
    last = last_place(connection)
    known: dict[tuple[str, str], int] = {}
    places = []
    for number, record in enumerate(records, last + 1):
        parent = None
        if record.parent is not None:
            at = (record.chat, record.parent)
            parent = known.get(at) or sequence_of(connection, *at)
        known[record.chat, record.id] = number
        places.append((number, parent))
    return places


def renew(connection: Connection, record: Record) -> None:
    """Update an unfinished answer, or end it."""
    where = (message.c.chat == record.chat) & (message.c.id == record.id) & (message.c.state == "running")
    found = connection.execute(select(message.c.sequence, message.c.deleted_utc).where(where)).first()
    if found is None:
        raise NotKept(
            tr(
                "The message {id!r} is not an answer in progress; what is finished is not changed.",
                id=record.id,
            )
        )
    # Who deletes an answer while it grows does not want it back with its next word.
    grown = replace(record, deleted_utc=found.deleted_utc or record.deleted_utc)
    # The bytes of a long answer are let go of before its words are made from it.
    values = _columns(
        grown,
        keep_bytes(connection, b"" if grown.state == "running" else as_bytes(message_text(grown.entry))),
    )
    sets = ", ".join(f"{name} = ?" for name in values)
    sql = f"UPDATE message SET {sets} WHERE sequence = ?"
    connection.exec_driver_sql(sql, (*values.values(), found.sequence))
    make_findable(connection, found.sequence, grown)


def conclude(connection: Connection, records: Sequence[Record]) -> None:
    """Finish the started messages and append the others in order; the last becomes its chat's leaf."""
    for record in records:
        where = (message.c.chat == record.chat) & (message.c.id == record.id) & (message.c.state == "running")
        if connection.execute(select(message.c.sequence).where(where)).first() is None:
            append(connection, [record])
        else:
            renew(connection, record)
    for record in records[-1:]:
        connection.execute(update(chat).where(chat.c.id == record.chat).values(leaf=record.id))


def annotate(connection: Connection, chat_id: str, message_id: str, change: Callable[[Notes], Notes]) -> None:
    """Change the notes of a message; its text stays."""
    this = message.c.sequence == sequence_of(connection, chat_id, message_id)
    notes = json.loads(connection.execute(select(message.c.notes).where(this)).scalar_one())
    changed = dump({**notes, "metadata": change(notes["metadata"] or {})})
    connection.execute(update(message).where(this).values(notes=changed))


def days(connection: Connection) -> tuple[str, ...]:
    """Dates on which anything was written."""
    sql = "SELECT DISTINCT substr(created_utc, 1, 10) FROM message"
    return tuple(connection.exec_driver_sql(sql).scalars())


def interrupt_running(connection: Connection) -> None:
    """Mark answers as interrupted that were growing when their writer ended; what arrived is kept."""
    numbers = (
        connection.execute(select(message.c.sequence).where(message.c.state == "running")).scalars().all()
    )
    for record in load(connection, numbers):
        renew(connection, replace(record, state="interrupted"))


def branch(connection: Connection, chat_id: str, leaf: str | None, number: int | None) -> tuple[Record, ...]:
    """The last `number` messages up to a leaf, oldest first; by default the chat's own leaf."""
    wanted = {"chat": chat_id, "leaf": leaf, "number": _NO_LIMIT if number is None else number}
    found = tuple(_records(connection, _BRANCH, wanted)) if number != 0 else ()
    if not found:
        leaf_of(connection, chat_id, leaf)
    return found


def leaf_of(connection: Connection, chat_id: str, leaf: str | None) -> str | None:
    """The given leaf, or the chat's own; None in an empty chat."""
    if leaf is None:
        leaf = connection.exec_driver_sql("SELECT leaf FROM chat WHERE id = ?", (chat_id,)).scalar()
    if leaf is not None:
        sequence_of(connection, chat_id, leaf)
    return leaf


def up_to(
    connection: Connection, chat_id: str, leaves: Iterable[str | None], path: Sequence[Record] = ()
) -> tuple[Record, ...]:
    """All messages on the paths to these leaves, deleted ones too; those that were read already are given."""
    found: dict[str, Record] = {}
    known = {record.id: record for record in path}
    for leaf in leaves:
        if leaf is not None and leaf not in found:
            way = _known_way(known, leaf) or _records(connection, _WAY, {"chat": chat_id, "leaf": leaf})
            found |= {record.id: record for record in way}
    return tuple(found.values())


def _known_way(known: Mapping[str, Record], leaf: str | None) -> list[Record]:
    """The path to a leaf, where all of it is known."""
    way: list[Record] = []
    while leaf is not None:
        record = known.get(leaf)
        if record is None:
            return []
        way.append(record)
        leaf = record.parent
    return way


def load(connection: Connection, sequences: Iterable[int]) -> list[Record]:
    """Messages by sequence numbers, in that order."""
    return list(_among(connection, "sequence", sorted(sequences)))


def hide(connection: Connection, chat_id: str, message_id: str, when_utc: str) -> None:
    """Mark a message as deleted; it is no longer found or read, but still stored."""
    sequence = sequence_of(connection, chat_id, message_id)
    connection.execute(update(message).where(message.c.sequence == sequence).values(deleted_utc=when_utc))
    connection.execute(text("DELETE FROM message_words WHERE rowid = :id"), {"id": sequence})


def set_deleted(connection: Connection, sequence: int, record: Record) -> None:
    """Hide or restore a message, as the record says."""
    connection.execute(
        update(message).where(message.c.sequence == sequence).values(deleted_utc=record.deleted_utc)
    )
    connection.execute(text("DELETE FROM message_words WHERE rowid = :id"), {"id": sequence})
    make_findable(connection, sequence, record)


def places(connection: Connection, chat_id: str) -> dict[str, int]:
    """Sequence numbers of a chat's messages, by id."""
    rows = connection.execute(select(message.c.id, message.c.sequence).where(message.c.chat == chat_id))
    return {row.id: row.sequence for row in rows}


def of_chats(connection: Connection, chat_ids: Sequence[str]) -> dict[str, list[Record]]:
    """All messages of several chats, deleted ones too, in order."""
    found: dict[str, list[Record]] = {}
    for record in _among(connection, "chat", chat_ids):
        found.setdefault(record.chat, []).append(record)
    return found


def _among(connection: Connection, column: str, wanted: Sequence[Any]) -> Iterator[Record]:
    """The messages with one of these values in a column, five hundred of them at a time, in order."""
    for start in range(0, len(wanted), 500):
        some = tuple(wanted[start : start + 500])
        marks = ",".join("?" * len(some))
        yield from _records(connection, f"{_ROWS} WHERE m.{column} IN ({marks}) ORDER BY m.sequence", some)


def siblings(connection: Connection, chat_id: str, message_id: str) -> tuple[Record, ...]:
    """All children of the message's parent, deleted ones left out, in order."""
    this = sequence_of(connection, chat_id, message_id)
    same = "m.parent IS (SELECT parent FROM message WHERE sequence = ?) AND m.deleted_utc IS NULL"
    sql = f"{_ROWS} WHERE m.chat = ? AND {same} ORDER BY m.sequence"
    return tuple(_records(connection, sql, (chat_id, this)))


def everything(connection: Connection, chat_id: str) -> tuple[Record, ...]:
    """All messages of a chat, deleted ones too, in order."""
    return tuple(_among(connection, "chat", (chat_id,)))


def sequence_of(connection: Connection, chat_id: str, message_id: str) -> int:
    """Sequence number of a message."""
    sql = "SELECT sequence FROM message WHERE chat = ? AND id = ?"
    found = connection.exec_driver_sql(sql, (chat_id, message_id)).scalar()
    if found is None:
        raise NotKept(
            tr("The chat {chat_id!r} has no message {message_id!r}.", chat_id=chat_id, message_id=message_id)
        )
    return int(found)


def make_findable(connection: Connection, sequence: int, record: Record) -> None:
    """Add a finished message to the search index."""
    _add_words(connection, ((sequence, record),))


def find_anew(connection: Connection, chat_id: str, some: Iterable[str], tuning: Tuning) -> None:
    """Let messages be found by their own words and by those of the versions that a person wrote."""
    known = places(connection, chat_id) if some else {}
    for record in load(connection, [known[key] for key in some if key in known]):
        connection.execute(text("DELETE FROM message_words WHERE rowid = :id"), {"id": record.sequence})
        _add_words(connection, ((record.sequence, record),), tuning)


def _add_words(
    connection: Connection, records: Iterable[tuple[int, Record]], tuning: Tuning | None = None
) -> None:
    rows = [
        (sequence, word_line(found_in(record, tuning)))
        for sequence, record in records
        if record.state != "running" and record.deleted_utc is None
    ]
    if rows:
        connection.exec_driver_sql(_ADD_WORDS, rows)


def found_in(record: Record, tuning: Tuning | None = None) -> str:
    """Searchable text of a message: its words, those of its versions, and the results of a question's commands."""
    versions = () if tuning is None else (one.text for one in reversed(tuning.versions(record.id)))
    return "\n".join((*versions, message_text(record.entry), *(chunk.body for chunk in record.commands)))


def message_text(entry: Entry) -> str:
    """The words of a message or chunk."""
    return entry.text if isinstance(entry, Message) else entry.body


def as_record(row: Sequence[Any], same: Callable[[str, Any], Any]) -> Record:
    """A row as a record; `same` returns the first of equal strings."""
    chat_id, entry, growing, body, created_utc, parent, sequence, state, noted, deleted_utc = row
    notes = _NO_NOTES if noted == _NO_NOTES_JSON else json.loads(noted)
    words = read_text(body) if growing is None else str(as_text(growing))
    commands = decode(tuple[Chunk, ...], notes["commands"]) if "commands" in notes else ()
    return Record(
        same(chat_id, chat_id), _entry(entry, words, same), same(created_utc, created_utc),
        None if parent is None else same(parent, parent), sequence, same(state, state), tuple(notes["attached"]),
        commands, notes["metadata"] or _NOTHING, notes["hints"] or _NOTHING, deleted_utc,
    )  # fmt: skip


def _columns(record: Record, content_id: int) -> dict[str, Any]:
    return {
        "entry": dump(_without_words(record.entry)),
        "content": content_id,
        # While an answer grows its text is rewritten several times a second; each version kept would be waste.
        "growing": as_column(message_text(record.entry)) if record.state == "running" else None,
        "created_utc": record.created_utc,
        "state": record.state,
        "notes": _notes(record),
        "deleted_utc": record.deleted_utc,
    }


def _notes(record: Record) -> str:
    if not (record.attached or record.metadata or record.hints or record.commands):
        return _NO_NOTES_JSON
    notes = {"attached": list(record.attached), "metadata": record.metadata, "hints": record.hints}
    if record.commands:
        notes["commands"] = encode(record.commands)
    return dump(notes)


def _without_words(entry: Entry) -> Any:
    """The entry's JSON with its text left to the content table; several text parts are remembered by length.

    Messages are by far the most rows, and have a short form of their own; chunks go through the codec.
    """
    if not isinstance(entry, Message):
        return encode(replace(entry, body=""))
    short: dict[str, Any] = {"id": entry.id, "role": entry.role, _TEXTS: [len(part) for part in entry.texts]}
    if entry.tool_calls:
        short["calls"] = [[call.id, call.name, call.arguments] for call in entry.tool_calls]
    if entry.tool_call_id is not None:
        short["answers"] = entry.tool_call_id
    if entry.images:
        short["images"] = [_short_image(image) for image in entry.images]
    if entry.thinking:
        short["thinking"] = [[thought.text, thought.signature] for thought in entry.thinking]
    return short


def _short_image(image: Image) -> list[Any]:
    short = [image.digest, image.tokens]
    more = [image.width, image.height, image.after, image.source]
    return short if more == [0, 0, None, ""] else short + more


def _entry(kept: str, words: str, same: Callable[[str, Any], Any]) -> Entry:
    document, _ = _READ_JSON(kept)
    if "type" in document:
        return decode(Entry, {**document, _BODY: words})  # type: ignore[arg-type]
    texts = (words,) if document[_TEXTS] == [len(words)] else tuple(_parts(words, document[_TEXTS]))
    if len(document) == _PLAIN:
        key, role = document["id"], document["role"]
        return Message(same(key, key), same(role, role), texts)
    return Message(
        id=document["id"],
        role=document["role"],
        texts=texts,
        images=tuple(Image(*image) for image in document.get("images", ())),
        tool_calls=tuple(ToolCall(*call) for call in document.get("calls", ())),
        tool_call_id=document.get("answers"),
        thinking=tuple(Thought(*thought) for thought in document.get("thinking", ())),
    )


def _parts(words: str, lengths: Sequence[int]) -> Iterable[str]:
    start = 0
    for length in lengths:
        yield words[start : start + length]
        start += length + len("\n\n")
