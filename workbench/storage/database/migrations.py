"""Schema migrations: each step is a function in a list, run in one transaction after a copy of the file is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection

from workbench.domain.errors import FutureStore
from workbench.domain.search_words import words_of
from workbench.storage.database.database import Database

# Version 1 of the store's tables, as it was released; never changed, so that old stores and new ones go one
# way.

_VERSION_1 = (
    """CREATE TABLE content (
         id INTEGER NOT NULL, digest BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (id), UNIQUE (digest))""",
    """CREATE TABLE chat (
         number INTEGER NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, created_utc TEXT NOT NULL,
         used INTEGER NOT NULL, settings TEXT NOT NULL, parameters TEXT NOT NULL, leaf TEXT, deleted_utc TEXT,
         attached TEXT NOT NULL, tuning TEXT NOT NULL, draft TEXT NOT NULL, PRIMARY KEY (number), UNIQUE (id))""",
    "CREATE TABLE preset (name TEXT NOT NULL, settings TEXT NOT NULL, PRIMARY KEY (name))",
    """CREATE TABLE token_count (
         encoding TEXT NOT NULL, digest BLOB NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (encoding, digest))
       WITHOUT ROWID""",
    """CREATE TABLE message (
         sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, id TEXT NOT NULL, parent INTEGER,
         entry TEXT NOT NULL, content INTEGER NOT NULL, growing TEXT, created_utc TEXT NOT NULL,
         state TEXT NOT NULL, notes TEXT NOT NULL, deleted_utc TEXT, UNIQUE (chat, id),
         FOREIGN KEY(chat) REFERENCES chat (id) ON DELETE CASCADE,
         FOREIGN KEY(parent) REFERENCES message (sequence),
         FOREIGN KEY(content) REFERENCES content (id))""",
    "CREATE INDEX message_parent ON message (parent)",
    """CREATE TABLE segment (
         id INTEGER NOT NULL, chat TEXT NOT NULL, digest BLOB NOT NULL, body TEXT NOT NULL, PRIMARY KEY (id),
         UNIQUE (chat, digest), FOREIGN KEY(chat) REFERENCES chat (id) ON DELETE CASCADE)""",
    """CREATE TABLE snapshot (
         id INTEGER NOT NULL, chat TEXT NOT NULL, "key" TEXT NOT NULL, artifact TEXT NOT NULL,
         content INTEGER NOT NULL, taken_utc TEXT NOT NULL, modified_utc TEXT, PRIMARY KEY (id),
         FOREIGN KEY(chat) REFERENCES chat (id) ON DELETE CASCADE,
         FOREIGN KEY(content) REFERENCES content (id))""",
    "CREATE INDEX snapshot_chat ON snapshot (chat)",
    """CREATE TABLE turn (
         id INTEGER NOT NULL, chat TEXT NOT NULL, parent INTEGER, question INTEGER, number INTEGER NOT NULL,
         inputs BLOB NOT NULL, envelope BLOB NOT NULL, standing BLOB NOT NULL, started_utc TEXT NOT NULL,
         state TEXT NOT NULL, usage TEXT, finished_utc TEXT, PRIMARY KEY (id),
         FOREIGN KEY(chat) REFERENCES chat (id) ON DELETE CASCADE,
         FOREIGN KEY(parent) REFERENCES message (sequence) ON DELETE SET NULL,
         UNIQUE (question),
         FOREIGN KEY(question) REFERENCES message (sequence) ON DELETE CASCADE)""",
    "CREATE INDEX turn_chat ON turn (chat)",
    "CREATE VIRTUAL TABLE message_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii')",
    "CREATE VIRTUAL TABLE title_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii')",
    "CREATE VIRTUAL TABLE name_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii')",
)


def create_tables(connection: Connection) -> None:
    """Version 1: the initial schema."""
    for statement in _VERSION_1:
        connection.exec_driver_sql(statement)


# From version 1 to version 2: a question may be answered again, and keys of providers have a place.

# SQLite cannot take a UNIQUE away from a table: it is made anew. Nothing refers to turns, so none is lost with the old.
_VERSION_2 = (
    """CREATE TABLE new_turn (
         id INTEGER NOT NULL, chat TEXT NOT NULL, parent INTEGER, question INTEGER, reply INTEGER,
         number INTEGER NOT NULL, inputs BLOB NOT NULL, envelope BLOB NOT NULL, standing BLOB NOT NULL,
         started_utc TEXT NOT NULL, state TEXT NOT NULL, usage TEXT, finished_utc TEXT, PRIMARY KEY (id),
         FOREIGN KEY(chat) REFERENCES chat (id) ON DELETE CASCADE,
         FOREIGN KEY(parent) REFERENCES message (sequence) ON DELETE SET NULL,
         FOREIGN KEY(question) REFERENCES message (sequence) ON DELETE CASCADE,
         FOREIGN KEY(reply) REFERENCES message (sequence) ON DELETE SET NULL)""",
    # The answer was added right after its question, so it is the first that the assistant said to it.
    """INSERT INTO new_turn SELECT id, chat, parent, question,
         (SELECT min(said.sequence) FROM message said WHERE said.parent = turn.question
            AND CASE WHEN json_valid(said.entry) THEN json_extract(said.entry, '$.role') END = 'assistant'),
         number, inputs, envelope, standing, started_utc, state, usage, finished_utc FROM turn""",
    "DROP TABLE turn",
    "ALTER TABLE new_turn RENAME TO turn",
    "CREATE INDEX turn_chat ON turn (chat)",
    "CREATE INDEX turn_question ON turn (question)",
    "CREATE UNIQUE INDEX turn_running ON turn (question) WHERE state = 'running'",
    "CREATE TABLE provider_key (origin TEXT NOT NULL, secret BLOB, PRIMARY KEY (origin)) WITHOUT ROWID",
)


def answer_again(connection: Connection) -> None:
    """Version 2."""
    for statement in _VERSION_2:
        connection.exec_driver_sql(statement)


# From version 2 to version 3: chats are filed, and there are workspaces and prompts.

_VERSION_3 = (
    "ALTER TABLE chat ADD COLUMN filed TEXT NOT NULL DEFAULT '{}'",
    """CREATE TABLE workspace (id TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (id))
       WITHOUT ROWID""",
    """CREATE TABLE prompt (workspace TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
         PRIMARY KEY (workspace, name)) WITHOUT ROWID""",
)


def add_workspaces(connection: Connection) -> None:
    """Version 3."""
    for statement in _VERSION_3:
        connection.exec_driver_sql(statement)


# What is found: the text of attachments beside their names, and what a question's own commands gave back.

_LONGEST_INDEXED = 5_000_000
_ATTACHMENT_WORDS = (
    "CREATE VIRTUAL TABLE attachment_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii')",
    "DROP TABLE name_words",
)
_NEWEST_COPIES = (
    """SELECT id, artifact FROM snapshot WHERE id IN (SELECT max(id) FROM snapshot GROUP BY chat, "key")"""
)
_WITH_COMMANDS = """SELECT sequence, notes, body FROM message JOIN content ON content.id = message.content
    WHERE state != 'running' AND deleted_utc IS NULL AND notes LIKE '%"commands":%'"""


def find_in_attachments(connection: Connection) -> None:
    """Index attachments and results of commands in all existing chats."""
    for statement in _ATTACHMENT_WORDS:
        connection.exec_driver_sql(statement)
    for number, artifact in connection.exec_driver_sql(_NEWEST_COPIES).all():
        kept = json.loads(artifact)
        said = " ".join(_kept_text(connection, kept.get(name, "")) for name in ("key", "title", "text"))
        _index(connection, "attachment_words", number, said)
    for number, notes, body in connection.exec_driver_sql(_WITH_COMMANDS).all():
        given = [str(chunk.get("body", "")) for chunk in json.loads(notes).get("commands", [])]
        connection.exec_driver_sql("DELETE FROM message_words WHERE rowid = ?", (number,))
        _index(connection, "message_words", number, "\n".join((_text(body), *given)))


def _kept_text(connection: Connection, value: object) -> str:
    """A stored string: inline, or from the content table if it is long."""
    if isinstance(value, str):
        return value
    digest = value.get("\u00a7", "") if isinstance(value, dict) else ""
    found = connection.exec_driver_sql("SELECT body FROM content WHERE digest = ?", (bytes.fromhex(digest),))
    return _text(found.scalar() or b"")


def _text(body: bytes) -> str:
    return body.decode("utf-8", "surrogatepass")


def _index(connection: Connection, table: str, number: int, said: str) -> None:
    words = " ".join(words_of(said[:_LONGEST_INDEXED]))
    connection.exec_driver_sql(f"INSERT INTO {table}(rowid, words) VALUES (?, ?)", (number, words))


# From version 4 to version 5: what requests cost is kept apart from the chats, those before from the notes of turns.

_SPENDING = (
    """CREATE TABLE spending (
         id INTEGER NOT NULL, at_utc TEXT NOT NULL, chat TEXT NOT NULL, counted INTEGER NOT NULL, owner TEXT,
         body TEXT NOT NULL, PRIMARY KEY (id))""",
    "CREATE INDEX spending_at ON spending (at_utc, chat, owner, counted)",
)
_NOTED_TURNS = """SELECT turn.chat, turn.started_utc, turn.usage,
    CASE WHEN json_valid(chat.filed) THEN json_extract(chat.filed, '$.workspace') END AS workspace,
    CASE WHEN json_valid(chat.filed) THEN json_extract(chat.filed, '$.watched.client') END AS client,
    CASE WHEN json_valid(chat.filed) THEN json_extract(chat.filed, '$.watched.imported_utc') END AS imported_utc
    FROM turn JOIN chat ON chat.id = turn.chat WHERE turn.usage IS NOT NULL AND json_valid(turn.usage)
    ORDER BY turn.id"""


def add_spending(connection: Connection) -> None:
    """Version 5."""
    for statement in _SPENDING:
        connection.exec_driver_sql(statement)
    for row in connection.exec_driver_sql(_NOTED_TURNS).all():
        notes = json.loads(row.usage)
        elsewhere = isinstance(notes, dict) and notes.get("imported")
        if not isinstance(notes, dict) or row.imported_utc or elsewhere not in (None, "watched"):
            continue
        program = str(row.client or "").partition("/")[0] if elsewhere else ""
        about = {
            "type": "Spent",
            "at_utc": row.started_utc,
            "chat": row.chat,
            "workspace": row.workspace or "",
        }
        for used in _noted_requests(notes):
            body = json.dumps({**about, "program": program or "workbench", **used}, ensure_ascii=False)
            kept = (row.started_utc, row.chat, round((used["usd"] or 0) * 1e9), body)
            connection.exec_driver_sql(
                "INSERT INTO spending(at_utc, chat, counted, body) VALUES (?, ?, ?, ?)", kept
            )


def _noted_requests(notes: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The requests of a turn that were reported, each with its share of the price; the notes may be malformed."""
    several = notes.get("requests")
    used = [one for one in several if isinstance(one, dict)] if isinstance(several, list) else []
    used = used or [notes]
    request, cost = notes.get("request"), notes.get("cost")
    model = request.get("model") if isinstance(request, dict) else None
    usd = _noted_number(cost.get("usd")) if isinstance(cost, dict) else None
    if isinstance(request, dict) and request.get("local") is True:
        usd = 0.0
    for one in used:
        tokens = {name: int(_noted_number(one.get(noted)) or 0) for name, noted in _NOTED}
        if isinstance(model, str) and model and tokens["input_tokens"]:
            yield {"model": model, "usd": None if usd is None else usd / len(used), **tokens}


