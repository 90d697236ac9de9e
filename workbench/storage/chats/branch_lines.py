"""Summary of a branch: its turns without their requests, and which of its messages have siblings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Connection, Row, select, text

from workbench.domain.record import Notes, TurnLine
from workbench.storage.chats import messages
from workbench.storage.database.schema import turn

_MEMO = "how turns of a chat ended"
_END = (turn.c.id, turn.c.number, turn.c.started_utc, turn.c.state, turn.c.finished_utc)

_BRANCH = """WITH RECURSIVE branch(sequence, parent, id, hidden) AS (
         SELECT sequence, parent, id, deleted_utc IS NOT NULL FROM message WHERE chat = :chat AND id = :leaf
         UNION ALL
         SELECT m.sequence, m.parent, m.id, m.deleted_utc IS NOT NULL
         FROM message m JOIN branch ON m.sequence = branch.parent)"""
# CROSS JOIN keeps the order of the loops: from the branch to what hangs on it, and not through whole tables.
# Only what stands before the request in a row is asked for: to read what stands behind it, all of it is read.
_TURN_HERE = "turn.reply IS NULL OR turn.reply IN (SELECT sequence FROM branch)"
_TURNS = text(
    f"""{_BRANCH}, asked(sequence, id) AS (
         SELECT sequence, id FROM branch WHERE NOT hidden
         AND EXISTS (SELECT 1 FROM turn WHERE turn.question = branch.sequence AND ({_TURN_HERE}))
         ORDER BY sequence DESC LIMIT :newest)
       SELECT turn.id, asked.id AS question, answer.id AS reply
       FROM asked CROSS JOIN turn ON turn.question = asked.sequence
       LEFT JOIN message answer ON answer.sequence = turn.reply
       WHERE {_TURN_HERE}
       ORDER BY asked.sequence, turn.reply IS NOT NULL, turn.id"""
)
_VERSIONS = text(
    f"""{_BRANCH}
       SELECT one.id, other.id FROM branch one CROSS JOIN message other ON other.parent IS one.parent
       WHERE NOT one.hidden AND other.chat = :chat AND other.deleted_utc IS NULL
       AND EXISTS (SELECT 1 FROM message WHERE parent IS one.parent AND sequence != one.sequence)
       ORDER BY one.sequence, other.sequence"""
)


def turns(
    connection: Connection, chat_id: str, leaf: str | None, newest: int | None = None, notes: bool = True
) -> tuple[TurnLine, ...]:
    """One line per question: of several turns, the last row counts."""
    most = -1 if newest is None else newest  # for SQLite, all of them
    rows = connection.execute(_TURNS, {**_query_parameters(connection, chat_id, leaf), "newest": most})
    chosen = {row.question: row for row in rows}
    return (_noted if notes else _lines)(connection, chat_id, list(chosen.values()))


def versions(connection: Connection, chat_id: str, leaf: str | None) -> dict[str, tuple[str, ...]]:
    """The ids of all versions of those messages that have several."""
    found: dict[str, list[str]] = {}
    for one, other in connection.execute(_VERSIONS, _query_parameters(connection, chat_id, leaf)):
        found.setdefault(one, []).append(other)
    return {one: tuple(others) for one, others in found.items() if len(others) > 1}


def _query_parameters(connection: Connection, chat_id: str, leaf: str | None) -> dict[str, str | None]:
    return {"chat": chat_id, "leaf": messages.leaf_of(connection, chat_id, leaf)}


def forget(connection: Connection) -> None:
    """Drop the cache after rows were removed: row numbers may be reused."""
    connection.info.pop(_MEMO, None)


def _noted(connection: Connection, _chat_id: str, rows: list[Row[Any]]) -> tuple[TurnLine, ...]:
    """The lines of turns with their notes, which are not kept: read, they are most of a turn."""
    ends = _ends(connection, [row.id for row in rows], (*_END, turn.c.usage))
    return tuple(_line(row, ends[row.id], _read_notes(ends[row.id].usage)) for row in rows)


def _read_notes(usage: str | None) -> Notes | None:
    found: Notes | None = None if usage is None else json.loads(usage)
    return found


def _lines(connection: Connection, chat_id: str, rows: list[Row[Any]]) -> tuple[TurnLine, ...]:
    """The lines of turns without notes; finished ones are cached for the chat listed last."""
    chat, known = connection.info.get(_MEMO, ("", {}))
    lines: dict[int, TurnLine] = dict(known) if chat == chat_id else {}
    missing = {row.id: row for row in rows if row.id not in lines}
    ends = _ends(connection, list(missing), _END)
    lines |= {number: _line(missing[number], end) for number, end in ends.items()}
    ended = {number: line for number, line in lines.items() if line.state != "running"}
    connection.info[_MEMO] = (chat_id, ended)
    return tuple(lines[row.id] for row in rows)


def _ends(
    connection: Connection, numbers: Sequence[int], columns: Sequence[Column[Any]]
) -> dict[int, Row[Any]]:
    ends: dict[int, Row[Any]] = {}
    for start in range(0, len(numbers), 500):
        some = select(*columns).where(turn.c.id.in_(numbers[start : start + 500]))
        ends |= {end.id: end for end in connection.execute(some)}
    return ends


def _line(row: Row[Any], end: Row[Any], notes: Notes | None = None) -> TurnLine:
    return TurnLine(
        number=end.number,
        question=row.question,
        started_utc=end.started_utc,
        state=end.state,
        usage=notes,
        finished_utc=end.finished_utc,
        reply=row.reply,
    )
