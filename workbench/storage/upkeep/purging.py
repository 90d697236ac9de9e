"""Purges deleted content for good: rows, index entries, and what requests showed of it."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Set
from dataclasses import replace

from sqlalchemy import ColumnElement, Connection, delete, func, select, text, update

from workbench.domain.message import Message
from workbench.domain.recall import FOUND_KINDS, quoted_message
from workbench.domain.segment import Segment
from workbench.domain.text import digest_text
from workbench.domain.turn import TurnInputs
from workbench.domain.workspace import template_of
from workbench.storage.chats import branch_lines
from workbench.storage.chats.chats import forget_steps
from workbench.storage.chats.contents import PURGED, Texts, referred
from workbench.storage.database.schema import (
    FULL_TEXT,
    chat,
    content,
    message,
    prompt,
    provider_key,
    segment,
    snapshot,
    turn,
    workspace,
)

_TELLS_OF_MESSAGES = (b'"rounds":[{', b'"replaces":["', b'"edits":[{')
"""What of the inputs of a turn holds words of messages: its rounds, summaries, and what a person edited."""


def purge(connection: Connection) -> int:
    """Purge deleted chats and messages and all unreferenced text; returns how many were purged."""
    # Freed pages are overwritten, so that not even the key brings purged text back.
    connection.exec_driver_sql("PRAGMA secure_delete = ON")
    _purge_workspaces(connection)
    gone = _purge_chats(connection) + _purge_messages(connection)
    if gone:
        forget_steps(connection)
    return _remove_unreferenced(connection, gone)


def remove_chats(connection: Connection, chats: Collection[str]) -> int:
    """Purge these chats and all unreferenced text; other deleted content stays."""
    connection.exec_driver_sql("PRAGMA secure_delete = ON")
    return _remove_unreferenced(connection, _delete_where(connection, chat.c.id.in_(tuple(chats))))


def _remove_unreferenced(connection: Connection, gone: int) -> int:
    """Remove unreferenced content and its index entries."""
    branch_lines.forget(connection)
    _purge_content(connection)
    if gone:
        for index in FULL_TEXT:
            # What is deleted from an index is only marked so, until its parts are merged.
            connection.execute(text(f"INSERT INTO {index}({index}) VALUES ('optimize')"))
    return gone


def _purge_workspaces(connection: Connection) -> None:
    """Purge deleted workspaces with their prompts; their remaining chats are then in none."""
    gone = text("SELECT id, body FROM workspace WHERE json_extract(body, '$.deleted_utc') IS NOT NULL")
    for key, body in connection.execute(gone).all():
        connection.execute(delete(prompt).where(prompt.c.workspace == key))
        connection.execute(delete(workspace).where(workspace.c.id == key))
        kept = provider_key.c.origin.startswith(f"mcp:{key}/", autoescape=True)
        connection.execute(delete(provider_key).where(kept))
        when = json.loads(body)["deleted_utc"]
        template = chat.c.id == template_of(key)
        connection.execute(update(chat).where(template).values(deleted_utc=when))
        inside = text(
            "UPDATE chat SET filed = json_set(filed, '$.workspace', '') WHERE json_extract(filed, '$.workspace') = :key"
        )
        connection.execute(inside, {"key": key})


def _purge_chats(connection: Connection) -> int:
    return _delete_where(connection, chat.c.deleted_utc.is_not(None))


def _delete_where(connection: Connection, which: ColumnElement[bool]) -> int:
    """Remove chats with their messages, attachments, requests and index entries."""
    deleted = select(chat.c.id).where(which)
    owned = (
        (message.c.sequence, message.c.chat, "message_words"),
        (snapshot.c.id, snapshot.c.chat, "attachment_words"),
    )
    for column, owner, words in owned:
        numbers = connection.execute(select(column).where(owner.in_(deleted))).scalars().all()
        for number in numbers:
            connection.execute(text(f"DELETE FROM {words} WHERE rowid = :id"), {"id": number})
    for number in connection.execute(select(chat.c.number).where(which)).scalars().all():
        connection.execute(text("DELETE FROM title_words WHERE rowid = :id"), {"id": number})
    connection.execute(update(message).where(message.c.chat.in_(deleted)).values(parent=None))
    return connection.execute(delete(chat).where(which)).rowcount


def _purge_messages(connection: Connection) -> int:
    deleted = message.c.deleted_utc.is_not(None)
    rows = connection.execute(
        select(message.c.sequence, message.c.parent, message.c.chat, message.c.id, message.c.notes)
        .where(deleted)
        .order_by(message.c.sequence.desc())
    ).all()
    gone: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        gone[row.chat].update((row.id, *(one["id"] for one in json.loads(row.notes).get("commands", ()))))
        _move_answer(connection, row.sequence)
        # Children move up, so that a branch stays a branch; so do turns that stood there, and the branch in view.
        connection.execute(update(message).where(message.c.parent == row.sequence).values(parent=row.parent))
        connection.execute(update(turn).where(turn.c.parent == row.sequence).values(parent=row.parent))
        before = select(message.c.id).where(message.c.sequence == row.parent).scalar_subquery()
        in_view = (chat.c.id == row.chat) & (chat.c.leaf == row.id)
        connection.execute(update(chat).where(in_view).values(leaf=before))
        connection.execute(text("DELETE FROM message_words WHERE rowid = :id"), {"id": row.sequence})
        connection.execute(delete(message).where(message.c.sequence == row.sequence))
    for key, ids in gone.items():
        _purge_segments(connection, key, ids | _purge_inputs(connection, key, ids))
    return len(rows)


def _move_answer(connection: Connection, sequence: int) -> None:
    """Let a turn's answer begin with what is left of it; if nothing is, delete a turn whose question has another.

    Left behind without an answer, that turn would count for the branches of all the others.
    """
    said = func.json_extract(message.c.entry, "$.role").in_(("assistant", "tool"))
    left = select(func.min(message.c.sequence)).where(message.c.parent == sequence, said)
    first = connection.execute(left).scalar()
    other = turn.alias()
    answered_again = select(other.c.id).where(other.c.question == turn.c.question, other.c.id != turn.c.id)
    if first is None:
        over = (turn.c.reply == sequence) & (turn.c.state != "running")
        connection.execute(delete(turn).where(over, answered_again.exists()))
    connection.execute(update(turn).where(turn.c.reply == sequence).values(reply=first))


def _purge_segments(connection: Connection, key: str, gone: Collection[str]) -> None:
    """Blank what requests showed of purged messages; the requests stay, with a placeholder.

    Nothing else is touched: a log goes on with the bytes that it sent, and would send the mark.
    """
    texts = Texts(connection)
    rows = connection.execute(select(segment.c.id, segment.c.body).where(segment.c.chat == key)).all()
    said = [row for row in rows if json.loads(row.body)["layer"] in ("L4_STRIP", "L3_TURN", "L5_USER")]
    texts.expect(row.body for row in said)
    for row in said:
        shown = texts.read(Segment, row.body)
        if shown.id in gone or (shown.kind in FOUND_KINDS and quoted_message(shown.id) in gone):
            values = {"body": texts.write(_blank(shown)), "digest": _own_digest(row.id)}
            connection.execute(update(segment).where(segment.c.id == row.id).values(values))


def _purge_inputs(connection: Connection, key: str, gone: Set[str]) -> set[str]:
    """Blank purged messages in a turn's inputs and remove summaries of them; returns the ids of those summaries.

    Both are part of what a request was built from.
    """
    texts = Texts(connection)
    summaries: set[str] = set()
    for row in connection.execute(select(turn.c.id, turn.c.inputs).where(turn.c.chat == key)).all():
        document = zlib.decompress(row.inputs)
        if not any(mark in document for mark in _TELLS_OF_MESSAGES):
            continue
        inputs = texts.unpack(TurnInputs, row.inputs)
        rounds = tuple(_blank_message(said) if said.id in gone else said for said in inputs.rounds)
        told = [one for one in inputs.tuning.summaries if not one.of_artifact and gone & {*one.replaces}]
        edits = tuple(one for one in inputs.tuning.edits if one.message not in gone)
        if rounds == inputs.rounds and not told and edits == inputs.tuning.edits:
            continue
        summaries.update(one.id for one in told)
        rest = tuple(one for one in inputs.tuning.summaries if one not in told)
        tuning = replace(inputs.tuning, summaries=rest, edits=edits)
        left = replace(inputs, rounds=rounds, tuning=tuning)
        connection.execute(update(turn).where(turn.c.id == row.id).values(inputs=texts.pack(left)))
    return summaries


def _blank_message(said: Message) -> Message:
    return replace(
        said,
        texts=tuple(PURGED for _ in said.texts),
        tool_calls=tuple(replace(call, arguments=PURGED) for call in said.tool_calls),
        thinking=(),
    )


def _blank(shown: Segment) -> Segment:
    return replace(
        shown,
        text=PURGED if shown.text else "",
        content_digest=digest_text(PURGED),
        placeholder=None if shown.placeholder is None else PURGED,
        original=None if shown.original is None else PURGED,
        tool_calls=tuple(replace(call, arguments=PURGED) for call in shown.tool_calls),
    )


def _own_digest(row_id: int) -> bytes:
    """A digest unique to the row: segments that differed only in purged text stay distinct."""
    return hashlib.sha256(f"purged {row_id}".encode()).digest()


def _purge_content(connection: Connection) -> None:
    """Delete text that no message, snapshot, artifact or segment refers to."""
    used = set(connection.execute(select(message.c.content)).scalars())
    used |= set(connection.execute(select(snapshot.c.content)).scalars())
    digests = {bytes.fromhex(digest) for document in _documents(connection) for digest in referred(document)}
    for row in connection.execute(select(content.c.id, content.c.digest)).all():
        if row.id not in used and bytes(row.digest) not in digests:
            connection.execute(delete(content).where(content.c.id == row.id))


def _documents(connection: Connection) -> Iterator[str]:
    yield from connection.execute(select(snapshot.c.artifact)).scalars()
    yield from connection.execute(select(chat.c.attached)).scalars()
    yield from connection.execute(select(chat.c.tuning)).scalars()
    yield from connection.execute(select(segment.c.body)).scalars()
    for row in connection.execute(select(turn.c.inputs, turn.c.standing)):
        yield from (zlib.decompress(row.inputs).decode(), zlib.decompress(row.standing).decode())