_NOTED = (
    ("input_tokens", "prompt_tokens"),
    ("cached_tokens", "cached_tokens"),
    ("written_tokens", "cache_write_tokens"),
    ("output_tokens", "completion_tokens"),
)


def _noted_number(found: object) -> float | None:
    known = isinstance(found, int | float) and not isinstance(found, bool) and 0 <= found <= 10**9
    return float(found) if known else None  # type: ignore[arg-type]


# From version 5 to version 6: the index of searched folders.

_SEARCHED_FOLDERS = (
    """CREATE TABLE searched_folder (
         path TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (path)) WITHOUT ROWID""",
    """CREATE TABLE folder_segment (
         id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, folder TEXT NOT NULL, body BLOB NOT NULL)""",
    """CREATE TABLE folder_file (
         folder TEXT NOT NULL, path TEXT NOT NULL, digest BLOB NOT NULL, stamp INTEGER NOT NULL, size INTEGER NOT NULL,
         segment INTEGER, number INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (folder, path)) WITHOUT ROWID""",
    "CREATE TABLE folder_text (digest BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (digest))",
)


def add_searched_folders(connection: Connection) -> None:
    """Version 6."""
    for statement in _SEARCHED_FOLDERS:
        connection.exec_driver_sql(statement)


# From version 6 to version 7: messages of requests that are named like their first segment have no name of their own.


def name_messages_by_segments(_connection: Connection) -> None:
    """Version 7: stored requests stay and are read as before; older programs would misread new ones."""


Migration = Callable[[Connection], None]
KeepCopy = Callable[[int], None]


MIGRATIONS: tuple[Migration, ...] = (
    create_tables,
    answer_again,
    add_workspaces,
    find_in_attachments,
    add_spending,
    add_searched_folders,
    name_messages_by_segments,
)
"""Step N brings a store from version N to N + 1. Append only: released steps are never changed."""


def migrate(database: Database, keep_copy: KeepCopy, steps: Sequence[Migration] = MIGRATIONS) -> int:
    """Migrate a store to the newest version, one step per transaction; returns its version.

    `keep_copy` is called before every step of a store that was there before, and must not return before the copy is
    safe; a new store has nothing to lose.
    """
    version = _version(database, steps)
    for number in range(version, len(steps)):
        if version > 0:
            keep_copy(number)
        with database.transaction() as connection:
            steps[number](connection)
            connection.exec_driver_sql(f"PRAGMA user_version = {number + 1}")
    return len(steps)


def is_newest(database: Database, steps: Sequence[Migration] = MIGRATIONS) -> bool:
    """Whether a store needs no migration; raises for one from a newer program."""
    return _version(database, steps) == len(steps)


def _version(database: Database, steps: Sequence[Migration]) -> int:
    with database.transaction() as connection:
        version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if version > len(steps):
        raise FutureStore(version, len(steps))
    return version
